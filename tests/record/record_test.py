# SPDX-License-Identifier: Apache-2.0
"""`treadle record` as a user sees it: how runs end, what survives, what is refused."""
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

TREADLE = os.environ["TREADLE"]
COMPARE = os.environ.get("PT_COMPARE")

ENDINGS = """
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int collatz(unsigned n) { int steps = 0; while (n != 1) { if (n & 1) n = 3 * n + 1; else n /= 2; ++steps; } return steps; }
static void* worker(void* how) {
  collatz(27);
  if (!strcmp(how, "assert")) assert(how == NULL);
  if (!strcmp(how, "crash")) *(volatile int*)8 = 1;
  if (!strcmp(how, "abort")) abort();
  if (!strcmp(how, "hang")) { pthread_mutex_lock(&lock); pthread_mutex_lock(&lock); }
  if (!strcmp(how, "kill")) { for (unsigned n = 1; n < 20000; ++n) collatz(n); puts("ready"); fflush(stdout); pause(); }
  if (!strcmp(how, "forever")) for (unsigned n = 1;; n = n % 1000 + 1) collatz(n);
  return NULL;
}
int main(int argc, char** argv) {
  pthread_t thread;
  char line[100] = "";
  if (!strcmp(argv[1], "read") && fgets(line, sizeof line, stdin)) printf("read %s", line);
  pthread_create(&thread, NULL, worker, argv[1]);
  pthread_join(thread, NULL);
  if (!strcmp(argv[1], "exit")) exit(7);
  return 0;
}
"""


class Recording(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = pathlib.Path(tempfile.mkdtemp(prefix="treadle-record-"))
        source = cls.work / "endings.c"
        source.write_text(ENDINGS)
        cls.program = cls.work / "endings"
        subprocess.run([TREADLE, "cc", "--record", "-O2", source, "-o", cls.program], check=True)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.work)

    def record(self, how, *options, **more):
        folder = self.work / f"{how}.recording"
        shutil.rmtree(folder, ignore_errors=True)
        done = subprocess.run([TREADLE, "record", "--recording", folder, *options, self.program, "--", how], capture_output=True, text=True, timeout=600,
                              cwd=self.work, **more)
        return done, folder

    def show(self, folder):
        return subprocess.run([TREADLE, "show", folder], capture_output=True, text=True, timeout=600)

    def test_a_run_that_ends_by_itself_has_status_0(self):
        done, folder = self.record("exit", stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("it exited with status 7", done.stdout)
        shown = self.show(folder)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertIn("thread 0.1 (ended)", shown.stdout)

    def test_a_failed_assertion_is_told_with_its_thread(self):
        done, folder = self.record("assert", stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 1)
        self.assertIn("Assertion `how == NULL' failed in thread 0.1", done.stdout)
        self.assertIn("in or right behind a call from worker", self.show(folder).stdout)

    def test_a_crash_is_told_with_its_thread(self):
        done, folder = self.record("crash", stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 1)
        self.assertIn("SIGSEGV in thread 0.1", done.stdout)
        self.assertEqual(self.show(folder).returncode, 0)

    def test_an_abort_is_told(self):
        done, _ = self.record("abort", stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 1)
        self.assertIn("SIGABRT in thread 0.1", done.stdout)

    def test_a_hang_is_stopped_and_told(self):
        done, folder = self.record("hang", "--hang-after", "2s", stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 1)
        self.assertIn("it hung", done.stdout)
        shown = self.show(folder).stdout
        self.assertIn("in system call 202", shown)
        self.assertIn("in or right behind a call from worker", shown)

    def test_what_was_recorded_survives_kill_9_of_everything(self):
        folder = self.work / "kill.recording"
        run = subprocess.Popen([TREADLE, "record", "--recording", folder, self.program, "--", "kill"], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
                               text=True, start_new_session=True)
        self.assertEqual(run.stdout.readline(), "ready\n")
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
        run.stdout.close()
        shown = self.show(folder)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertIn("the recording is incomplete", shown.stdout)
        self.assertRegex(shown.stdout, r"thread 0\.1 \(did not end\): \d{7,} blocks")  # a million and more

    def test_of_a_long_run_the_last_seconds_can_be_kept(self):
        done, folder = self.record("forever", "--last", "0.01s", "--hang-after", "2s", stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 1)
        self.assertIn("the stream of thread 0.1 begins in the middle", done.stdout)
        shown = self.show(folder)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertRegex(shown.stdout, r"thread 0\.1 \(did not end\): \d{4,} blocks")

    def test_standard_input_is_kept(self):
        done, folder = self.record("read", input="hello\nworld\n")
        self.assertIn("read hello", done.stdout)
        self.assertEqual((folder / "stdin").read_text(), "hello\nworld\n")

    def test_a_full_disk_ends_the_stream_and_not_the_program(self):
        if os.geteuid() != 0:
            self.skipTest("needs to mount a small file system")
        small = self.work / "small"
        small.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", small], capture_output=True).returncode != 0:
            self.skipTest("may not mount")
        try:
            run = subprocess.Popen([TREADLE, "record", "--recording", small / "full.recording", self.program, "--", "forever"], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
            cut = "the stream of thread 0.1 is cut: No space left on device"
            until = time.monotonic() + 300
            while time.monotonic() < until and (shutil.disk_usage(small).free > 1 << 19 or cut not in self.show(small / "full.recording").stdout):
                time.sleep(0.5)
            self.assertIsNone(run.poll(), "the program runs on")
            os.killpg(run.pid, signal.SIGKILL)
            run.communicate()
            shown = self.show(small / "full.recording")
            self.assertEqual(shown.returncode, 0, shown.stderr)
            self.assertIn(cut, shown.stdout)
        finally:
            subprocess.run(["umount", small], check=True)

    def test_a_program_without_paths_is_refused(self):
        done = subprocess.run([TREADLE, "record", "/bin/true"], capture_output=True, text=True, cwd=self.work)
        self.assertEqual(done.returncode, 2)
        self.assertIn("was not built for recording", done.stderr)

    def test_damaged_recordings_are_refused_in_one_sentence(self):
        _, folder = self.record("exit", stdin=subprocess.DEVNULL)
        for name in ["begin", "end", "status", "tables", "thread-1"]:
            with self.subTest(name):
                path = folder / name
                whole = path.read_bytes()
                for damaged in [whole[: len(whole) // 2], b"", b"\x7fELF" + whole[4:], whole.replace(whole[40:60], b"x" * 20, 1)]:
                    path.write_bytes(damaged)
                    shown = self.show(folder)
                    self.assertIn(shown.returncode, (0, 2), shown.stderr)
                    if shown.returncode == 2:
                        self.assertEqual(len([line for line in shown.stderr.splitlines() if line.startswith("treadle:")]), 1)
                path.write_bytes(whole)
        self.assertEqual(self.show(folder).returncode, 0)


@unittest.skipUnless(COMPARE, "needs the comparing program")
class EmulatedPt(unittest.TestCase):
    PROGRAM = """
#include <cstdlib>
#include <mutex>
#include <thread>
static std::mutex lock;
static int shared;
static int up(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }
int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int collatz(unsigned n) { int steps = 0; while (n != 1) { if (n & 1) n = 3 * n + 1; else n /= 2; ++steps; } return steps; }
static int risky(int n) { if (n % 2) throw n; return n; }
static void run(int n) {
  int a[6] = {5, 3, n, 1, 4, 2};
  std::qsort(a, 6, sizeof *a, up);
  int sum = collatz(7 + n) + fib(5);
  for (int i = 0; i < 6; ++i) sum += a[i] > n ? i : 0;
  try { sum += risky(n); } catch (int thrown) { sum -= thrown; }
  switch (sum % 4) { case 0: sum += 3; break; case 1: sum *= 2; case 2: ++sum; }
  std::lock_guard hold(lock);
  shared += sum;
}
int main() {
  std::thread a(run, 1), b([] { std::thread c(run, 2); run(3); c.join(); });
  run(4);
  a.join();
  b.join();
  return shared > 0 ? 0 : 1;
}
"""

    def test_ends_when_another_thread_ends_the_process_while_the_first_one_computes(self):
        with tempfile.TemporaryDirectory(prefix="treadle-pt-") as work:
            source, program = pathlib.Path(work) / "ends.cpp", f"{work}/ends"
            source.write_text("""#include <cstdlib>
#include <thread>
volatile int sum;
int main() {
  std::thread([] { for (int i = 0; i < 50; ++i) sum = sum + i; std::abort(); }).detach();
  for (;;) sum = sum + 1;
}
""")
            subprocess.run([TREADLE, "c++", "--record=both", "-O1", source, "-o", program], check=True)
            for _ in range(5):
                done = subprocess.run([TREADLE, "record", "--emulate-pt", "--recording", f"{work}/r", program], capture_output=True, text=True, timeout=300,
                                      stdin=subprocess.DEVNULL)
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                shutil.rmtree(f"{work}/r")

    # While main sleeps for a millisecond the other one starts, works and says so: by the processor's clock that is a hundredth of it, by the machine's,
    # one instruction at a time, hundreds of milliseconds. Who sleeps longer comes later.
    DELAYS = """
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>
static atomic_int done;
static void* work(void* none) { for (volatile int i = 0; i < 1000; i++) {} done = 1; return none; }
static void* sleep_longer(void* none) { usleep(3000); done = 2; return none; }
int main(void) {
  pthread_t worker, sleeper;
  pthread_create(&worker, 0, work, 0);
  pthread_create(&sleeper, 0, sleep_longer, 0);
  usleep(1000);
  printf("%d\\n", done);
  pthread_join(worker, 0);
  pthread_join(sleeper, 0);
  return 0;
}
"""
    # Who waits in a circle for a sleeper does not wait for ever.
    CIRCLE = """
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
static atomic_int done;
static void* work(void* none) { usleep(1000000); done = 1; return none; }
int main(void) {
  pthread_t worker;
  pthread_create(&worker, 0, work, 0);
  while (!done) {}
  return 0;
}
"""

    def emulated(self, text):
        with tempfile.TemporaryDirectory(prefix="treadle-pt-") as work:
            source, program = pathlib.Path(work) / "program.c", f"{work}/program"
            source.write_text(text)
            subprocess.run([TREADLE, "cc", "--record=both", "-O2", source, "-o", program], check=True)
            return subprocess.run([TREADLE, "record", "--emulate-pt", "--recording", f"{work}/r", program], capture_output=True, text=True, timeout=300,
                                  stdin=subprocess.DEVNULL)

    def test_a_delay_is_as_long_for_the_program_as_on_a_real_processor(self):
        done = self.emulated(self.DELAYS)
        self.assertTrue(done.stdout.startswith("1\n"), done.stdout + done.stderr)

    def test_who_waits_in_a_circle_for_a_sleeper_goes_on(self):
        self.assertEqual(self.emulated(self.CIRCLE).returncode, 0)

    def test_gives_the_same_blocks_as_recorded_paths_of_the_same_run(self):
        with tempfile.TemporaryDirectory(prefix="treadle-pt-") as work:
            source = pathlib.Path(work) / "both.cpp"
            source.write_text(self.PROGRAM)
            for level in ["-O0", "-O2"]:
                with self.subTest(level):
                    program, folder = f"{work}/both{level}", f"{work}/both{level}.recording"
                    subprocess.run([TREADLE, "c++", "--record=both", level, source, "-o", program], check=True)
                    done = subprocess.run([TREADLE, "record", "--emulate-pt", "--recording", folder, program], capture_output=True, text=True, timeout=300,
                                          stdin=subprocess.DEVNULL)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    compared = subprocess.run([COMPARE, folder], capture_output=True, text=True, timeout=600)
                    self.assertEqual(compared.returncode, 0, compared.stdout)
                    self.assertRegex(compared.stdout, r"4 threads, \d{3,} blocks and returns, \d+ stretches on 2 cores: the same")


if __name__ == "__main__":
    unittest.main()

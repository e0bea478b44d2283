# SPDX-License-Identifier: Apache-2.0
"""`treadle reproduce`: what was recorded natively fails again, as recorded and each time; what cannot be is said."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

TREADLE = os.environ["TREADLE"]
PROGRAMS = pathlib.Path(os.environ["PROGRAMS"])
CARRIERS = ("reset", "fork", "kernel")

LOST_UPDATE = """
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static int counter;
static void* add(void* none) {
  for (int i = 0; i < 3; i++) { int seen = counter; usleep(100); counter = seen + 1; }
  return none;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, add, 0);
  pthread_create(&b, 0, add, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(counter == 6);
  return 0;
}
"""

TWO_LOCKS = """
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int turns;
static void* work(void* reversed) {
  for (int i = 0; i < 20; i++) {
    pthread_mutex_lock(reversed ? &b : &a);
    usleep(200);
    pthread_mutex_lock(reversed ? &a : &b);
    turns++;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
  }
  return 0;
}
int main(void) {
  pthread_t one, other;
  pthread_create(&one, 0, work, 0);
  pthread_create(&other, 0, work, &turns);
  pthread_join(one, 0);
  pthread_join(other, 0);
  return 0;
}
"""

# A pointer is taken away between the look and the use; which input decides how often it is looked at is part of the recording.
NULL_POINTER = """
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int value = 7, sum;
static int* volatile where = &value;
static void* take_away(void* none) { usleep(2000); where = 0; return none; }
int main(int argc, char** argv) {
  char line[16];
  pthread_t thread;
  pthread_create(&thread, 0, take_away, 0);
  int times = fgets(line, sizeof line, stdin) ? line[0] - '0' : 1;
  for (int i = 0; i < 100 * times; i++)
    if (where) { usleep(argc * 100); sum += *where; }
  pthread_join(thread, 0);
  return 0;
}
"""

# Store buffering. The machine does in the program's place what a store buffer does.
STORE_BUFFERS = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
static atomic_int x, y;
static int r1, r2;
#define get(v) atomic_load_explicit(&(v), memory_order_relaxed)
#define set(v, n) atomic_store_explicit(&(v), n, memory_order_relaxed)
#ifdef TSO_MACHINE
#define set_then_get(a, b, r) r = get(b); usleep(50000); set(a, 1)
#else
#define set_then_get(a, b, r) set(a, 1); r = get(b); usleep(50000)
#endif
static void* first(void* none) { set_then_get(x, y, r1); return none; }
static void* second(void* none) { set_then_get(y, x, r2); return none; }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(r1 + r2 > 0);
  return 0;
}
"""


class InAFolder(unittest.TestCase):
    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="treadle-reproduce-"))
        self.addCleanup(shutil.rmtree, self.work)

    def treadle(self, *words, **more):
        more.setdefault("stdin", subprocess.DEVNULL)
        if "input" in more:
            del more["stdin"]
        return subprocess.run([TREADLE, *map(str, words)], capture_output=True, text=True, timeout=900, cwd=self.work, **more)

    def source(self, text, name="program.c"):
        (self.work / name).write_text(text)
        return name

    def record(self, source, flags="", arguments=(), hangs=False, **more):
        """Until it fails. Only of who is to hang is it asked whether it does: with much else to do a machine may take seconds for anything."""
        shutil.rmtree(self.work / "failing.recording", ignore_errors=True)
        done = self.treadle("record", "--recording", "failing.recording", "--until-fails", 2000, *(("--hang-after", "4s") if hangs else ()), "--cflags", flags,
                            source, *(("--", *arguments) if arguments else ()), **more)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)

    def reproduce(self, *words):
        done = self.treadle("reproduce", "--json", "result.json", "failing.recording", *words)
        return done, json.loads((self.work / "result.json").read_text()) if done.returncode < 2 else None

    def check_reproduced(self, kinds, *words):
        done, result = self.reproduce(*words)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("reproduced under", done.stdout)
        self.assertEqual(len(result["findings"]), 1)
        finding = result["findings"][0]
        self.assertIn(finding["kind"], kinds)
        self.assertTrue(finding["confirmed"])
        return done, finding

    def check_replays(self, finding, times, carrier="reset", *words):
        witness = self.work / finding["witness"]
        for _ in range(times):
            again = self.treadle("replay", "--carrier", carrier, *words, witness)
            self.assertEqual(again.returncode, 1, again.stdout + again.stderr)
            self.assertIn(finding["message"], again.stdout)


class Small(InAFolder):
    def test_a_lost_update_fails_again_on_all_carriers(self):
        self.record(self.source(LOST_UPDATE))
        _, finding = self.check_reproduced({"assertion"})
        for carrier in CARRIERS:
            self.check_replays(finding, 7, carrier)

    def test_a_deadlock_is_the_recorded_one(self):
        self.record(self.source(TWO_LOCKS), hangs=True)
        done, finding = self.check_reproduced({"deadlock"})
        self.check_replays(finding, 3)

    def test_a_null_pointer_is_met_with_the_recorded_input_and_arguments(self):
        self.record(self.source(NULL_POINTER), arguments=["one", "two"], input="3\n")
        _, finding = self.check_reproduced({"null-dereference"})
        self.check_replays(finding, 3, "reset", "--stdin", "failing.recording/stdin")

    def test_programs_built_by_hand_are_led_along_recordings_of_their_other_build(self):
        source = self.source(LOST_UPDATE)
        for build in ("record", "follow"):
            self.assertEqual(self.treadle("cc", f"--{build}", "-O2", source, "-o", build).returncode, 0)
        self.record("./record")
        self.check_reproduced({"assertion"}, "./follow")


class Programs(InAFolder):
    """bench/reproduce.py has all of them, by all back ends, and replays them twenty times on each carrier."""

    def check(self, source, flags, *kinds, provoked=""):
        source = PROGRAMS / source
        self.record(source, f"{flags} {provoked}", hangs="deadlock" in kinds)
        _, finding = self.check_reproduced(set(kinds), *((f"--cflags={flags}", source) if provoked else ()))
        for carrier in CARRIERS:
            self.check_replays(finding, 1, carrier)

    def test_bbuf(self):
        self.check("bbuf.c", "-DDELAY=200", "assertion")

    def test_sbuf(self):
        self.check("sbuf.c", "-DDELAY=1000", "assertion")

    def test_pfscan(self):
        self.check("pfscan.c", "-DDELAY=300", "assertion")

    def test_aget_saves_a_wrong_state(self):
        self.check("aget.c", "-DDELAY=200", "assertion")

    def test_aget_hangs(self):
        self.check("aget.c", "-DDELAY=200 -DDEADLOCK", "deadlock")

    def test_pbzip2(self):
        self.check("pbzip2.cpp", "-DDELAY=300", "use-after-free", "null-dereference", "crash")

    def test_racey_with_a_hundred_iterations(self):
        self.check("racey.c", "-DITERATIONS=100", "assertion", provoked="-DSHUFFLE=30")


class Processor(InAFolder):
    """Recordings of a processor's trace, here of an emulated one. It has a clock of its own: what fails because of a delay does so in the first run."""

    def emulated(self, source, flags="", build="--record=both"):
        shutil.rmtree(self.work / "failing.recording", ignore_errors=True)
        language = "c++" if str(source).endswith(".cpp") else "cc"
        built = self.treadle(language, build, "-O2", *flags.split(), source, "-o", "recorded")
        self.assertEqual(built.returncode, 0, built.stderr)
        done = self.treadle("record", "--emulate-pt", "--recording", "failing.recording", "--until-fails", 20, "--hang-after", "2s", "./recorded")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)

    def check_both_ways(self, source, kinds, flags="", *words):
        """With the order on each core and without it."""
        words = (*words, *([f"--cflags={flags}"] if flags else []), source)
        done, finding = self.check_reproduced(kinds, *words)
        for carrier in CARRIERS:
            self.check_replays(finding, 1, carrier)
        self.check_reproduced(kinds, "--no-core-order", *words)
        return done


class ProcessorAndPaths(Processor):
    def test_the_order_on_each_core_is_known_and_used(self):
        source = self.source(LOST_UPDATE)
        self.emulated(source)
        done = self.check_both_ways(source, {"assertion"})
        self.assertRegex(done.stdout, r"the order on each core: [1-9]\d* times one thread behind another")
        self.assertRegex(done.stdout, r"read-write constraints of the run: \d+ for \d+ reads and \d+ writes; \d+ with the order on each core")

    def test_the_order_on_each_core_leaves_fewer_read_write_constraints(self):
        source = PROGRAMS / "bbuf.c"
        self.emulated(source, "-DDELAY=200")
        self.check_reproduced({"assertion"}, "--no-core-order", "--cflags=-DDELAY=200", source)
        _, finding = self.check_reproduced({"assertion"}, "--cflags=-DDELAY=200", source)
        for carrier in CARRIERS:
            self.check_replays(finding, 1, carrier)
        figures = json.loads((self.work / "result.json").read_text())["figures"]
        self.assertLess(figures["read_write_constraints_with_core_order"], 0.718 * figures["read_write_constraints"])  # the seed: 28.2 % fewer

    def test_the_bakery_on_a_machine_with_store_buffers_is_explained_by_tso(self):
        source = PROGRAMS / "bakery.c"
        self.emulated(source, "-DDELAY=50 -DTSO_MACHINE=20000")
        done = self.check_both_ways(source, {"assertion"}, "-DDELAY=50")
        self.assertIn("reproduced under TSO", done.stdout)


class ProcessorAlone(Processor):
    def test_a_lost_update(self):
        source = self.source(LOST_UPDATE)
        self.emulated(source, build="--record=pt")
        self.check_both_ways(source, {"assertion"})

    def test_sbuf(self):
        source = PROGRAMS / "sbuf.c"
        self.emulated(source, "-DDELAY=1000", "--record=pt")
        self.check_both_ways(source, {"assertion"}, "-DDELAY=1000")

    def test_a_hang_is_the_recorded_one(self):
        source = self.source(TWO_LOCKS)
        self.emulated(source, build="--record=pt")
        self.check_both_ways(source, {"deadlock"})

    def test_packets_that_are_missing_are_noticed(self):
        source = self.source(LOST_UPDATE)
        self.emulated(source, build="--record=pt")
        packets = self.work / "failing.recording/pt-0"
        packets.write_bytes(packets.read_bytes()[:-40])
        done = self.treadle("reproduce", "failing.recording", source)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertRegex(done.stderr, r"pt-0: it has \d+ bytes and should have \d+")

    def test_a_recording_that_leaves_the_paths_to_no_processor_is_refused(self):
        source = self.source("int main(void) { __builtin_trap(); }\n")
        self.assertEqual(self.treadle("cc", "--record=pt", source, "-o", "recorded").returncode, 0)
        self.assertEqual(self.treadle("record", "--recording", "failing.recording", "./recorded").returncode, 1)
        done = self.treadle("reproduce", "failing.recording", source)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("the recording tells of no paths", done.stderr)


class ProcessorAloneModels(Processor):
    def test_what_a_store_buffer_did_is_explained_by_tso(self):
        source = PROGRAMS / "peterson.c"
        self.emulated(source, "-DDELAY=50 -DTSO_MACHINE=20000", "--record=pt")
        done = self.check_both_ways(source, {"assertion"}, "-DDELAY=50")
        self.assertIn("reproduced under TSO", done.stdout)

    def test_the_bug_of_figure_6_1_needs_pso(self):
        source = PROGRAMS / "fig_6_1.c"
        self.emulated(source, "-DPSO_MACHINE=20000", "--record=pt")
        self.check_reproduced({"assertion"}, "--model", "pso", source)
        for model in ("sc", "tso"):
            done, _ = self.reproduce("--model", model, source)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn(f"unreachable under {model.upper()}", done.stdout)


# A thread computes for a while, all by itself; -DFAILS: and then uses what others have spoilt. -DMAIN: so does main.
LONG_BEFORE = """
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static int counter, steps;
static volatile int rounds = 30000;
static int collatz(unsigned n) { int count = 0; while (n != 1) { if (n & 1) n = 3 * n + 1; else n /= 2; ++count; } return count; }
static int compute(void) { int sum = 0; for (int i = 1; i < rounds; i++) sum += collatz(i); return sum; }
static void* add(void* none) { for (int i = 0; i < 2; i++) { int seen = counter; usleep(1000); counter = seen + 1; } return none; }
static void* work(void* none) {
  steps = compute();
#ifdef FAILS
  assert(counter == 4);
#endif
  return none;
}
int main(void) {
  pthread_t a, b, c;
#ifdef MAIN
  assert(compute() < 0);
#endif
  pthread_create(&c, 0, work, 0);
  pthread_create(&a, 0, add, 0);
  pthread_create(&b, 0, add, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  pthread_join(c, 0);
  assert(counter == 4);
  return 0;
}
"""


class Partial(InAFolder):
    """What is missing from a recording is said, and the rest is followed."""

    def last(self, source, flags=""):
        shutil.rmtree(self.work / "failing.recording", ignore_errors=True)
        done = self.treadle("record", "--last", "0.001s", "--recording", "failing.recording", "--until-fails", 50, "--hang-after", "30s", "--cflags", flags, source)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        return done.stdout

    def test_the_last_seconds_of_a_short_run_are_all_of_it(self):
        self.assertNotIn("begins in the middle", self.last(self.source(LOST_UPDATE)))
        done, finding = self.check_reproduced({"assertion"})
        self.assertIn("all 3 threads on their recorded ways", done.stdout)

    def test_threads_whose_beginning_is_gone_are_left_to_themselves(self):
        self.assertIn("thread 0.1 begins in the middle", self.last(self.source(LONG_BEFORE)))
        done, finding = self.check_reproduced({"assertion"})
        self.assertIn("3 of 4 threads on their recorded ways", done.stdout)
        self.assertIn("of thread 0.1 only the last seconds were kept", done.stdout)
        self.check_replays(finding, 2)

    def test_a_failure_of_such_a_thread_is_known_by_what_failed(self):
        self.last(self.source(LONG_BEFORE), "-DFAILS")
        done, finding = self.check_reproduced({"assertion"})
        self.assertIn("of thread 0.1 only the last seconds were kept", done.stdout)
        self.assertIn("counter == 4", finding["message"])
        self.check_replays(finding, 2)

    def test_when_nothing_is_left_to_follow_that_is_said(self):
        self.last(self.source(LONG_BEFORE), "-DMAIN")
        done, _ = self.reproduce()
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("no thread can be led along this recording: of thread 0 only the last seconds were kept", done.stderr)

    def test_libraries_that_were_not_built_with_treadle_are_named(self):
        (self.work / "plain.c").write_text("int twice(int (*f)(int), int x) { return f(f(x)); }\n")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.work / "libplain.so", self.work / "plain.c"], check=True)
        source = self.source(LOST_UPDATE.replace("counter = seen + 1", "counter = twice(half, seen)")
                             .replace("static void* add", "int twice(int (*)(int), int);\nstatic int turn;\nstatic int half(int x) { return ++turn % 2 ? x : x + 1; }\nstatic void* add"))
        libraries = ["-L.", "-lplain", f"-Wl,-rpath,{self.work}"]
        for build in ("record", "follow"):
            built = self.treadle("cc", f"--{build}", "-O2", source, "-o", build, *libraries)
            self.assertEqual(built.returncode, 0, built.stderr)
        self.record("./record")
        done, finding = self.check_reproduced({"assertion"}, "./follow")
        self.assertIn("libplain.so was not built with Treadle", done.stdout)
        self.check_replays(finding, 2)


class Models(InAFolder):
    def unreachable(self, model, *words):
        done, result = self.reproduce("--model", model, *words)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(f"unreachable under {model.upper()}", done.stdout)
        self.assertEqual(result["verdict"], "clean")

    def test_the_bug_of_figure_6_1_needs_pso(self):
        source = PROGRAMS / "fig_6_1.c"
        self.record(source, "-DPSO_MACHINE=20000")
        self.unreachable("sc", source)
        self.unreachable("tso", source)
        self.check_reproduced({"assertion"}, "--model", "pso", source)

    def test_store_buffering_needs_tso_and_gets_it_unasked(self):
        source = self.source(STORE_BUFFERS)
        self.record(source, "-DTSO_MACHINE")
        self.unreachable("sc", source)
        done, _ = self.check_reproduced({"assertion"}, source)
        self.assertIn("reproduced under TSO", done.stdout)


class Refusals(InAFolder):
    def refuses(self, sentence, *words):
        done = self.treadle("reproduce", *words)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn(sentence, done.stderr)
        return done

    def test_what_did_not_fail_cannot_be_reproduced(self):
        source = self.source("int main(void) { return 0; }\n")
        self.assertEqual(self.treadle("record", "--recording", "fine.recording", source).returncode, 0)
        self.refuses("the recorded run did not fail", "fine.recording")

    def test_another_program_is_told_from_the_recorded_one(self):
        self.record(self.source(LOST_UPDATE))
        self.refuses("the recording is of another program", "failing.recording", self.source(LOST_UPDATE.replace("i < 3", "i < 3 && seen >= 0")
                     .replace("int i = 0;", "int i = 0, seen = 0;"), "other.c"))
        self.source(LOST_UPDATE.replace("if (", "if("))
        self.source("\n" + LOST_UPDATE)  # the same, a line further down: edited since
        self.refuses("the recording is of another program", "failing.recording")

    def test_programs_of_the_wrong_kind_are_refused(self):
        source = self.source(LOST_UPDATE)
        self.record(source)
        for kind, flags in (("plain", []), ("record", ["--record"])):
            self.assertEqual(self.treadle("cc", *flags, source, "-o", kind).returncode, 0)
        self.refuses("cannot be led along a recording", "failing.recording", "plain")
        self.refuses("is built to be recorded", "failing.recording", "record")

    def test_a_recording_without_the_thread_that_failed_is_followed_by_the_others(self):
        self.record(self.source(LOST_UPDATE))
        (self.work / "failing.recording/thread-0").unlink()
        done, finding = self.check_reproduced({"assertion"})
        self.assertIn("2 of 3 threads on their recorded ways", done.stdout)
        self.assertIn("nothing is known about thread number 0", done.stdout)
        self.check_replays(finding, 1)

    def test_damaged_recordings_are_refused_or_followed_as_far_as_they_go(self):
        self.record(self.source(LOST_UPDATE))
        folder = self.work / "failing.recording"
        self.refuses("is not a recording", "nowhere.recording")
        for name in sorted(path.name for path in folder.iterdir()):
            whole = (folder / name).read_bytes()
            for damaged in (whole[: len(whole) // 2], whole[:40] + bytes([whole[40] ^ 0x55]) + whole[41:] if len(whole) > 41 else b"", b""):
                (folder / name).write_bytes(damaged)
                done = self.treadle("reproduce", "--max-time", "1s", "failing.recording")
                self.assertIn(done.returncode, (0, 1, 2), f"{name}: {done.stderr}")
                if done.returncode == 2:
                    self.assertTrue(done.stderr.startswith("treadle: ") or "not reproduced" in done.stdout, f"{name}: {done.stderr}")
            (folder / name).write_bytes(whole)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""How many executions a search over paths takes: one for each path, and for each place where threads wait for ever."""
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

TREADLE = os.environ["TREADLE"]
PROGRAMS = pathlib.Path(__file__).resolve().parent.parent.parent / "bench" / "programs" / "mpc"

HEAD = """#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <treadle/treadle.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t b;
static sem_t s;
static atomic_int x;
"""
MAIN = """
int main(void) {
  pthread_barrier_init(&b, 0, 2);
  sem_init(&s, 0, 0);
  pthread_t one, two;
  pthread_create(&one, 0, first, 0), pthread_create(&two, 0, second, 0);
  %s
  pthread_join(one, 0), pthread_join(two, 0);
  pthread_barrier_destroy(&b), sem_destroy(&s);
  return 0;
}
"""


def threads(first, second, main=""):
    bodies = "".join(f"static void* {name}(void* unused) {{\n  {body}\n  return unused;\n}}\n" for name, body in (("first", first), ("second", second)))
    return HEAD + bodies + MAIN % main


class Executions(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.work = pathlib.Path(self.folder.name)

    def result(self, text, *options):
        (self.work / "program.c").write_text(text)
        command = [TREADLE, "check", "--json", "-", "--strategy", "mpc", "--keep-going", *options, "program.c"]
        run = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=self.work)
        self.assertIn(run.returncode, (0, 1), run.stdout + run.stderr)
        return json.loads(run.stdout)

    def check(self, text):
        """-> (executions, kinds of findings)"""
        result = self.result(text)
        self.assertNotIn("not what follows", result["covers"])
        self.assertNotIn("should have been possible", result["covers"])
        return result["executions"], sorted(f["kind"] for f in result["findings"])

    def test_several_jobs_take_no_more_executions_and_hardly_more_questions(self):
        # Of 6 threads each decides for itself: an answer of one execution may be the same path as most others.
        text = (PROGRAMS / "fig_2.c").read_text()
        how = ("--races", "explore", "--cflags", f"-DEXTRA=5 -I{PROGRAMS}")
        one, three = (self.result(text, *how, "--jobs", jobs) for jobs in ("1", "3"))
        self.assertEqual((one["paths"], one["executions"]), (196, 196))
        self.assertEqual((three["paths"], three["executions"]), (196, 196))
        self.assertLess(three["solver"]["queries"], 2 * one["solver"]["queries"])

    def test_who_is_last_at_a_barrier_is_no_path_when_nobody_asks(self):
        self.assertEqual(self.check(threads("pthread_barrier_wait(&b);", "pthread_barrier_wait(&b);")), (1, []))

    def test_who_is_last_at_a_barrier_is_one_when_somebody_does(self):
        asks = "if (pthread_barrier_wait(&b) != 0) x = 1;"
        self.assertEqual(self.check(threads(asks, "pthread_barrier_wait(&b);")), (2, []))
        self.assertEqual(self.check(threads(asks, asks)), (2, []))

    def test_a_thread_that_holds_a_lock_at_a_barrier_is_found(self):
        holds = "pthread_mutex_lock(&m); pthread_barrier_wait(&b); pthread_mutex_unlock(&m);"
        needs = "pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_barrier_wait(&b);"
        for one, two in ((holds, needs), (needs, holds)):
            executions, found = self.check(threads(one, two))
            self.assertEqual(found, ["deadlock"])
            self.assertLessEqual(executions, 2)

    def test_every_count_of_a_semaphore_is_met(self):
        looks = "int v; sem_getvalue(&s, &v); assert(v != 1);"
        self.assertEqual(self.check(threads("sem_post(&s);", "sem_post(&s);", looks))[1], ["assertion"])
        self.assertEqual(self.check(threads("sem_post(&s);", "sem_wait(&s);", looks))[1], ["assertion"])
        never = "int v; sem_getvalue(&s, &v); assert(v <= 2 && v >= 0); if (v == 3) x = 1;"
        self.assertEqual(self.check(threads("sem_post(&s);", "sem_post(&s);", never)), (3, []))

    def test_who_is_cut_off_by_a_crash_is_followed_to_the_end_at_once(self):
        # In the C library nobody waits; in the program's own code a crash lets the others go first.
        for crash, needed in (("char *volatile none = 0; x = (int)__builtin_strlen(none);", 2), ("*(volatile int*)8 = 1;", 1)):
            executions, found = self.check(threads("sem_post(&s);", "sem_post(&s);", crash))
            self.assertEqual((executions, len(found)), (needed, 1), found)

    def test_who_fails_lets_the_others_go_first(self):
        self.assertEqual(self.check(threads("x = 1;", "x = 2; x = 3;", "assert(x == 7);")), (1, ["assertion"]))
        self.assertEqual(self.check(threads("x = 1;", "x = 2; x = 7;", "assert(x == 7);")), (2, ["assertion"]))
        self.assertEqual(self.check(threads("sem_post(&s);", "sem_post(&s);", "assert(&s == 0);")), (1, ["assertion"]))
        self.assertEqual(self.check(threads("sem_post(&s);", "abort();")), (1, ["assertion"]))

    def test_who_would_have_failed_next_fails_in_another_execution(self):
        fails = "x = 5; assert(&s == 0);"
        self.assertEqual(self.check(threads("sem_post(&s);", fails, fails)), (2, ["assertion"] * 2))
        self.assertEqual(self.check(threads(fails, fails, fails)), (3, ["assertion"] * 3))
        self.assertEqual(self.check(threads("x = 1;", "assert(x == 0);", "assert(x == 1);"))[1], ["assertion"] * 2)
        self.assertEqual(self.check(threads("treadle_assume(0);", "assert(x == 0 && &s == 0);"))[1], ["assertion"])

    def test_nobody_waits_for_ever_to_fail(self):
        """The others never stop by themselves."""
        rounds = "while (atomic_load(&x) < 1000000) { atomic_fetch_add(&x, 1); atomic_fetch_sub(&x, 1); }"
        self.assertEqual(self.check(threads(rounds, "", "assert(&s == 0);"))[1], ["assertion"])

    def test_a_race_that_is_met_before_somebody_fails_is_seen_again(self):
        text = threads("y = 1;", "y = 2;", "assert(&s == 0);").replace("static atomic_int x;", "static atomic_int x;\nstatic int y;")
        self.assertEqual(self.check(text)[1], ["assertion", "data-race"])
        for witness in self.work.glob("**/*.witness"):
            run = subprocess.run([TREADLE, "replay", witness], capture_output=True, text=True, timeout=300, cwd=self.work)
            self.assertEqual(run.returncode, 1, run.stdout + run.stderr)

    def test_a_signal_that_comes_too_early(self):
        waits = "pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);"
        signals = "pthread_mutex_lock(&m); pthread_cond_signal(&c); pthread_mutex_unlock(&m);"
        executions, found = self.check(threads(waits, signals))
        self.assertEqual(found, ["lost-wakeup"])
        self.assertLessEqual(executions, 2)

    def test_what_follows_a_signal_in_the_same_step(self):
        waits = "pthread_mutex_lock(&m); if (x == 0) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);"
        signals = """pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m);
  pthread_cond_signal(&c);
  if (treadle_input_bool("i")) treadle_observe("i", 1);"""
        self.assertEqual(self.check(threads(waits, signals)), (4, []))


class LongRuns(unittest.TestCase):
    """What an execution of 80,000 steps implies takes far longer than there is time: nobody waits for that."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.work = pathlib.Path(self.folder.name)
        adds = "for (int i = 0; i < 40000; ++i) atomic_fetch_add(&x, 1);"
        looks = "for (int i = 0, n = treadle_input_int(\"n\"); i < 40000; ++i) if (atomic_load(&x) == n) atomic_fetch_add(&x, 2);"
        (self.work / "program.c").write_text(threads(adds, looks))
        subprocess.run([TREADLE, "cc", "--symbolic", "-O1", "-g", "program.c", "-o", "program", "-pthread"], check=True, cwd=self.work)
        self.command = [TREADLE, "check", "--json", "result.json", "--strategy", "mpc"]

    @staticmethod
    def thought_for(pid):
        return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11]) / os.sysconf("SC_CLK_TCK")

    def thinks(self, limit, interrupted_after=None):
        """-> what is covered. Seconds are the processor's: the machine may have other things to do."""
        run = subprocess.Popen([*self.command, "--max-time", limit, "program"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.work)
        if interrupted_after is not None:
            while self.thought_for(run.pid) < interrupted_after:
                time.sleep(0.1)
            run.send_signal(signal.SIGINT)
        _, status, spent = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
        self.assertLess(spent.ru_utime + spent.ru_stime, 9)  # more than 20 when it thinks to the end
        result = json.loads((self.work / "result.json").read_text())
        self.assertEqual(result["verdict"], "incomplete")
        return result["covers"]

    def test_the_time_limit_holds_while_it_thinks(self):
        self.assertIn("the time limit of 2 s is reached", self.thinks("2s"))

    def test_so_does_an_interruption(self):
        self.assertIn("interrupted", self.thinks("10m", interrupted_after=2))


if __name__ == "__main__":
    unittest.main()

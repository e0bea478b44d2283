# SPDX-License-Identifier: Apache-2.0
"""What has no model of order is searched schedule by schedule, for each class of inputs: twins, one of which fails for one value of its
input in one order, and one that does not and is clean for all inputs and all schedules."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

TREADLE = os.environ["TREADLE"]

HEAD = """#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <treadle/treadle.h>
#ifdef FIXED
enum { fixed = 1 };
#else
enum { fixed = 0 };
#endif
static atomic_int x, y;
static int in;
"""

# Two threads write a byte each, and what main reads depends on who was first.
DESCRIPTORS = """
static int ends[2];
static void* first(void* unused) {
  char byte = 1;
  assert(write(ends[1], &byte, 1) == 1);
  return unused;
}
static void* second(void* unused) {
  char byte = 2;
  if (in > 1000) x = in - 1000;
  assert(write(ends[1], &byte, 1) == 1);
  return unused;
}
int main(void) {
  in = treadle_input_int("in");
  assert(%s == 0);
  pthread_t one, two;
  pthread_create(&one, 0, first, 0), pthread_create(&two, 0, second, 0);
  char byte[2];
  assert(read(ends[0], &byte[0], 1) == 1 && read(ends[0], &byte[1], 1) == 1);
  assert(fixed || !(byte[0] == 2 && x == 34));
  pthread_join(one, 0), pthread_join(two, 0);
  close(ends[0]), close(ends[1]);
  return 0;
}
"""
PIPE = DESCRIPTORS % "pipe(ends)"
SOCKETS = DESCRIPTORS % "socketpair(AF_UNIX, SOCK_STREAM, 0, ends)"

EVENTS = """
static int events;
static void* adds(void* amount) {
  const uint64_t more = (uintptr_t)amount;
  assert(write(events, &more, 8) == 8);
  if (more == 2) x = in;
  return 0;
}
int main(void) {
  in = treadle_input_int("in");
  events = eventfd(0, 0);
  pthread_t one, two;
  pthread_create(&one, 0, adds, (void*)1), pthread_create(&two, 0, adds, (void*)2);
  uint64_t sum = 0, more = 0;
  while (sum < 3) {
    assert(read(events, &more, 8) == 8);
    sum += more;
    if (sum == 2) assert(fixed || x * 3 != 51);
  }
  pthread_join(one, 0), pthread_join(two, 0);
  close(events);
  return 0;
}
"""

SIGNALS = """
static void handler(int number) {
  (void)number;
  if (y == 1 && in == 77) x = fixed ? 0 : 1;
}
static void* first(void* unused) {
  y = 1;
  y = 0;
  assert(x == 0);
  return unused;
}
int main(void) {
  in = treadle_input_int("in");
  signal(SIGUSR1, handler);
  pthread_t one;
  pthread_create(&one, 0, first, 0);
  pthread_kill(one, SIGUSR1);
  pthread_join(one, 0);
  return 0;
}
"""

CANCELLATION = """
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void cleanup(void* unused) {
  (void)unused;
  if (x == 1 && in == -5) y = fixed ? 0 : 1;
}
static void* first(void* unused) {
  pthread_cleanup_push(cleanup, 0);
  x = 1;
  pthread_testcancel();
  x = 2;
  pthread_testcancel();
  pthread_cleanup_pop(0);
  return unused;
}
int main(void) {
  in = treadle_input_int("in");
  pthread_t one;
  pthread_create(&one, 0, first, 0);
  pthread_cancel(one);
  pthread_join(one, 0);
  assert(y == 0);
  return 0;
}
"""

CLOCK = """
static void* first(void* unused) {
  if (in == 9) x = 1;
  y = 1;
  return unused;
}
int main(void) {
  in = treadle_input_int("in");
  struct timespec before, after;
  clock_gettime(CLOCK_MONOTONIC, &before);
  pthread_t one;
  pthread_create(&one, 0, first, 0);
  struct pollfd nothing = {-1, POLLIN, 0};
  const int ready = poll(&nothing, 1, 10);
  clock_gettime(CLOCK_MONOTONIC, &after);
  if (ready == 0 && after.tv_nsec != before.tv_nsec && x == 1 && y == 0) assert(fixed);
  pthread_join(one, 0);
  return 0;
}
"""

# Three threads at a barrier of two, in pairs: whoever comes last waits for main.
BARRIER = """
static pthread_barrier_t b;
static void* first(void* unused) {
  pthread_barrier_wait(&b);
  x = x * 2 + in;
  return unused;
}
int main(void) {
  in = treadle_input_int("in");
  pthread_barrier_init(&b, 0, 2);
  pthread_t one, two, three;
  pthread_create(&one, 0, first, 0), pthread_create(&two, 0, first, 0), pthread_create(&three, 0, first, 0);
  pthread_barrier_wait(&b);
  pthread_join(one, 0), pthread_join(two, 0), pthread_join(three, 0);
  pthread_barrier_destroy(&b);
  assert(fixed || x != 70);  // 7 times 10, and only in some orders: 1, 3 or 7 times in, or more is lost
  return 0;
}
"""

RELOCK = """
static pthread_mutex_t m;
static void* first(void* unused) {
  pthread_mutex_lock(&m);
  x = in;
  if (x > 100) y = pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  return unused;
}
static void* second(void* unused) {
  const int busy = pthread_mutex_trylock(&m);
  if (busy == 0) pthread_mutex_unlock(&m);
  if (busy == EBUSY && y == EDEADLK && x == 123) assert(fixed);
  return unused;
}
int main(void) {
  in = treadle_input_int("in");
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&m, &kind);
  pthread_t one, two;
  pthread_create(&one, 0, first, 0), pthread_create(&two, 0, second, 0);
  pthread_join(one, 0), pthread_join(two, 0);
  pthread_mutex_destroy(&m);
  pthread_mutexattr_destroy(&kind);
  return 0;
}
"""

ONCE = """#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>
#include <treadle/treadle.h>
#ifdef FIXED
constexpr bool fixed = true;
#else
constexpr bool fixed = false;
#endif
static std::once_flag once;
static std::atomic<int> tries, done_by;
static int in;
static void tries_it(int who) {
  try {
    std::call_once(once, [who] {
      if (tries++ == 0 && in > 50) throw 1;
      done_by = who;
    });
  } catch (int) {
  }
}
int main() {
  in = treadle_input_int("in");
  std::thread one(tries_it, 1), two(tries_it, 2);
  one.join(), two.join();
  if (in == 60 && done_by == 1) assert(fixed);
}
"""

LOST = """
static int ends[2];
static void* first(void* unused) {
  assert(write(ends[1], &in, sizeof in) == sizeof in);
  return unused;
}
int main(void) {
  in = treadle_input_int("in");
  assert(pipe(ends) == 0);
  pthread_t one;
  pthread_create(&one, 0, first, 0);
  int got = 0;
  assert(read(ends[0], &got, sizeof got) == sizeof got);
  assert(got != 123456789);
  pthread_join(one, 0);
  return 0;
}
"""

NO_INPUTS = """
static int ends[2];
static void* first(void* name) {
  assert(write(ends[1], name, 1) == 1);
  return 0;
}
int main(void) {
  assert(pipe(ends) == 0);
  pthread_t one, two;
  pthread_create(&one, 0, first, "1"), pthread_create(&two, 0, first, "2");
  char byte[2];
  assert(read(ends[0], &byte[0], 1) == 1 && read(ends[0], &byte[1], 1) == 1);
  assert(fixed || byte[0] == '1');
  pthread_join(one, 0), pthread_join(two, 0);
  return 0;
}
"""

# Whoever is first fails, in the first execution, too; and others have still much to do then.
FAILS_FIRST = """
static int ends[2];
static void* first(void* name) {
  x = 1;
  assert(write(ends[1], name, 1) == 1);
  x = 2;
  return 0;
}
int main(void) {
  assert(pipe(ends) == 0);
  pthread_t one, two;
  pthread_create(&one, 0, first, "1"), pthread_create(&two, 0, first, "2");
  char byte[2];
  assert(read(ends[0], &byte[0], 1) == 1);
  assert(byte[0] != '1');
  assert(x != 1);
  assert(read(ends[0], &byte[1], 1) == 1);
  pthread_join(one, 0), pthread_join(two, 0);
  return 0;
}
"""

# The first executions meet nothing that has no model of order.
MET_LATE = """
static int ends[2];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void* first(void* name) {
  pthread_mutex_lock(&m);
  const int was = x;
  x = was + 1;
  pthread_mutex_unlock(&m);
  if (was == 1 && y == 0 && *(char*)name == '1') {
    assert(write(ends[1], name, 1) == 1);
    y = 1;
  }
  return 0;
}
int main(void) {
  assert(pipe(ends) == 0);
  pthread_t one, two;
  pthread_create(&one, 0, first, "1"), pthread_create(&two, 0, first, "2");
  if (x == 1) y = 5;
  pthread_join(one, 0), pthread_join(two, 0);
  char byte;
  if (y == 1) assert(fixed || read(ends[0], &byte, 1) == 0);
  return 0;
}
"""

# A cancellation point has a model as long as nobody is cancelled.
CANCELLED_LATE = """
static void* first(void* unused) {
  x = 1;
  if (y) x = 2;
  pthread_testcancel();
  x = 3;
  return unused;
}
static void* second(void* unused) {
  y = 1;
  if (x == 2) y = 2;
  return unused;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, first, 0), pthread_create(&two, 0, second, 0);
  if (y == 2) pthread_cancel(one);
  pthread_join(one, 0), pthread_join(two, 0);
  assert(fixed || !(y == 2 && x == 2));
  return 0;
}
"""

FUTEX_AND_CANCELLED_LATE = "#include <linux/futex.h>\n#include <sys/syscall.h>\n" + CANCELLED_LATE.replace(
    "pthread_testcancel()", "syscall(SYS_futex, &x, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0)")
BLOCK_AND_CANCELLED_LATE = "#include <stdlib.h>\n" + CANCELLED_LATE.replace("pthread_testcancel();", "char* volatile block = malloc(1 << 20); free(block);")

# Nobody asks for an input in the first execution.
ASKS_LATE = """
static int ends[2];
static void* first(void* unused) {
  char byte = 1;
  if (x == 1 && treadle_input_range("late", 0, 9) == 7) byte = 2;
  assert(write(ends[1], &byte, 1) == 1);
  return unused;
}
int main(void) {
  assert(pipe(ends) == 0);
  pthread_t one;
  pthread_create(&one, 0, first, 0);
  x = 1;
  x = 2;
  char byte;
  assert(read(ends[0], &byte, 1) == 1);
  assert(fixed || byte != 2);
  pthread_join(one, 0);
  return 0;
}
"""

# What is not there for all inputs, and only in some orders: a second one is asked for.
ASKS_AGAIN = """
static int ends[2];
static void* first(void* unused) {
  char byte = 1;
  if (x == 0 && in == 3) byte = treadle_input_range("more", 10, 20) == 17 ? 99 : 2;
  assert(write(ends[1], &byte, 1) == 1);
  return unused;
}
int main(void) {
  in = treadle_input_range("in", 0, 5);
  assert(pipe(ends) == 0);
  pthread_t one;
  pthread_create(&one, 0, first, 0);
  x = 1;
  char byte;
  assert(read(ends[0], &byte, 1) == 1);
  assert(fixed || byte != 99);
  pthread_join(one, 0);
  return 0;
}
"""

ASSUMES = """
static int ends[2];
static void* first(void* unused) {
  char byte = (char)(in > 7);
  assert(write(ends[1], &byte, 1) == 1);
  return unused;
}
int main(void) {
  in = treadle_input_int("in");
  treadle_assume(in > 5);
  treadle_assume(in < 10);
  assert(pipe(ends) == 0);
  pthread_t one;
  pthread_create(&one, 0, first, 0);
  char byte;
  assert(read(ends[0], &byte, 1) == 1);
  if (byte == 1) assert(fixed || in != 9);
  pthread_join(one, 0);
  return 0;
}
"""


CARRIES = r"""
static atomic_int flag;
static int step;
static void* waits(void* unused) {
  int i = 0;
  while (!atomic_load(&flag)) {
#ifndef FIXED
    i += step;
#endif
  }
  assert(i < 3);
  return unused;
}
int main(void) {
  step = treadle_input_range("in", 0, 1);
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  pthread_t t;
  pthread_create(&t, NULL, waits, NULL);
  atomic_store(&flag, 1);
  return pthread_join(t, NULL);
}
"""


DESTROYS = """
#include <semaphore.h>
static sem_t done;
static void* first(void* unused) {
  sem_post(&done);
  return unused;
}
int main(void) {
  sem_init(&done, 0, 1);
  pthread_t one;
  pthread_create(&one, 0, first, 0);
  in = treadle_input_range("in", 0, 9);
  sem_wait(&done);
  if (in == 7 && !fixed) sem_destroy(&done);
  pthread_join(one, 0);
  if (in != 7 || fixed) sem_destroy(&done);
  return 0;
}
"""


FREES = """
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int* block;
static void use(void) { pthread_mutex_lock(&lock), block[0] = 1, pthread_mutex_unlock(&lock); }
static void* first(void* unused) {
  pthread_mutex_lock(&lock), free(block), pthread_mutex_unlock(&lock);
  return unused;
}
int main(void) {
  block = malloc(sizeof *block);
  if (fixed) use();
  pthread_t one;
  pthread_create(&one, 0, first, 0);
  if (!fixed) use();
  pthread_join(one, 0);
  return 0;
}
"""


class Base(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.work = pathlib.Path(self.folder.name)

    def check(self, text, *options, fixed=False, head=HEAD, name="program.c", strategy="mpc"):
        (self.work / name).write_text(head + text)
        command = [TREADLE, "check", "--json", "-", "--strategy", strategy, "--keep-going", *options]
        command += ["--cflags", "-DFIXED" if fixed else "-UFIXED", name]
        run = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=self.work)
        self.assertIn(run.returncode, (0, 1), run.stdout + run.stderr)
        return json.loads(run.stdout)

    def twins(self, text, because, *options, inputs=None, **how):
        """The first one has a bug, with these values of inputs; the second has none. Both are looked at for all schedules and inputs."""
        bug = self.check(text, *options, **how)
        self.assertEqual([f["kind"] for f in bug["findings"]], ["assertion"], bug["covers"])
        if inputs is not None:
            self.assertEqual({i["name"]: i["value"] for i in bug["findings"][0]["inputs"]}, inputs)
        clean = self.check(text, *options, fixed=True, **how)
        self.assertEqual((clean["verdict"], clean["findings"]), ("clean", []), clean["covers"])
        for result in (bug, clean):
            self.assertRegex(result["covers"], "^all schedules under [A-Z]+ and all inputs,.* by [0-9]+ path")
            self.assertIn(because, result["covers"])
            self.assertNotIn("not what follows", result["covers"])
            self.assertNotIn("not looked for", result["covers"])
        return bug, clean


class NoModelOfOrder(Base):
    def test_a_pipe_between_threads(self):
        self.twins(PIPE, "because of operations on file descriptors", inputs={"in": 1034})

    def test_a_pair_of_sockets(self):
        self.twins(SOCKETS, "because of operations on file descriptors", inputs={"in": 1034})

    def test_a_counter_of_events(self):
        self.twins(EVENTS, "because of operations on file descriptors")

    def test_signals(self):
        self.twins(SIGNALS, "because of signals", inputs={"in": 77})

    def test_cancellation(self):
        self.twins(CANCELLATION, "because of cancellation", inputs={"in": -5})

    def test_the_clock(self):
        self.twins(CLOCK, "reading the clock", inputs={"in": 9})

    def test_a_barrier_that_more_threads_use_than_it_waits_for(self):
        self.twins(BARRIER, "a barrier that more threads use than it waits for")

    def test_a_lock_operation_that_fails(self):
        self.twins(RELOCK, "a lock operation that fails", inputs={"in": 123})

    def test_an_object_that_is_destroyed_while_others_may_still_use_it(self):
        bug, clean = self.check(DESTROYS), self.check(DESTROYS, fixed=True)
        self.assertEqual([f["kind"] for f in bug["findings"]], ["misuse"], bug["covers"])
        self.assertIn("while others may still use it", bug["covers"])
        self.assertEqual((clean["verdict"], clean["findings"], clean["executions"]), ("clean", [], 2), clean["covers"])
        self.assertNotIn("because of", clean["covers"])

    def test_memory_that_is_freed_while_others_may_still_use_it(self):
        bug, clean = self.check(FREES), self.check(FREES, fixed=True)
        self.assertEqual([f["kind"] for f in bug["findings"]], ["use-after-free"], bug["covers"])
        self.assertIn("freed while others may still use it", bug["covers"])
        self.assertEqual((clean["verdict"], clean["findings"], clean["executions"]), ("clean", [], 1), clean["covers"])

    def test_an_initialiser_that_throws(self):
        self.twins(ONCE, "because of", inputs={"in": 60}, head="", name="program.cpp")


class WithoutInputs(Base):
    """No more executions than by `value`: what was executed by paths, before it was known that they do not do, is not executed again."""

    def compare(self, text, *options, **how):
        text = re.sub(r"treadle_input_int\(\"in\"\)", "77", text)
        for fixed in (False, True):
            by = {strategy: self.check(text, *options, strategy=strategy, fixed=fixed, **how) for strategy in ("value", "mpc")}
            found = {strategy: sorted((f["kind"], f["location"]["line"]) for f in result["findings"]) for strategy, result in by.items()}
            self.assertEqual(found["mpc"], found["value"])
            self.assertEqual(by["mpc"]["verdict"], by["value"]["verdict"])
            self.assertLessEqual(by["mpc"]["executions"], by["value"]["executions"], by["mpc"]["covers"])
            self.assertIn("because of", by["mpc"]["covers"])
            self.assertNotIn("classes of inputs", by["mpc"]["covers"])
        return by["mpc"]

    def test_no_more_executions_than_by_value(self):
        programs = {"a pipe": PIPE, "sockets": SOCKETS, "events": EVENTS, "signals": SIGNALS, "cancellation": CANCELLATION, "the clock": CLOCK,
                    "orders": NO_INPUTS, "the first execution fails": FAILS_FIRST, "not the first execution": MET_LATE,
                    "cancelled late": CANCELLED_LATE, "a futex": FUTEX_AND_CANCELLED_LATE, "a large block": BLOCK_AND_CANCELLED_LATE}
        for name, text in programs.items():
            for options in ((), ("--races", "explore"), ("--model", "pso", "--races", "explore")):
                with self.subTest(name, options=options):
                    self.compare(text, *options)

    def test_what_value_knows_to_be_the_same_is_not_executed(self):
        """Several thousand, when each schedule that differs is run."""
        self.assertLess(self.compare(BARRIER)["executions"], 100)

    def test_more_jobs_make_no_more_executions(self):
        for text in (PIPE, SIGNALS, CANCELLATION):
            self.compare(text, "--jobs", "3")

    def test_an_input_that_nobody_asks_for_in_the_first_execution(self):
        self.twins(ASKS_LATE, "because of", inputs={"late": 7})


class FirstExecution(Base):
    def test_is_made_once_with_inputs_too(self):
        result = self.check(CLOCK, fixed=True)
        self.assertEqual((result["executions"], result["paths"], result["redundant"]), (4, 4, 0))


class NoMoreThanWasDone(Base):
    def test_values_that_go_through_the_kernel_are_tried_one_by_one_and_that_is_told(self):
        result = self.check(LOST)
        self.assertEqual(result["verdict"], "incomplete")
        self.assertIn("a value that is used in a way without a model has more than 64 values", result["covers"])

    def test_what_a_spin_loop_carries_and_that_inputs_may_decide_it_is_told(self):
        result = self.check(CARRIES)
        self.assertEqual(result["verdict"], "incomplete")
        self.assertIn("what a spin loop carries from round to round may depend on inputs", result["covers"])
        self.assertEqual(self.check(CARRIES, fixed=True)["verdict"], "clean")

    def test_without_inputs_every_schedule_is_run_once(self):
        bug, clean = self.twins(NO_INPUTS, "run schedule by schedule because of operations on file descriptors")
        self.assertEqual(bug["findings"][0].get("inputs", []), [])
        self.assertEqual(clean["paths"], 1)

    def test_an_input_that_is_asked_for_in_some_orders_only(self):
        self.twins(ASKS_AGAIN, "because of", inputs={"in": 3, "more": 17})

    def test_assumptions(self):
        bug, clean = self.twins(ASSUMES, "because of")
        self.assertLessEqual(clean["assumption_failed"], 2)

    def test_more_jobs_find_the_same(self):
        for text in (PIPE, SIGNALS):
            self.twins(text, "because of", "--jobs", "3")

    def test_with_store_buffers_and_with_races_explored(self):
        for options in (("--model", "tso"), ("--model", "pso", "--races", "explore"), ("--races", "explore")):
            self.twins(EVENTS, "because of", *options)

    def test_a_search_that_is_cut_off_says_so(self):
        result = self.check(PIPE, "--max-executions", "5", fixed=True)
        self.assertEqual(result["verdict"], "incomplete")
        self.assertIn("executions only: the limit of 5 executions is reached", result["covers"])

    def test_paths_that_were_known_are_redundant(self):
        result = self.check(PIPE, fixed=True)
        self.assertLess(result["paths"], result["executions"])
        self.assertGreaterEqual(result["redundant"], result["executions"] - result["blocked"] - result["paths"] - 2)


if __name__ == "__main__":
    unittest.main()

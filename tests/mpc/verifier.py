# SPDX-License-Identifier: Apache-2.0
"""Programs of our own in the dialect of SV-COMP's concurrency tasks: compiled and run as they are, with truthful verdicts."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

TREADLE = os.environ["TREADLE"]

HEAD = """extern void abort(void);
extern void __assert_fail(const char*, const char*, unsigned int, const char*) __attribute__((__nothrow__, __leaf__, __noreturn__));
void reach_error() { __assert_fail("0", "task.c", 3, "reach_error"); }
void assume_abort_if_not(int cond) { if (!cond) { abort(); } }
void __VERIFIER_assert(int cond) { if (!(cond)) { ERROR: { reach_error(); abort(); } } return; }
extern int __VERIFIER_nondet_int(void);
extern unsigned int __VERIFIER_nondet_uint(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
#include <pthread.h>
"""

# An account that is looked at and drawn from in two steps: needs amounts that fit one by one, and a schedule.
ACCOUNT = HEAD + """
pthread_mutex_t m;
int balance = 10;
void* draw(void* arg) {
  int amount = __VERIFIER_nondet_int();
  assume_abort_if_not(amount > 0 && amount <= 10);
  pthread_mutex_lock(&m);
  int enough = balance >= amount;
  UNLOCK pthread_mutex_lock(&m);
  if (enough) balance = balance - amount;
  pthread_mutex_unlock(&m);
  return 0;
}
int main() {
  pthread_t t1, t2;
  pthread_mutex_init(&m, 0);
  pthread_create(&t1, 0, draw, 0);
  pthread_create(&t2, 0, draw, 0);
  pthread_join(t1, 0);
  pthread_join(t2, 0);
  __VERIFIER_assert(balance >= 0);
  return 0;
}
"""
UNSAFE_ACCOUNT = ACCOUNT.replace("UNLOCK", "pthread_mutex_unlock(&m);")
SAFE_ACCOUNT = ACCOUNT.replace("UNLOCK pthread_mutex_lock(&m);", "")

# What is atomic by name and what is atomic between two calls; plain variables, as those tasks have them.
TICKETS = HEAD + """
int next, served;
void __VERIFIER_atomic_take(int* mine) { *mine = next; next = next + 1; }
void* customer(void* arg) {
  int mine;
  TAKE;
  __VERIFIER_atomic_begin();
  served = served + 1;
  __VERIFIER_atomic_end();
  return 0;
}
int main() {
  int skip = __VERIFIER_nondet_bool();
  pthread_t t1, t2;
  pthread_create(&t1, 0, customer, 0);
  if (!skip) pthread_create(&t2, 0, customer, 0);
  pthread_join(t1, 0);
  if (!skip) pthread_join(t2, 0);
  __VERIFIER_assert(next == served);
  return 0;
}
"""
SAFE_TICKETS = TICKETS.replace("TAKE", "__VERIFIER_atomic_take(&mine)")
UNSAFE_TICKETS = TICKETS.replace("TAKE", "mine = next; next = mine + 1")

# No bound on what it asks for.
LOOP = HEAD + """
unsigned int sum;
void* adds(void* arg) {
  while (__VERIFIER_nondet_bool()) {
    __VERIFIER_atomic_begin();
    sum = sum + 2;
    __VERIFIER_atomic_end();
  }
  return 0;
}
int main() {
  pthread_t t;
  pthread_create(&t, 0, adds, 0);
  __VERIFIER_atomic_begin();
  unsigned int seen = sum;
  __VERIFIER_atomic_end();
  __VERIFIER_assert(WHAT);
  return 0;
}
"""

# Left as they are at the end: no mutex destroyed, threads that nobody waits for.
UNTIDY = HEAD + """
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, other;
int x;
void* set(void* arg) {
  pthread_mutex_lock(&m);
  x = 1;
  pthread_mutex_unlock(&m);
  return 0;
}
int main() {
  pthread_t t;
  pthread_mutex_init(&other, 0);
  pthread_create(&t, 0, set, 0);
  if (__VERIFIER_nondet_int() == 4) {
    pthread_mutex_lock(&m);
    __VERIFIER_assert(x == 0 || x == 1);
    pthread_mutex_unlock(&m);
  }
  return 0;
}
"""


# Leaves the functions of its dialect to the verifier, and has a variable that libc has a function for.
BARE = """#include <pthread.h>
DECLARED
int rand, sum;
void *adds(void *arg) {
  int amount = __VERIFIER_nondet_int();
  assume_abort_if_not(amount > 0 && amount < 4);
  __VERIFIER_atomic_begin();
  rand = rand + 1;
  sum = sum + amount;
  __VERIFIER_atomic_end();
  return 0;
}
int main() {
  pthread_t t;
  pthread_create(&t, 0, adds, 0);
  adds(0);
  pthread_join(t, 0);
  __VERIFIER_assert(rand == 2);
  __VERIFIER_assert(sum != WRONG);
  return 0;
}
"""
DECLARATIONS = "int __VERIFIER_nondet_int(void); void assume_abort_if_not(int); void __VERIFIER_assert(int); void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);"


class VerifierTasks(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.work = pathlib.Path(self.folder.name)

    def check(self, text, *words, strategy="mpc"):
        (self.work / "task.c").write_text(text)
        command = [TREADLE, "check", "--json", "-", "--strategy", strategy, *words, "task.c"]
        run = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=self.work)
        self.assertIn(run.returncode, (0, 1), run.stdout + run.stderr)
        return json.loads(run.stdout)

    def kinds(self, result):
        return sorted({finding["kind"] for finding in result["findings"]})

    def test_the_error_needs_inputs_and_a_schedule_and_replays(self):
        result = self.check(UNSAFE_ACCOUNT)
        self.assertEqual(self.kinds(result), ["assertion"])
        finding = result["findings"][0]
        amounts = [one["value"] for one in finding["inputs"]]
        self.assertEqual(len(amounts), 2)
        self.assertGreater(sum(amounts), 10)
        self.assertTrue(all(0 < amount <= 10 for amount in amounts), amounts)
        self.assertEqual(subprocess.run([TREADLE, "replay", finding["witness"]], cwd=self.work, capture_output=True).returncode, 1)

    def test_a_negative_input_is_shown_as_such_in_the_steps_and_in_the_list(self):
        (self.work / "task.c").write_text(HEAD + """
#include <stdatomic.h>
atomic_int sum;
void* adds(void* arg) { sum += __VERIFIER_nondet_int(); return 0; }
int main() { pthread_t t; pthread_create(&t, 0, adds, 0); pthread_join(t, 0); __VERIFIER_assert(sum != -3); return 0; }
""")
        text = subprocess.run([TREADLE, "check", "--strategy", "mpc", "task.c"], capture_output=True, text=True, timeout=120, cwd=self.work).stdout
        self.assertIn("input int -3", text)
        self.assertIn("inputs: int = -3", text)

    def test_the_fixed_one_is_proved_for_all_inputs(self):
        result = self.check(SAFE_ACCOUNT)
        self.assertEqual((result["verdict"], result["findings"]), ("clean", []))
        self.assertIn("all inputs", result["covers"])

    def test_regions_are_atomic_by_name_and_between_calls(self):
        self.assertEqual(self.kinds(self.check(UNSAFE_TICKETS, "--races", "explore")), ["assertion", "data-race"])
        result = self.check(SAFE_TICKETS, "--races", "explore")
        self.assertEqual((result["verdict"], result["findings"]), ("clean", []))

    def test_a_loop_without_bound_on_its_inputs_ends_at_the_bound_of_the_search_and_says_so(self):
        for how in (["--max-executions", "20"], ["--max-time", "2s"]):
            result = self.check(LOOP.replace("WHAT", "seen % 2 == 0"), *how)
            self.assertEqual((result["verdict"], result["findings"]), ("incomplete", []), how)
            self.assertIn("only", result["covers"])
        self.assertEqual(self.kinds(self.check(LOOP.replace("WHAT", "seen < 4"), "--stop-at-first", "--max-executions", "60")), ["assertion"])

    def test_what_such_programs_leave_behind_is_no_error(self):
        for strategy in ("mpc", "optimal"):
            result = self.check(UNTIDY, strategy=strategy)
            self.assertEqual((result["verdict"], result["findings"]), ("clean", []), strategy)

    def test_functions_that_a_task_leaves_to_the_verifier_are_there_declared_or_not(self):
        for declared in (DECLARATIONS, ""):
            task = BARE.replace("DECLARED", declared)
            found = self.check(task.replace("WRONG", "6"), "--cflags", "-Wno-everything")
            self.assertEqual([finding["message"] for finding in found["findings"]], ["thread 0 reaches an error location: reach_error is called"], declared)
            self.assertEqual(sorted(one["value"] for one in found["findings"][0]["inputs"]), [3, 3])
            clean = self.check(task.replace("WRONG", "7"), "--cflags", "-Wno-everything")
            self.assertEqual((clean["verdict"], clean["findings"]), ("clean", []), clean["covers"])

    def test_inputs_that_have_no_model_are_not_taken_for_explored(self):
        for type_, name in (("float", "float"), ("double", "double"), ("__int128", "int128"), ("unsigned __int128", "uint128")):
            result = self.check(f"""{type_} __VERIFIER_nondet_{name}(void); void reach_error(void);
              int main(void) {{ if (__VERIFIER_nondet_{name}() == 7) reach_error(); return 0; }}""", "--max-executions", "100")
            self.assertTrue(result["verdict"] == "incomplete" or result["findings"], (name, result["covers"]))

    def test_the_lowest_number_divided_by_minus_one_faults(self):
        for operator in "/%":
            for type_, name in (("int", "int"), ("long", "long")):
                result = self.check(f"""{type_} __VERIFIER_nondet_{name}(void);
{type_} quotient({type_} n, {type_} d) {{ return d == 0 ? 0 : n {operator} d; }}
int main(void) {{ volatile {type_} q = quotient(__VERIFIER_nondet_{name}(), __VERIFIER_nondet_{name}()); return q == 3; }}""")
                self.assertEqual(self.kinds(result), ["crash"], (operator, type_, result["covers"]))
                self.assertEqual([one["value"] for one in result["findings"][0]["inputs"]][1], -1)
        self.assertEqual(self.check("""int __VERIFIER_nondet_int(void);
int main(void) { int n = __VERIFIER_nondet_int(), d = __VERIFIER_nondet_int(); if (d == 0 || d == -1) return 0; volatile int q = n / d; return q == 3; }""")["verdict"], "clean")

    def test_assumptions_about_members_of_what_is_symbolic_prune(self):
        result = self.check("""#include <assert.h>
#include <stddef.h>
void klee_make_symbolic(void*, size_t, const char*); void klee_assume(unsigned long);
struct record { char tag; int a[3]; short s; };
int main(void) {
  struct record x;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_assume(x.tag > 3);
  klee_assume(x.a[1] == x.a[2] + 1);
  assert(x.a[2] != 77 || x.tag != 5);
  assert(x.a[1] != x.a[2]);
  assert(x.s != -9);
  return 0;
}
""")
        self.assertEqual(sorted(finding["location"]["line"] for finding in result["findings"]), [10, 12], result["covers"])
        self.assertNotIn(";", result["covers"].split("; free of data races")[0])

    def test_the_default_search_finds_what_needs_no_inputs(self):
        (self.work / "task.c").write_text(UNSAFE_TICKETS)
        run = subprocess.run([TREADLE, "check", "--json", "-", "--races", "explore", "--budget", "20s", "task.c"], capture_output=True, text=True, timeout=120, cwd=self.work)
        self.assertIn("assertion", self.kinds(json.loads(run.stdout)), run.stderr)


if __name__ == "__main__":
    unittest.main()

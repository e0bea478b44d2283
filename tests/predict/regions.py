# SPDX-License-Identifier: Apache-2.0
"""All ways of saying what is meant to be atomic, each on a buggy program and its fixed twin; and how many candidates are left when."""
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "end_to_end"))
from support import EndToEnd  # noqa: E402

SHARED = """#include <pthread.h>
#include <treadle/treadle.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int balance;
static int get(void) { pthread_mutex_lock(&mutex); int found = balance; pthread_mutex_unlock(&mutex); return found; }
static void set(int value) { pthread_mutex_lock(&mutex); balance = value; pthread_mutex_unlock(&mutex); }
"""
MAIN = """static void *deposits(void *unused) { deposit(5); return 0; }
static void *resets(void *unused) { set(100); return 0; }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, deposits, 0);
  pthread_create(&b, 0, resets, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
"""
IN_TWO_STEPS = "set(get() + amount);"
IN_ONE = "pthread_mutex_lock(&mutex); balance += amount; pthread_mutex_unlock(&mutex);"
COUNTS = ("candidates", "after_happens_before", "after_locks", "real")


def program(deposit, body):
    return SHARED + deposit.replace("BODY", body) + "\n" + MAIN


class Regions(EndToEnd):
    def predict(self, name, text, *options):
        source = self.write(name, text)
        run = self.treadle("predict", "--json", "-", "--only", "atomicity", *options, source)
        self.assertIn(run.returncode, (0, 1), run.stdout + run.stderr)
        result = json.loads(run.stdout)
        self.assertEqual(result["unconfirmed"], [])
        for finding in result["findings"]:
            self.assertEqual((finding["kind"], finding["confirmed"]), ("atomicity", True))
            again = self.treadle("replay", *(options if "critical-sections" in options else ()), finding["witness"])
            self.assertEqual(again.returncode, 1, again.stdout + again.stderr)
            self.assertIn("atomicity", again.stdout)
        return result

    def counts(self, result):
        return tuple(result["predictions"]["atomicity"][name] for name in COUNTS)

    def assert_twins(self, name, deposit, *options):
        """The second thread comes between what the first one does in two steps, and not when it does it in one."""
        found = self.predict(name, program(deposit, IN_TWO_STEPS), *options)
        self.assertEqual((len(found["findings"]), found["predictions"]["regions"], self.counts(found)), (1, 1, (1, 1, 1, 1)))
        fixed = self.predict("fixed_" + name, program(deposit, IN_ONE), *options)
        self.assertEqual((fixed["verdict"], fixed["predictions"]["regions"], self.counts(fixed)), ("clean", 1, (1, 1, 0, 0)))

    def test_calls(self):
        self.assert_twins("calls.c", "static void deposit(int amount) { treadle_atomic_begin(); BODY treadle_atomic_end(); }")

    def test_an_attribute_of_a_function(self):
        self.assert_twins("attribute.c", "TREADLE_ATOMIC static void deposit(int amount) { BODY }")
        self.assert_twins("attribute.cpp", "TREADLE_ATOMIC static void deposit(int amount) { BODY }")

    def test_a_guard_object(self):
        self.assert_twins("guard.cpp", "static void deposit(int amount) { const treadle::AtomicRegion region; BODY }")

    def test_functions_by_their_names(self):
        for pattern in ("deposit", "dep*", "*pos*t"):
            self.assert_twins("names.c", "static void deposit(int amount) { BODY }", "--atomic", "functions:" + pattern)
        self.assert_twins("names.cpp", "namespace bank { static void deposit(int amount) { BODY } }\nusing bank::deposit;", "--atomic",
                          "functions:bank::deposit*")

    def test_functions_of_other_names_are_none(self):
        text = program("static void deposit(int amount) { BODY }", IN_TWO_STEPS)
        for options in ((), ("--atomic", "functions:withdraw*"), ("--atomic", "functions:eposit")):
            result = self.predict("others.c", text, *options)
            self.assertEqual((result["findings"], result["predictions"]["regions"]), ([], 0))

    def test_functions_of_a_program_are_chosen_when_it_is_built(self):
        text = program("static void deposit(int amount) { BODY }", IN_TWO_STEPS)
        chosen = self.build("chosen.c", text, "--atomic=dep*")
        run = self.treadle("predict", "--json", "-", "--only", "atomicity", chosen)
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        run = self.treadle("predict", "--atomic", "functions:dep*", chosen)
        self.could_not(run, "--atomic functions:PATTERN is for sources", "treadle cc --atomic=PATTERN")

    def test_critical_sections(self):
        """Each is one; here somebody does not care about the lock."""
        careless = MAIN.replace("set(100);", "__atomic_store_n(&balance, 100, __ATOMIC_SEQ_CST);")
        text = SHARED + "static void deposit(int amount) { " + IN_ONE + " }\n" + careless
        found = self.predict("sections.c", text, "--atomic", "critical-sections")
        self.assertEqual((len(found["findings"]), found["predictions"]["regions"], self.counts(found)), (1, 1, (1, 1, 1, 1)))
        fixed = self.predict("fixed_sections.c", text.replace(careless, MAIN), "--atomic", "critical-sections")
        self.assertEqual((fixed["verdict"], fixed["predictions"]["regions"], self.counts(fixed)), ("clean", 2, (1, 1, 0, 0)))

    def test_a_region_ends_however_its_scope_does(self):
        """What comes behind an exception, and behind an early return, is outside."""
        for way, leave in (("throws", "throw 1;"), ("returns", "return;")):
            for head in ("TREADLE_ATOMIC static void first(int amount) {", "static void first(int amount) { const treadle::AtomicRegion region;"):
                inner = f"{head} balance_of(); {leave} }}\n"
                deposit = ("static int seen;\nstatic void balance_of() { seen = get(); }\n" + inner +
                           "static void deposit(int amount) { try { first(amount); } catch (int) { } set(seen + amount); }")
                result = self.predict(f"{way}.cpp", program(deposit, ""))
                self.assertEqual((result["verdict"], result["predictions"]["regions"], self.counts(result)), ("clean", 1, (0, 0, 0, 0)))

    def test_candidates_are_counted_after_each_stage(self):
        """What main does before and behind the threads; what a common lock keeps apart; what a value keeps apart; and what nothing does."""
        text = """#include <pthread.h>
#include <stdatomic.h>
#include <treadle/treadle.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int x;
static atomic_int done;
static void lock(void) { pthread_mutex_lock(&mutex); }
static void unlock(void) { pthread_mutex_unlock(&mutex); }
static void *region(void *unused) {
  treadle_atomic_begin();
  lock(); int found = x; unlock();
  lock(); x = found + 1; unlock();
  treadle_atomic_end();
  done = 1;
  return 0;
}
static void *one_section(void *unused) {
  treadle_atomic_begin();
  lock(); x = x + 2; unlock();
  treadle_atomic_end();
  return 0;
}
static void *late(void *unused) {
  if (done) { lock(); x = 50; unlock(); }
  return 0;
}
int main(void) {
  pthread_t a, b, c;
  x = 10;
  pthread_create(&a, 0, region, 0);
  pthread_create(&b, 0, one_section, 0);
  pthread_create(&c, 0, late, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  pthread_join(c, 0);
  x = 20;
  return 0;
}
"""
        # Around the region: main's two writes, one_section's, late's. Around one_section's: main's two, the region's, late's.
        result = self.predict("stages.c", text)
        self.assertEqual(self.counts(result), (8, 4, 2, 1))
        self.assertEqual(len(result["findings"]), 1)
        self.assertIn("8 unserialisable triples; 4 left by creation and joining, 2 by locks, 1 real", self.treadle("predict", "--only", "atomicity", self.folder / "stages.c").stdout)


if __name__ == "__main__":
    unittest.main()

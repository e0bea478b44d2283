# SPDX-License-Identifier: Apache-2.0
"""`treadle predict` and `treadle check --predict` on plain builds: what one run implies, replayed, and nothing else."""
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "end_to_end"))
from support import EndToEnd  # noqa: E402

HEAD = """#include <pthread.h>
#include <semaphore.h>
#include <treadle/treadle.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER, o = PTHREAD_MUTEX_INITIALIZER;
int x, y;
#define LOCK(l) pthread_mutex_lock(&l)
#define UNLOCK(l) pthread_mutex_unlock(&l)
"""
CONDITION = HEAD + "pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n"


def program(*threads):
    """Each thread's body; main creates all of them and waits for them."""
    text = HEAD
    for i, body in enumerate(threads):
        text += f"static void *thread_{i}(void *unused) {{ {body} return 0; }}\n"
    text += f"int main(void) {{ pthread_t t[{len(threads)}];\n"
    text += "".join(f"  pthread_create(&t[{i}], 0, thread_{i}, 0);\n" for i in range(len(threads)))
    text += "".join(f"  pthread_join(t[{i}], 0);\n" for i in range(len(threads)))
    return text + "  return 0; }\n"


# The lock orders the writes to y in every run that goes the usual way; it need not.
HIDDEN_RACE = program("y = 1; LOCK(m); x = 1; UNLOCK(m);", "LOCK(m); x = 2; UNLOCK(m); y = 2;")
NO_RACE = program("LOCK(m); y = 1; UNLOCK(m);", "LOCK(m); x = 2; UNLOCK(m); LOCK(m); y = 2; UNLOCK(m);")
RING = program(*(f"LOCK({a}); LOCK({b}); UNLOCK({b}); UNLOCK({a});" for a, b in ("mn", "no", "om")))
NO_RING = program(*(f"LOCK({a}); LOCK({b}); UNLOCK({b}); UNLOCK({a});" for a, b in ("mn", "no", "mo")))
CHECK_THEN_ACT = program("treadle_atomic_begin(); LOCK(m); int v = x; UNLOCK(m); LOCK(m); x = v + 1; UNLOCK(m); treadle_atomic_end();",
                         "LOCK(m); x = 7; UNLOCK(m);")
ATOMIC = program("treadle_atomic_begin(); LOCK(m); int v = x; x = v + 1; UNLOCK(m); treadle_atomic_end();", "LOCK(m); x = 7; UNLOCK(m);")


class Predict(EndToEnd):
    def predict(self, name, text, *options, status=None):
        program_file = self.build(name + ".c", text)
        run = self.treadle("predict", "--json", "-", *options, program_file)
        self.assertIn(run.returncode, (0, 1) if status is None else (status,), run.stdout + run.stderr)
        result = json.loads(run.stdout)
        self.assertEqual(run.returncode, 1 if result["findings"] else 0)
        for finding in result["findings"]:
            self.assertTrue(finding["confirmed"])
        return result

    def kinds(self, result):
        return {finding["kind"] for finding in result["findings"]}

    def assert_replays(self, result, *options):
        for finding in result["findings"]:
            run = self.treadle("replay", *options, finding["witness"])
            self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
            self.assertIn(finding["kind"], run.stdout)

    def test_a_race_that_a_lock_hid_is_found_and_replays(self):
        result = self.predict("race", HIDDEN_RACE)
        self.assertEqual(self.kinds(result), {"data-race"})
        self.assertTrue(result["findings"][0]["predicted"])
        self.assertIn("`y`", result["findings"][0]["message"])
        self.assert_replays(result)

    def test_without_a_race_the_verdict_is_clean_and_says_what_it_covers(self):
        result = self.predict("clean", NO_RACE, status=0)
        self.assertEqual((result["verdict"], result["unconfirmed"]), ("clean", []))
        self.assertIn("interleaving of this trace", result["covers"])

    def test_a_ring_of_three_locks_is_found_and_its_fixed_twin_is_silent(self):
        result = self.predict("ring", RING)
        self.assertEqual(self.kinds(result), {"deadlock"})
        self.assertEqual(len(result["findings"][0]["threads"]), 3)
        self.assert_replays(result)
        self.assertEqual(self.kinds(self.predict("no_ring", NO_RING)), set())

    def test_an_access_that_comes_between_is_found_and_its_fixed_twin_is_silent(self):
        result = self.predict("check_then_act", CHECK_THEN_ACT)
        self.assertEqual(self.kinds(result), {"atomicity"})
        self.assertEqual(result["predictions"]["atomicity"],
                         {"candidates": 1, "after_happens_before": 1, "after_locks": 1, "real": 1, "left_out": 0})
        self.assert_replays(result)
        result = self.predict("atomic", ATOMIC)
        self.assertEqual(self.kinds(result), set())
        self.assertEqual(result["predictions"]["atomicity"]["after_locks"], 0)

    def assert_stands_still(self, name, kinds, text):
        result = self.predict(name, text, "--only", "deadlock")
        self.assertEqual(self.kinds(result) & kinds, self.kinds(result))
        self.assertTrue(result["findings"], result)
        self.assertTrue(all(finding["predicted"] for finding in result["findings"]))
        self.assertEqual(result["unconfirmed"], [])
        self.assert_replays(result)

    def test_a_signal_that_can_come_too_early_is_found(self):
        waits = "LOCK(m); y = 1; pthread_cond_wait(&c, &m); UNLOCK(m);"
        signals = "LOCK(m); pthread_cond_signal(&c); UNLOCK(m);"
        self.assert_stands_still("lost", {"lost-wakeup", "deadlock"}, CONDITION + program(waits, signals).replace(HEAD, ""))
        twin = CONDITION + program("LOCK(m); while (!y) pthread_cond_wait(&c, &m); UNLOCK(m);", "LOCK(m); y = 1; pthread_cond_signal(&c); UNLOCK(m);").replace(HEAD, "")
        self.assertEqual(self.kinds(self.predict("not_lost", twin, "--only", "deadlock")), set())

    def test_tokens_that_others_can_take_first_are_found(self):
        one, two = "sem_wait(&s); sem_wait(&s); sem_post(&s); sem_post(&s);", "sem_wait(&s); sem_post(&s);"
        for name, bodies, stuck in (("two_each", (one, one), True), ("one_each", (two, two), False)):
            text = program(*bodies).replace(HEAD, HEAD + "sem_t s;\n").replace("int main(void) {", "int main(void) { sem_init(&s, 0, 2);")
            if stuck:
                self.assert_stands_still(name, {"deadlock"}, text)
            else:
                self.assertEqual(self.kinds(self.predict(name, text, "--only", "deadlock")), set())

    def test_joining_while_holding_what_the_other_needs_is_found(self):
        text = program("LOCK(m); x = 1; UNLOCK(m);", "y = 1;")
        joins = "  pthread_join(t[0], 0);\n  pthread_join(t[1], 0);\n"
        self.assertIn(joins, text)
        text = text.replace(joins, "  pthread_join(t[1], 0);\n  LOCK(m);\n  pthread_join(t[0], 0);\n  UNLOCK(m);\n")
        self.assert_stands_still("join", {"deadlock"}, text)

    def test_other_kinds_that_are_seen_are_said(self):
        result = self.predict("fails", program("__builtin_trap();"), "--only", "race", status=0)
        self.assertIn("not of the kinds asked for", result["predictions"]["note"])

    def test_a_remote_write_that_makes_no_difference_is_no_violation(self):
        text = program("treadle_atomic_begin(); LOCK(m); int v = x; UNLOCK(m); LOCK(m); x = v + 1; UNLOCK(m); treadle_atomic_end();", "LOCK(m); x = 0; UNLOCK(m);")
        result = self.predict("same_value", text, "--only", "atomicity", status=0)
        self.assertEqual((result["verdict"], result["unconfirmed"]), ("clean", []))

    def test_critical_sections_are_atomic_when_asked_for(self):
        text = program("LOCK(m); int v = x; x = v + 1; UNLOCK(m);", "__atomic_store_n(&x, 7, __ATOMIC_SEQ_CST);")
        self.assertEqual(self.kinds(self.predict("sections", text, "--only", "atomicity")), set())
        result = self.predict("sections", text, "--only", "atomicity", "--atomic", "critical-sections")
        self.assertEqual(self.kinds(result), {"atomicity"})
        self.assert_replays(result, "--atomic", "critical-sections")

    def test_what_leaves_values_out_of_account_is_never_a_finding(self):
        result = self.predict("over", CHECK_THEN_ACT, "--causal-model", "over", "--only", "atomicity", status=0)
        self.assertEqual({one["kind"] for one in result["unconfirmed"]}, {"atomicity"})
        self.assertEqual(result["verdict"], "incomplete")

    def test_only_what_is_asked_for_is_looked_for(self):
        self.assertEqual(self.kinds(self.predict("race", HIDDEN_RACE, "--only", "deadlock,atomicity")), set())

    def test_a_run_that_fails_by_itself_is_a_finding(self):
        result = self.predict("fails", program("__builtin_trap();"))
        self.assertEqual(len(result["findings"]), 1)
        self.assertFalse(result["findings"][0]["predicted"])

    def test_a_saved_trace_implies_the_same(self):
        program_file = self.build("race.c", HIDDEN_RACE)
        self.assertEqual(self.treadle("predict", "--save-trace", "run.trace", program_file).returncode, 1)
        run = self.treadle("predict", "--json", "-", "run.trace")
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertEqual(self.kinds(json.loads(run.stdout)), {"data-race"})

    def test_a_trace_whose_plain_accesses_were_no_steps_implies_the_same(self):
        program_file = self.build("deadlock.c", RING)
        found = self.check_json("--stop-at-first", program_file)["findings"][0]
        self.treadle("replay", "--save-trace", "run.trace", found["witness"])
        run = self.treadle("predict", "--json", "-", "run.trace")
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertEqual(self.kinds(json.loads(run.stdout)), {"deadlock"})

    def test_the_text_shows_both_orders_side_by_side(self):
        run = self.treadle("predict", self.build("race.c", HIDDEN_RACE))
        self.assertIn("as it was run", run.stdout)
        self.assertIn("as it fails", run.stdout)
        self.assertIn("see it again: treadle replay", run.stdout)

    def test_a_bound_is_said_to_be_what_is_missing_and_nothing_else(self):
        source = pathlib.Path(__file__).resolve().parents[2] / "bench" / "programs" / "fusion" / "symbolic_fig_1.c"
        run = self.treadle("predict", "--only", "assertion", "--context-bound", "1", source)
        self.assertIn("with at most 1 switch\n", run.stdout)
        self.assertNotIn("not all candidates", run.stdout)

    def test_what_is_not_understood_is_said_in_one_sentence(self):
        program_file = self.build("clean.c", NO_RACE)
        for words in (["--only", "races"], ["--causal-model", "best"], ["--context-bound", "0"], ["--atomic", "all"]):
            run = self.treadle("predict", *words, program_file)
            self.assertEqual(run.returncode, 2, run.stdout)
            self.assertIn(words[0], run.stderr)

    def test_stores_that_are_held_back_are_followed(self):
        result = self.predict("race", HIDDEN_RACE, "--model", "tso")
        self.assertEqual(self.kinds(result), {"data-race"})
        self.assert_replays(result)


class CheckWithPrediction(EndToEnd):
    def test_finds_a_bug_at_the_first_execution_that_implies_it(self):
        program_file = self.build("ring.c", RING)
        result = self.check_json("--predict", "--stop-at-first", program_file)
        self.assertEqual([f["kind"] for f in result["findings"]], ["deadlock"])
        self.assertEqual(result["findings"][0]["execution"], 2)

    def test_changes_nothing_about_what_is_covered(self):
        for text in (RING, NO_RING, HIDDEN_RACE):
            program_file = self.build("program.c", text)
            plain, asked = self.check_json(program_file), self.check_json("--predict", program_file)
            self.assertEqual({f["kind"] for f in plain["findings"]}, {f["kind"] for f in asked["findings"]})
            self.assertEqual(plain["covers"], asked["covers"])


if __name__ == "__main__":
    unittest.main()

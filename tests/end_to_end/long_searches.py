# SPDX-License-Identifier: Apache-2.0
"""Searches that take many workers or several attempts end as if one worker had made them in one go."""
import json
import os
import random
import signal
import subprocess
import time

from support import CLEAN, ENDLESS, TREADLE, EndToEnd

# Some thousand schedules, outcomes that depend on them, and a race.
MANY = """#include <pthread.h>
#include <treadle/treadle.h>
int turn, plain;
static void *add(void *unused) { for (int i = 1; i < 4; i++) __atomic_fetch_add(&turn, i, __ATOMIC_SEQ_CST); plain++; return 0; }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, add, 0);
  pthread_create(&b, 0, add, 0);
  treadle_observe("early", __atomic_load_n(&turn, __ATOMIC_SEQ_CST));
  treadle_observe("later", __atomic_load_n(&turn, __ATOMIC_SEQ_CST));
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
"""

# Which threads exist, and what is on the heap, depends on the schedule.
FAMILIES = """#include <pthread.h>
#include <stdlib.h>
#include <treadle/treadle.h>
int turn;
static void *leaf(void *number) { __atomic_fetch_add((int *)number, 1, __ATOMIC_SEQ_CST); return 0; }
static void *parent(void *unused) {
  int *number = malloc(sizeof *number);
  *number = __atomic_fetch_add(&turn, 1, __ATOMIC_SEQ_CST);
  pthread_t children[3];
  int many = *number + 1;
  for (int i = 0; i < many; i++) pthread_create(&children[i], 0, leaf, number);
  for (int i = 0; i < many; i++) pthread_join(children[i], 0);
  int sum = *number;
  free(number);
  return (void *)(long)sum;
}
int main(void) {
  pthread_t a, b;
  void *x, *y;
  pthread_create(&a, 0, parent, 0);
  pthread_create(&b, 0, parent, 0);
  int seen = turn;
  pthread_join(a, &x);
  pthread_join(b, &y);
  treadle_observe("a", (long)x);
  treadle_observe("b", (long)y);
  return seen > 2;
}
"""


def essence(result):
    """What does not depend on who did it when."""
    return {**{field: result[field] for field in ("verdict", "covers", "executions", "blocked", "redundant", "outcomes", "unconfirmed")},
            "findings": sorted(f["fingerprint"] for f in result["findings"])}


class Jobs(EndToEnd):
    def compare(self, program, *words):
        one = self.check_json(program, "--outcomes", *words)
        for jobs in ("2", "3"):
            several = self.check_json(program, "--outcomes", "--jobs", jobs, *words)
            self.assertEqual(several["jobs"], int(jobs))
            self.assertEqual(essence(several), essence(one))
        return one

    def test_find_the_same_as_one_worker(self):
        program = self.build("many.c", MANY)
        for strategy in ("optimal", "exhaustive", "dpor", "icb", "icb-dpor", "random", "pct"):
            with self.subTest(strategy):
                result = self.compare(program, "--strategy", strategy)
                self.assertEqual([f["kind"] for f in result["findings"]], ["data-race"])
        for model in ("tso", "pso"):
            with self.subTest(model):
                self.compare(program, "--model", model, "--races", "explore")

    def test_number_threads_alike_whoever_meets_them_first(self):
        program = self.build("families.c", FAMILIES)
        result = self.compare(program, "--strategy", "exhaustive", "--preemptions", "1")
        self.assertEqual(result["verdict"], "bugs")
        for finding in result["findings"]:
            self.assertEqual(self.treadle("replay", finding["witness"]).returncode, 1)

    def test_0_and_auto_mean_all_cores(self):
        program = self.build("clean.c", CLEAN)
        for jobs in ("0", "auto"):
            self.assertEqual(self.check_json(program, "--jobs", jobs)["jobs"], len(os.sched_getaffinity(0)))

    def test_obey_limits_exactly(self):
        result = self.check_json(self.build("endless.c", ENDLESS), "--strategy", "exhaustive", "--jobs", "3", "--max-executions", "777")
        self.assertEqual((result["executions"], result["verdict"]), (777, "incomplete"))

    def test_survive_programs_that_crash_and_hang(self):
        program = self.build("crash.c", MANY.replace("return 0; }", "if (turn == 6) *(volatile int *)8 = 1; return 0; }", 1))
        result = self.compare(program, "--strategy", "exhaustive", "--preemptions", "1")
        self.assertIn("null-dereference", [f["kind"] for f in result["findings"]])


class Resume(EndToEnd):
    def uninterrupted(self, program, *words):
        return essence(self.check_json(program, "--outcomes", *words))

    def test_after_a_limit_goes_on_to_the_same_result(self):
        program = self.build("many.c", MANY)
        words = ("--strategy", "exhaustive")
        expected = self.uninterrupted(program, *words)
        for limit in (1, 2, 10, 500, 5000):
            part = self.check_json(program, "--outcomes", "--resume", "state", "--max-executions", str(limit), *words)
            self.assertEqual((part["executions"], part["estimate"] is not None), (limit, True))
        result = self.check_json(program, "--outcomes", "--resume", "state", *words)
        self.assertTrue(result["resumed"])
        self.assertEqual(essence(result), expected)
        self.assertEqual(essence(self.check_json(program, "--outcomes", "--resume", "state", *words)), expected, "an ended search stays ended")

    def test_after_being_killed_at_any_time_ends_with_the_same_result(self):
        few = self.build("many.c", MANY)
        many = self.build("more.c", MANY.replace("i < 4", "i < 6"))
        dice = random.Random(os.environ.get("TREADLE_TEST_SEED", time.time_ns()))
        for strategy, jobs in (("optimal", "1"), ("optimal", "2"), ("exhaustive", "1"), ("exhaustive", "2"), ("random", "2"), ("pct", "1"), ("icb", "2"), ("dpor", "1")):
            words = ["--strategy", strategy, "--outcomes"] + (["--max-executions", "30000"] if strategy in ("random", "pct") else [])
            program = many if strategy in ("optimal", "dpor") else few
            expected = essence(self.check_json(program, *words))
            state = self.folder / f"state-{strategy}-{jobs}"
            with self.subTest(strategy=strategy, jobs=jobs):
                for _ in range(6):
                    run = subprocess.Popen([TREADLE, "check", "--resume", state, "--checkpoint-every", "20ms", "--jobs", jobs, *words, program],
                                           cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                    time.sleep(dice.uniform(0.02, 0.5))
                    run.kill()
                    run.wait()
                self.assertEqual(essence(self.check_json(program, "--resume", state, "--jobs", jobs, *words)), expected)

    def test_after_ctrl_c_goes_on_where_it_was(self):
        program = self.build("endless.c", ENDLESS)
        made = 0
        for _ in range(3):
            run = subprocess.Popen([TREADLE, "check", "--json", "result.json", "--resume", "state", "--strategy", "exhaustive", program],
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.wait_until_it_runs(program)
            run.send_signal(signal.SIGINT)
            out, err = run.communicate(timeout=300)
            self.assertEqual(run.returncode, 0, out + err)
            self.assertIn("goes on from state", out)
            result = json.loads((self.folder / "result.json").read_text())
            self.assertEqual(result["verdict"], "incomplete")
            self.assertGreater(result["executions"], made)
            self.assertGreater(result["estimate"]["executions"], result["executions"])
            made = result["executions"]

    def test_without_it_ctrl_c_writes_nothing_and_says_how(self):
        program = self.build("endless.c", ENDLESS)
        before = sorted(self.folder.rglob("*"))
        run = subprocess.Popen([TREADLE, "check", "--strategy", "exhaustive", program], cwd=self.folder, stdout=subprocess.PIPE, text=True)
        self.wait_until_it_runs(program)
        run.send_signal(signal.SIGINT)
        self.assertIn("--resume DIR", run.communicate(timeout=300)[0])
        self.assertEqual(sorted(self.folder.rglob("*")), before)

    def test_of_another_search_is_refused(self):
        program = self.build("many.c", MANY)
        words = ["--strategy", "exhaustive", "--resume", "state", "--max-executions", "100"]
        self.assertEqual(self.treadle("check", *words, program).returncode, 1)
        for change, said in ((["--races", "explore"], "--races"), (["--max-steps", "7"], "--max-steps"), (["--leaks"], "--leaks"),
                             (["--strategy", "random"], "--strategy")):
            self.could_not(self.treadle("check", *words[2:] if change[0] == "--strategy" else words, *change, program), "state", said)
        self.could_not(self.treadle("check", *words, program, "--", "more"), "command line")
        self.build("many.c", "int more;\n" + MANY)
        self.could_not(self.treadle("check", *words, program), "the program was")

    def test_of_damaged_or_foreign_files_is_refused(self):
        program = self.build("many.c", MANY)
        words = ["check", "--strategy", "exhaustive", "--resume", "state", "--max-executions", "100", program]
        self.treadle(*words)
        [state] = (self.folder / "state").iterdir()
        whole = state.read_bytes()
        for broken in (b"", whole[:40], whole[:-1], whole[:50] + bytes([whole[50] ^ 1]) + whole[51:], b"hello\n"):
            state.write_bytes(broken)
            self.could_not(self.treadle(*words), state.name)
        self.could_not(self.treadle("show", state), state.name)
        self.could_not(self.treadle(*words[:4], self.write("file", "no folder"), program), "file")

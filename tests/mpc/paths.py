# SPDX-License-Identifier: Apache-2.0
"""The paths that a search has executed, as a list and as a tree, and which ways of the program's branches they took."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

try:
    import jsonschema
except ImportError:  # a Python beside Debian's, which does not look where Debian's packages are
    sys.path.append("/usr/lib/python3/dist-packages")
    import jsonschema

TREADLE = os.environ["TREADLE"]
SCHEMA = json.loads((pathlib.Path(__file__).resolve().parent.parent.parent / "docs/schema/result-1.schema.json").read_text())

# Fails only with x == 7 and with one order. Two ways lead nowhere: after the join it is ready, and x is at most 9.
WANTED = """#include <assert.h>
#include <pthread.h>
#include <treadle/treadle.h>
static _Atomic int ready;
static void* set(void* unused) {
  ready = 1;
  return unused;
}
static int looked(int asked) {
  if (asked == 7) {
    if (ready)
      return 2;
    return 1;
  }
  return 0;
}
int main(void) {
  int x = treadle_input_range("x", 0, 9);
  pthread_t thread;
  pthread_create(&thread, 0, set, 0);
  int seen = looked(x);
  pthread_join(thread, 0);
  if (ready == 0)
    return 1;
  if (x > 9)
    return 3;
  assert(seen != 2);
  return 0;
}
"""
FIXED = WANTED.replace("assert(seen != 2);", "(void)seen;")

# One path is short, the other one has a turn for each of many inputs.
LONG = """#include <treadle/treadle.h>
int main(void) {
  int all = 0;
  if (!treadle_input_bool("long")) return 0;
  for (int i = 0; i < 90000; ++i)
    if (treadle_input_bool("more") != 0) all++;
  return all > 5;
}
"""

# As many ways as one likes.
ENDLESS = """#include <treadle/treadle.h>
int main(void) {
  int count = 0;
  while (treadle_input_bool("more"))
    count++;
  if (count > 1000)
    return 1;
  return 0;
}
"""

CHOICE = """#include <treadle/treadle.h>
static int chosen(int x) {
  switch (x) {
    case 1: return 10;
    case 2: return 20;
    case 8: return 80;
    default: return 0;
  }
}
int known(int always) { if (always) return 1; return 0; }
int main(void) {
  int x = treadle_input_range("x", 0, 3);
  return known(1) + known(0) + chosen(x) > 100;
}
"""


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.work = pathlib.Path(self.folder.name)

    def source(self, text, name="program.c"):
        (self.work / name).write_text(text)
        return name

    def treadle(self, *words, status=0):
        run = subprocess.run([TREADLE, *words], capture_output=True, text=True, timeout=120, cwd=self.work)
        self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        return run.stdout + run.stderr if status == 2 else run.stdout

    def check(self, *words, status=0, strategy="mpc"):
        self.treadle("check", "--json", "result.json", "--strategy", strategy, *words, status=status)
        result = json.loads((self.work / "result.json").read_text())
        jsonschema.Draft7Validator(SCHEMA).validate(result)
        return result


class PathTree(Case):
    def test_each_path_is_listed_with_its_turns_its_inputs_and_its_end(self):
        result = self.check(self.source(WANTED), status=1)
        found = result["path_list"]
        self.assertEqual(sum(path["counts"] for path in found["paths"]), result["paths"])
        self.assertEqual(found["left_out"], 0)
        failing = [path for path in found["paths"] if path["findings"]]
        self.assertEqual([path["ended"] for path in failing], ["assertion failed"])
        self.assertEqual(result["findings"][failing[0]["findings"][0]]["kind"], "assertion")
        self.assertEqual([(one["name"], one["value"]) for one in failing[0]["inputs"]], [("x", 7)])
        self.assertEqual([way["thread"] for way in failing[0]["threads"]], ["0", "0.1"])
        turns = [found["turns"][number] for number in failing[0]["threads"][0]["turns"]]
        made = [(turn["place"]["line"], turn["way"]) for turn in turns if turn["kind"] == "branch"]
        self.assertEqual(made[:2], [(10, "true"), (11, "true")])
        self.assertTrue(any(re.search(r"\bx(\[31:0\])? == 7", turn["condition"]) for turn in turns), turns)
        others = [path for path in found["paths"] if not path["findings"]]
        self.assertTrue(others and all(path["ended"] == "completed" for path in others))

    def test_what_would_take_longer_to_write_than_to_find_is_counted_only(self):
        result = self.check(self.source(LONG), "--max-executions", "2")
        found = result["path_list"]
        self.assertEqual((result["executions"], len(found["paths"]), found["left_out"]), (2, 1, 1))
        self.assertLess(len(found["turns"]), 10)
        self.assertLess((self.work / "result.json").stat().st_size, 100_000)
        self.assertIn("1 more were executed and are not listed", self.treadle("show", "--paths", "result.json"))

    def test_other_strategies_have_none(self):
        self.assertIsNone(self.check(self.source(FIXED), strategy="optimal")["path_list"])

    def test_the_tree_is_shown_and_can_be_folded(self):
        self.check(self.source(WANTED), status=1)
        tree = self.treadle("show", "--paths", "result.json")
        self.assertIn("finding 1 (assertion at program.c:27); x = 7", tree)
        self.assertRegex(tree, r"[├└]─ 0 program\.c:10 true: .*x(\[31:0\])? == 7")
        self.assertRegex(tree, r"[├└]─ 0 program\.c:11 false: ")
        self.assertEqual(tree.count("completed"), 2)
        folded = self.treadle("show", "--paths", "--fold", "1", "result.json")
        self.assertRegex(folded, r"program\.c:10 true: .* … 2 paths, 1 of them failing")
        self.assertNotIn("program.c:11", folded)
        failing = self.treadle("show", "--paths", "--failing", "result.json")
        self.assertNotIn("completed", failing)
        self.assertIn("x = 7", failing)
        self.assertGreater(len(self.treadle("show", "--paths", "--every-turn", "result.json").splitlines()), len(tree.splitlines()))
        self.assertNotIn("program.c", self.treadle("show", "--paths", "--thread", "0.1", "result.json").replace("at program.c:27", ""))

    def test_of_kept_executions_each_path_names_its_witness(self):
        self.check("--keep", "kept", self.source(WANTED), status=1)
        self.assertEqual(self.treadle("show", "--paths", "kept"), self.treadle("show", "--paths", "result.json"))
        for path in json.loads((self.work / "kept/result.json").read_text())["path_list"]["paths"]:
            self.treadle("replay", f"kept/{path['witness']}", status=1 if path["findings"] else 0)
        self.treadle("replay", "kept", status=1)

    def test_what_has_no_paths_is_refused_in_a_sentence(self):
        self.check(self.source(FIXED), strategy="optimal")
        self.assertIn("has no paths in it", self.treadle("show", "--paths", "result.json", status=2))
        self.source("{}", "empty.json")
        self.assertIn("is not a result", self.treadle("show", "--paths", "empty.json", status=2))
        self.source("not even JSON", "text.json")
        self.assertIn("is not a result", self.treadle("show", "--paths", "text.json", status=2))
        self.source('{"version": 1, "findings": [], "path_list": {"turns": [], "paths": [{"threads": [{"thread": "0", "turns": [3]}]}]}}', "wrong.json")
        self.assertIn("do not make sense", self.treadle("show", "--paths", "wrong.json", status=2))
        (self.work / "folder").mkdir()
        self.assertIn("there is no result.json", self.treadle("show", "--paths", "folder", status=2))
        self.check(self.source(WANTED), status=1)
        self.assertIn("there is no thread 0.7", self.treadle("show", "--paths", "--thread", "0.7", "result.json", status=2))

    def test_what_main_does_before_its_first_operation_comes_before_it(self):
        for operation in ("pthread_mutex_trylock(&m)", "pthread_once(&once, runs)"):
            result = self.check(self.source(f"""#include <assert.h>
#include <pthread.h>
#include <treadle/treadle.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void runs(void) {{}}
int main(void) {{
  (void)m, (void)once, (void)runs;
  int k = treadle_input_range("k", 3, 5);
  if (k >= 4) {operation};
  assert(k != 5);
  return 0;
}}
"""), status=1)
            self.assertEqual((result["executions"], len(result["path_list"]["paths"]), len(result["findings"])), (3, 3, 1), operation)
            self.assertNotIn(";", result["covers"])

    def test_such_a_search_cannot_be_resumed_and_says_so(self):
        self.assertIn("cannot be gone on with", self.treadle("check", "--strategy", "mpc", "--resume", "state", self.source(FIXED), status=2))
        endless = self.source("#include <treadle/treadle.h>\nint main(void) { int n = 0; while (treadle_input_int(\"more\")) n++; return n == 7; }", "endless.c")
        self.assertNotIn("--resume", self.treadle("check", "--strategy", "mpc", "--max-time", "1s", endless, status=0))


class Coverage(Case):
    def states(self, *words, **more):
        coverage = self.check("--coverage", *words, **more)["coverage"]
        ways = {(branch["line"], way["way"]): way["state"] for branch in coverage["branches"] for way in branch["ways"]}
        self.assertEqual(coverage["ways"], len(ways))
        self.assertEqual(coverage["taken"], list(ways.values()).count("taken"))
        self.assertEqual(sum(one["taken"] for one in coverage["functions"]), coverage["taken"])
        return ways, coverage

    def test_what_needs_an_input_and_a_schedule_is_taken_and_what_nothing_leads_to_is_unreachable(self):
        ways, coverage = self.states(self.source(FIXED))
        self.assertEqual({way for way, state in ways.items() if state != "taken"}, {(23, "true"), (25, "true")})
        self.assertEqual({ways[23, "true"], ways[25, "true"]}, {"unreachable"})
        self.assertEqual(coverage["unknown_because"], "")
        self.assertEqual({one["function"]: (one["taken"], one["ways"]) for one in coverage["functions"]}, {"looked": (4, 4), "main": (2, 4)})
        text = self.treadle("check", "--strategy", "mpc", "--coverage", "program.c")
        self.assertIn("branches: 6 of 8 ways taken", text)
        self.assertIn("unreachable: no schedule and no input leads along", text)
        self.assertIn("program.c:23 true, to line 24, in main", text)

    def test_a_search_with_findings_proves_as_much(self):
        ways, _ = self.states(self.source(WANTED), status=1)
        self.assertEqual(ways[23, "true"], "unreachable")
        self.assertEqual(ways[11, "true"], "taken")

    def test_what_a_bound_leaves_out_is_unknown_and_it_says_which(self):
        ways, coverage = self.states("--max-executions", "5", self.source(ENDLESS))
        self.assertEqual((ways[6, "true"], ways[6, "false"]), ("unknown", "taken"))
        self.assertIn("5 executions", coverage["unknown_because"])

    def test_one_input_proves_nothing_about_the_others(self):
        ways, coverage = self.states("--inputs", "3", self.source(FIXED), strategy="optimal")
        self.assertEqual(ways[10, "true"], "unknown")
        self.assertIn("--strategy mpc", coverage["unknown_because"])
        ways, _ = self.states("--inputs", "7", "program.c", strategy="optimal")
        self.assertEqual((ways[11, "true"], ways[11, "false"], ways[10, "false"]), ("taken", "taken", "unknown"))

    def test_without_inputs_all_schedules_prove_it(self):
        ways, coverage = self.states(self.source(FIXED.replace('treadle_input_range("x", 0, 9)', "7")), strategy="optimal")
        self.assertEqual((ways[11, "true"], ways[11, "false"], ways[10, "false"]), ("taken", "taken", "unreachable"))
        ways, _ = self.states("--max-executions", "1", "program.c", strategy="random")
        self.assertIn("unknown", ways.values())

    def test_cases_are_ways_and_copies_of_a_function_are_one(self):
        ways, _ = self.states(self.source(CHOICE))
        self.assertEqual({way: ways[3, way] for way in ("case 1", "case 2", "case 8", "default")},
                         {"case 1": "taken", "case 2": "taken", "case 8": "unreachable", "default": "taken"})
        self.assertEqual((ways[10, "true"], ways[10, "false"]), ("taken", "taken"))

    def test_of_several_workers_all_count(self):
        ways, _ = self.states("--jobs", "2", self.source(FIXED))
        self.assertEqual({way for way, state in ways.items() if state != "taken"}, {(23, "true"), (25, "true")})

    def test_it_needs_a_symbolic_build_and_a_search_from_its_start(self):
        self.source(FIXED)
        self.treadle("cc", "-g", "-O1", "program.c", "-o", "plain", "-pthread")
        self.assertIn("no symbolic build", self.treadle("check", "--coverage", "./plain", status=2))
        self.assertIn("--resume", self.treadle("check", "--coverage", "--strategy", "optimal", "--resume", "state", "program.c", status=2))


if __name__ == "__main__":
    unittest.main()

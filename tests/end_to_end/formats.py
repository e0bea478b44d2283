# SPDX-License-Identifier: Apache-2.0
"""What machines read: each kind of finding, on a twin program of its own, in every format."""
import hashlib
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import unittest
import xml.etree.ElementTree

try:
    import jsonschema
    import yaml
except ImportError:  # a Python beside Debian's, which does not look where Debian's packages are
    sys.path.append("/usr/lib/python3/dist-packages")
    import jsonschema
    import yaml

from support import HERE, REPOSITORY, EndToEnd, TREADLE, kinds_of_findings

PROGRAMS = REPOSITORY / "tests/programs"
RESULT_SCHEMA = json.loads((REPOSITORY / "docs/schema/result-1.schema.json").read_text())

# kind: program, compiler flags, options
KINDS = {
    "assertion": ("cond_if_two_consumers.c", "", []),
    "crash": ("heap_errors.c", "-DOUT_OF_BOUNDS", ["--strategy", "exhaustive"]),
    "data-race": ("mutex_counter.c", "", []),
    "deadlock": ("mutex_order.c", "", []),
    "lost-wakeup": ("cond_lost_wakeup.c", "", []),
    "livelock": ("spin_flag.c", "-DNEVER", []),
    "misuse": ("exit_holding_lock.c", "", []),
    "leak": ("heap_errors.c", "-DLEAK", ["--leaks"]),
    "use-after-free": ("heap_errors.c", "-DUSE_AFTER_FREE", []),
    "uncaught-exception": ("std_exception.cpp", "", []),
    "null-dereference": ("null_dereference.c", "", []),
    "nondeterminism": ("nondeterminism.c", "", ["--guard-every", "1", "--strategy", "random", "--max-executions", "200"]),  # one run in four shows nothing
    "atomicity": ("../../bench/programs/fusion/atom001.c", "", ["--only", "atomicity"]),
}


SV_PROGRAM = """#include <pthread.h>
extern _Bool __VERIFIER_nondet_bool(void);
extern void reach_error(void);
static _Atomic int ready;
static void *set(void *unused) {
  ready = 1;
  return 0;
}
int main(void) {
  pthread_t thread;
  int asked = __VERIFIER_nondet_bool();
  pthread_create(&thread, 0, set, 0);
  if (asked && ready)
    reach_error();
  pthread_join(thread, 0);
  return 0;
}
"""


def sarif_schema():
    """The published one, from the package that package-lock.json names."""
    folder = pathlib.Path(os.environ.get("TREADLE_SCHEMAS", HERE / "schemas/node_modules"))
    schema = folder / "@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"
    if not schema.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            if not (folder.parent / name).exists():
                shutil.copy(HERE / "schemas" / name, folder.parent / name)
        subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=folder.parent, check=True, capture_output=True, timeout=300)
    return json.loads(schema.read_text())


class Formats(EndToEnd):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.sarif = jsonschema.Draft7Validator(sarif_schema())

    def reports(self, program, flags, options):
        files = {name: self.folder / f"result.{name}" for name in ("json", "sarif", "junit")}
        words = [word for name, file in files.items() for word in (f"--{name}", file)]
        command = "predict" if "--only" in options else "check"
        run = self.treadle(command, "--cflags", flags, *options, *words, PROGRAMS / program)
        self.assertIn(run.returncode, (0, 1), run.stdout + run.stderr)
        return run, json.loads(files["json"].read_text()), json.loads(files["sarif"].read_text()), files["junit"]

    def look_at(self, kind):
        program, flags, options = KINDS[kind]
        run, result, sarif, junit = self.reports(program, flags, options)
        found = [finding for finding in result["findings"] if finding["kind"] == kind]
        self.assertTrue(found, f"{kind} not among {[f['kind'] for f in result['findings']]}")
        self.assertIn(kind, run.stdout)

        if kind != "atomicity":  # what predicts says other things than what searches
            jsonschema.validate(result, RESULT_SCHEMA)
        self.assertEqual([error.message for error in self.sarif.iter_errors(sarif)], [])
        results = sarif["runs"][0]["results"]
        self.assertEqual([one["ruleId"] for one in results], [finding["kind"] for finding in result["findings"]])
        self.assertTrue(all(one["partialFingerprints"]["treadle/v1"] for one in results))

        suite = xml.etree.ElementTree.parse(junit).getroot().find("testsuite")
        self.assertTrue(suite.get("name").startswith("treadle predict " if "--only" in options else "treadle check "))
        self.assertEqual(int(suite.get("failures")), len(result["findings"]))
        self.assertEqual(len(suite.findall("testcase/failure")), len(result["findings"]))
        return found[0], results

    def test_a_finding_of_each_kind_is_valid_in_every_format_and_its_replay_command_reproduces_it(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                finding, results = self.look_at(kind)
                if kind == "nondeterminism":
                    continue  # what does not follow its schedule cannot be replayed
                command = next(one["properties"]["replay"] for one in results if one["ruleId"] == kind)
                words = shlex.split(command)
                self.assertEqual(words[0], "treadle")
                again = self.run_command(TREADLE, *words[1:])
                self.assertEqual(again.returncode, 1, again.stdout + again.stderr)
                self.assertIn(kind, again.stdout)

    def test_every_kind_of_finding_is_among_them(self):
        self.assertEqual(set(KINDS), kinds_of_findings())

    def test_an_atomicity_violation_has_its_three_accesses_in_the_thread_flows(self):
        finding, results = self.look_at("atomicity")
        flows = results[0]["codeFlows"][0]["threadFlows"]
        essential = {step["executionOrder"]: flow["id"] for flow in flows for step in flow["locations"] if step["importance"] == "essential"}
        self.assertEqual([thread for _, thread in sorted(essential.items())], ["0.1", "0.2", "0.1"])
        self.assertEqual(len(results[0]["relatedLocations"]), 3)

    def test_the_interleaving_of_a_deadlock_is_in_the_thread_flows(self):
        finding, results = self.look_at("deadlock")
        flows = results[0]["codeFlows"][0]["threadFlows"]
        self.assertEqual([flow["id"] for flow in flows], ["0", "0.1", "0.2"])
        orders = [step["executionOrder"] for flow in flows for step in flow["locations"]]
        self.assertEqual(len(orders), len(set(orders)))
        essential = [step for flow in flows for step in flow["locations"] if step["importance"] == "essential"]
        self.assertEqual(len(essential), 2)

    def test_a_clean_program_passes_and_an_unfinished_search_does_not(self):
        run, result, sarif, junit = self.reports("mutex_counter.c", "-DFIXED", [])
        self.assertEqual([error.message for error in self.sarif.iter_errors(sarif)], [])
        self.assertEqual(result["verdict"], "clean", result)
        self.assertIsNone(xml.etree.ElementTree.parse(junit).getroot().find("testsuite/testcase/skipped"))
        run, result, sarif, junit = self.reports("peterson.c", "", ["--max-executions", "1"])
        self.assertEqual(result["verdict"], "incomplete", result)
        self.assertIsNotNone(xml.etree.ElementTree.parse(junit).getroot().find("testsuite/testcase/skipped"))

    def test_graphviz_draws_the_execution_graph(self):
        finding, _ = self.look_at("deadlock")
        graph = self.folder / "run.dot"
        self.treadle("replay", "--dot", graph, finding["witness"])
        drawn = self.run_command("dot", "-Tsvg", graph)
        self.assertEqual(drawn.returncode, 0, drawn.stderr)
        self.assertEqual(drawn.stdout.count('class="cluster"'), 3)

    def sv_witnesses(self, source, *options):
        file = self.folder / "witness.yml"
        run = self.treadle("check", *options, "--witness-yaml", file, source)
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        entries = yaml.safe_load(file.read_text())
        jsonschema.validate(entries, json.loads((HERE / "schemas/violation-witness-2.0.schema.json").read_text()))
        return entries, run

    def test_an_error_location_is_a_violation_witness_of_sv_comp_with_the_inputs_that_lead_there(self):
        source = self.write("errors.c", SV_PROGRAM)
        entries, run = self.sv_witnesses(source, "--strategy", "random", "--max-executions", "200", "--as-found", "--stop-at-first")
        self.assertEqual(len(entries), 1)
        task = entries[0]["metadata"]["task"]
        self.assertEqual(task["specification"], "G ! call(reach_error())")
        self.assertEqual(task["input_file_hashes"], {str(source): hashlib.sha256(source.read_bytes()).hexdigest()})
        points = [segment["segment"][0]["waypoint"] for segment in entries[0]["content"]]
        self.assertEqual([point["type"] for point in points], ["function_return", "target"])
        lines = SV_PROGRAM.splitlines()
        self.assertIn("__VERIFIER_nondet_bool()", lines[points[0]["location"]["line"] - 1])
        self.assertEqual(points[0]["constraint"]["value"], "\\result == 1")
        self.assertIn("reach_error()", lines[points[1]["location"]["line"] - 1])
        self.assertIn("cannot tell the interleaving", run.stderr)

    def test_what_a_violation_witness_of_sv_comp_cannot_express_is_said(self):
        entries, run = self.sv_witnesses(PROGRAMS / "mutex_order.c")
        self.assertEqual(entries, [])
        self.assertIn("leaves out the deadlock", run.stderr)
        self.assertIn("SV-COMP has no property that it violates", run.stderr)
        entries, _ = self.sv_witnesses(PROGRAMS / "mutex_counter.c")
        self.assertEqual(entries[0]["metadata"]["task"]["specification"], "G ! data-race")

    def test_two_reports_cannot_both_go_to_standard_output(self):
        run = self.treadle("check", "--json", "-", "--sarif", "-", PROGRAMS / "mutex_order.c")
        self.assertEqual(run.returncode, 2)
        self.assertIn("only one report can go to standard output", run.stderr)


if __name__ == "__main__":
    unittest.main()

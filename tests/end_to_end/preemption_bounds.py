# SPDX-License-Identifier: Apache-2.0
"""Strategies with a bound on preemptions against each other, on generated programs: with the same bound they must show the same.

exhaustive is the reference. icb runs the same schedules, each once. icb-dpor may leave schedules out, but no outcome and no finding.
By hand, more of them:  BOUNDS_SEED=1000 BOUNDS_COUNT=500 BOUNDS_PROFILE=condvars python3 -m unittest preemption_bounds
"""
import json
import os
import pathlib
import unittest

import support

ORACLE = pathlib.Path(os.environ.get("ORACLE", support.TREADLE.parent / "oracle")).resolve()
SEED = int(os.environ.get("BOUNDS_SEED", 1))
COUNT = int(os.environ.get("BOUNDS_COUNT", 60))
PROFILE = os.environ.get("BOUNDS_PROFILE")
MODELS = os.environ.get("BOUNDS_MODELS", "sc").split(",")
BOUNDS = (0, 1, 2, 3)


class PreemptionBounds(support.EndToEnd):
    def generate(self):
        source = self.folder / "programs.c"
        words = ["generate", "--seed", SEED, "--count", COUNT, "--out", source, "--most-executions", 20000]
        run = self.run_command(ORACLE, *words, *(["--profile", PROFILE] if PROFILE else []), timeout=600)
        self.assertEqual(run.returncode, 0, run.stderr)
        built = self.treadle("cc", "-g", "-O1", source, "-o", self.folder / "programs", "-pthread", timeout=600)
        self.assertEqual(built.returncode, 0, built.stderr)
        return len(json.loads((self.folder / "programs.json").read_text())["programs"])

    def show(self, strategy, number, bound, model, races):
        words = ["--preemptions", bound] if bound is not None else []
        result = self.check_json("--strategy", strategy, "--model", model, "--races", races, "--outcomes", "--max-time", "300s", *words,
                                 self.folder / "programs", "--", number, timeout=400)
        self.assertNotEqual(result["verdict"], "incomplete", result["covers"])
        outcomes = {json.dumps(outcome, sort_keys=True) for outcome in result["outcomes"]}
        return result, outcomes, {finding["kind"] for finding in result["findings"]}

    def compare(self, number, bound, model, races):
        exact, outcomes, findings = self.show("exhaustive", number, bound, model, races)
        icb, icb_outcomes, icb_findings = self.show("icb", number, bound, model, races)
        self.assertEqual(icb_outcomes, outcomes)
        self.assertEqual(icb_findings, findings)
        self.assertEqual(icb["executions"], exact["executions"])
        self.assertEqual(icb["covers"], exact["covers"])
        if model == "sc":
            _, reduced_outcomes, reduced_findings = self.show("icb-dpor", number, bound, model, races)
            if races == "stop" and "data-race" in findings:  # what it leads to is not explored then
                self.assertIn("data-race", reduced_findings)
            else:
                self.assertEqual(reduced_outcomes, outcomes)
                self.assertEqual(reduced_findings, findings)
        return exact["covers"].find("preemption") < 0  # nothing was left out

    def test_each_strategy_shows_the_same_with_the_same_bound(self):
        for number in range(self.generate()):
            for model in MODELS:
                for races in ("explore", "stop"):
                    for bound in BOUNDS:
                        with self.subTest(program=number, seed=SEED + number, model=model, races=races, bound=bound):
                            if self.compare(number, bound, model, races):
                                break


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The programs in bench/programs/mcr find what their first lines promise, in as many executions, with each strategy (bench/pins.py).

  run.py --treadle PATH --work DIR [--shard I/N] [--strategies A,B] [--most EXECUTIONS] [--no-replay] [PROGRAM…]
Every witness is replayed on all carriers. Counts above --most are left to bench/mcr.py.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "bench"))
from pins import MODELS, all_pins  # noqa: E402

STRATEGIES = ("optimal", "mcr", "mcr-s", "mcr-s+", "se-mcr", "value", "rf")
CARRIERS = ("reset", "fork", "kernel")
WITNESSES = ".treadle"  # where `treadle check` leaves them


def strategies_of(treadle, wanted):
    """Those of STRATEGIES that this build has."""
    refused = subprocess.run([treadle, "check", "--strategy", "none", "/bin/true"], capture_output=True, text=True)
    known = (refused.stdout + refused.stderr).replace(",", " ").replace(".", " ").split()
    return [s for s in STRATEGIES if s in known and (not wanted or s in wanted)]


def told_by(output, finding):
    return finding["kind"] in output and finding["message"] in output


class Checked:
    """One program with one set of flags."""

    def __init__(self, options, pins):
        self.treadle, self.pins, self.options, self.bad = options.treadle.resolve(), pins, options, []
        self.program = options.work.resolve() / str(pins).replace(" ", "-").replace("=", "_")
        self.folder = self.program.with_suffix(".found")
        self.folder.mkdir(exist_ok=True)
        self.replayed = set()
        self.runs = self.replays = 0

    def build(self):
        command = [self.treadle, "cc", "-std=gnu17", "-g", "-O1", *self.pins.flags, self.pins.source, "-o", self.program, "-pthread"]
        built = subprocess.run(command, capture_output=True, text=True)
        if built.returncode:
            self.bad.append(built.stdout + built.stderr)
        return not built.returncode

    def search(self, strategy, model):
        command = [self.treadle, "check", "--strategy", strategy, "--model", model, "--races", "explore", "--max-time", "120s", "--json", "-", self.program]
        shutil.rmtree(self.folder / WITNESSES, ignore_errors=True)
        run = subprocess.run(command, capture_output=True, text=True, timeout=200, cwd=self.folder)
        self.runs += 1
        if run.returncode not in (0, 1):
            self.complain(strategy, model, f"status {run.returncode}: {run.stdout[-500:]}{run.stderr[-500:]}")
            return None
        return json.loads(run.stdout)

    def complain(self, strategy, model, what):
        self.bad.append(f"{strategy} {model}: {what}")

    def judge(self, strategy, model):
        kinds, count = self.pins.verdicts.get(model), self.pins.runs.get((strategy, model))
        if kinds is None and (count is None or count > self.options.most):
            return
        if (result := self.search(strategy, model)) is None:
            return
        if result["verdict"] == "incomplete" or "limit" in result["covers"]:
            self.complain(strategy, model, result["covers"])
        if kinds is not None and (found := {f["kind"] for f in result["findings"]}) != kinds:
            self.complain(strategy, model, f"found {sorted(found)}, expected {sorted(kinds)}")
        if count is not None and result["executions"] != count:
            self.complain(strategy, model, f"{result['executions']} executions, pinned are {count}")
        if kinds is not None and not self.options.no_replay:
            self.replay(strategy, model, result["findings"])

    def replay(self, strategy, model, findings):
        """Each witness, on every carrier: it shows again what it is a witness of. What another strategy has left as well is replayed once."""
        shown = {}
        for finding in findings:
            shown.setdefault(finding["witness"], []).append(finding)
        for witness in list(shown):
            content = (self.folder / witness).read_bytes()
            if content in self.replayed:
                (self.folder / witness).unlink()
                del shown[witness]
            self.replayed.add(content)
        for carrier in CARRIERS if shown else ():
            _, output = self.replay_on(carrier, WITNESSES)
            lines = {line.split(": ")[0]: line for line in output.splitlines()}  # each tells what its witness shows first
            for witness, promised in sorted(shown.items()):
                told = lines.get(f"FAILS  {witness}", "")
                if all(told_by(told, finding) for finding in promised):
                    continue
                status, output = self.replay_on(carrier, witness)
                for finding in promised:
                    if status != 1 or not told_by(output, finding):
                        self.complain(strategy, model, f"{finding['kind']} ({witness}) does not replay on {carrier}: status {status} {output[-500:]}")

    def replay_on(self, carrier, what):
        run = subprocess.run([self.treadle, "replay", "--carrier", carrier, what], capture_output=True, text=True, timeout=120, cwd=self.folder)
        self.replays += run.stdout.count("FAILS  ") if what == WITNESSES else 1
        return run.returncode, run.stdout + run.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--treadle", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--most", type=int, default=1000)
    parser.add_argument("--shard", default="0/1")
    parser.add_argument("--strategies", type=lambda text: text.split(","), default=[])
    parser.add_argument("--no-replay", action="store_true")
    parser.add_argument("programs", nargs="*")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    shard, shards = map(int, options.shard.split("/"))
    strategies = strategies_of(options.treadle.resolve(), options.strategies)
    chosen = [p for p in all_pins() if not options.programs or p.source.stem in options.programs][shard::shards]
    failed = 0
    for pins in chosen:
        one = Checked(options, pins)
        if one.build():
            for strategy in strategies:
                for model in MODELS:
                    one.judge(strategy, model)
        failed += bool(one.bad)
        print(f"{'FAILED' if one.bad else 'ok    '} {pins}: {one.runs} searches, {one.replays} replays", *one.bad, sep="\n    " if one.bad else "", flush=True)
    print(f"{len(chosen) - failed} of {len(chosen)} hold, with {' '.join(strategies)}")
    return 1 if failed or not chosen or not strategies else 0


if __name__ == "__main__":
    sys.exit(main())

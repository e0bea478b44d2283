#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The optimal search runs each class of the programs in bench/programs/por exactly once, as their first lines promise (bench/classes.py).

  run.py --treadle PATH --work DIR [--most CLASSES] [--shard I/N] [PROGRAM…]
Sizes with more classes than --most are left to bench/peers.py.
"""
import argparse
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "bench"))
from classes import all_cases  # noqa: E402


def build(treadle, case, work):
    program = work / "-".join([case.source.stem, *(flag.replace("=", "_") for flag in case.size())])
    built = subprocess.run([treadle, "cc", "-std=gnu17", "-g", "-O1", *case.flags, case.source, "-o", program, "-pthread"], capture_output=True, text=True)
    return program, built.stdout + built.stderr if built.returncode else ""


def complaints(case, status, result):
    kinds = sorted({finding["kind"] for finding in result["findings"]})
    if case.bug:
        return [] if kinds == case.bug.split(",") and status == 1 else [f"found {kinds}, expected {case.bug}"]
    bad = []
    if result["verdict"] != "clean" or status != 0:
        bad.append(f"{result['verdict']} {kinds}: {result['covers']}")
    if result["executions"] != case.classes:
        bad.append(f"{result['executions']} executions for {case.classes} classes")
    if result["redundant"] or (result["blocked"] and not case.spins):
        bad.append(f"{result['blocked']} blocked, {result['redundant']} redundant executions")
    return bad


def check(treadle, case, work):
    program, complaint = build(treadle, case, work)
    if complaint:
        return [complaint]
    command = [treadle, "check", "--strategy", "optimal", "--model", case.model, "--max-time", "600s", "--json", "-", program]
    run = subprocess.run(command, capture_output=True, text=True, timeout=700, cwd=work)
    if run.returncode not in (0, 1):
        return [f"status {run.returncode}: {run.stdout[-500:]}{run.stderr[-500:]}"]
    return complaints(case, run.returncode, json.loads(run.stdout))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--treadle", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--most", type=int, default=3000)
    parser.add_argument("--shard", default="0/1")
    parser.add_argument("programs", nargs="*")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    shard, shards = map(int, options.shard.split("/"))
    cases = [c for c in all_cases() if c.classes <= options.most and (not options.programs or c.source.stem in options.programs)][shard::shards]
    failed = 0
    for case in cases:
        bad = check(options.treadle.resolve(), case, options.work.resolve())
        failed += bool(bad)
        print(f"{'FAILED' if bad else 'ok    '} {case} {case.model}: {case.bug or case.classes}", *bad, sep="\n    " if bad else "", flush=True)
    print(f"{len(cases) - failed} of {len(cases)} sizes hold")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())

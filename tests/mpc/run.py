#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The programs in bench/programs/mpc have the paths and errors that their first lines promise (inputs.h there says how these are written).

  run.py --treadle PATH --work DIR [--shard I/N] [--long] [--strategy mpc|mpc-s1] [--list] [PROGRAM…]
Every finding is confirmed and is replayed once more. Data races are findings too, and are looked at only where a line names them.
"""
import argparse
import dataclasses
import json
import pathlib
import re
import shlex
import subprocess
import sys
import time

PROGRAMS = pathlib.Path(__file__).resolve().parent.parent.parent / "bench" / "programs" / "mpc"
PROMISE = re.compile(r"// (long-)?(mpc(?:-s1)?): (.*)")
COUNTS = {"paths", "executions", "found-by"}


@dataclasses.dataclass
class Promise:
    """One `mpc:` line."""
    source: pathlib.Path
    long: bool
    strategy: str
    flags: list
    options: list
    kinds: set = dataclasses.field(default_factory=set)
    counts: dict = dataclasses.field(default_factory=dict)
    inputs: dict = dataclasses.field(default_factory=dict)  # of the first finding, by name

    def __str__(self):
        return " ".join([self.source.stem, *(flag.removeprefix("-D") for flag in self.flags), *self.options, self.strategy])


def promise_of(source, long, strategy, text):
    question, _, answer = f" {text}".partition(" : ")
    words, (kinds, *more) = shlex.split(question), answer.split()
    promise = Promise(source, bool(long), strategy, [w for w in words if w.startswith("-D")], [w for w in words if not w.startswith("-D")])
    promise.kinds = {kind for kind in kinds.split(",") if kind != "nothing"}
    for word in more:
        name, value = word.split("=")
        (promise.counts if name in COUNTS else promise.inputs)[name] = int(value)
    return promise


def promises():
    found = []
    for source in sorted(PROGRAMS.glob("*.c*")):
        for line in source.read_text().splitlines():
            if not line.startswith("//"):
                break
            if match := PROMISE.fullmatch(line):
                found.append(promise_of(source, *match.groups()))
    return found


def check(options, promise):
    command = [options.treadle, "check", "--strategy", promise.strategy, "--races", "explore", "--keep-going", "--json", "-", *promise.options]
    command += ["--cflags", " ".join(promise.flags), promise.source]
    return subprocess.run(command, capture_output=True, text=True, timeout=options.seconds, cwd=options.work)


def replays(options, finding):
    run = subprocess.run([options.treadle, "replay", finding["witness"]], capture_output=True, text=True, timeout=60, cwd=options.work)
    return run.returncode == 1 and finding["kind"] in run.stdout


def inputs_of(finding):
    return {one["name"]: one["value"] for one in finding.get("inputs", [])}


def complaints(options, promise):
    run = check(options, promise)
    if run.returncode not in (0, 1):
        return [f"status {run.returncode}: {run.stdout[-500:]}{run.stderr[-500:]}"]
    result, bad, counts = json.loads(run.stdout), [], promise.counts
    findings = [f for f in result["findings"] if f["kind"] != "data-race" or "data-race" in promise.kinds]
    if (found := {f["kind"] for f in findings}) != promise.kinds:
        bad.append(f"found {sorted(found)}, expected {sorted(promise.kinds)}")
    bad += [f"{f['kind']} at {f['location']} is not confirmed" for f in findings if not f["confirmed"]]
    if result["paths"] != counts.get("paths", result["paths"]):
        bad.append(f"{result['paths']} paths, expected {counts['paths']}")
    if result["executions"] > counts.get("executions", result["executions"]):
        bad.append(f"{result['executions']} executions, expected {counts['executions']}")
    if "found-by" in counts and not any(f.get("execution", sys.maxsize) <= counts["found-by"] for f in findings):
        bad.append(f"found in execution {[f.get('execution') for f in findings]}, expected {counts['found-by']}")
    if promise.inputs and not any(promise.inputs.items() <= inputs_of(f).items() for f in findings):
        bad.append(f"found with inputs {[inputs_of(f) for f in findings]}, expected {promise.inputs}")
    complete = result["verdict"] != "incomplete" and "executions only" not in result["covers"]
    if promise.strategy == "mpc" and not complete:
        bad.append(f"covers {result['covers']}")
    bad += [f"{f['kind']} at {f['location']} does not replay" for f in findings if not replays(options, f)]
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--treadle", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--shard", default="0/1")
    parser.add_argument("--long", action="store_true", help="also those that take long")
    parser.add_argument("--strategy", help="only this one")
    parser.add_argument("--seconds", type=int, default=300, help="for each")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("programs", nargs="*")
    options = parser.parse_args()
    options.treadle = options.treadle.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    shard, shards = map(int, options.shard.split("/"))
    chosen = [p for p in promises() if (not options.programs or p.source.stem in options.programs) and (options.long or not p.long)]
    chosen = [p for p in chosen if options.strategy in (None, p.strategy)][shard::shards]
    if options.list:
        for promise in chosen:
            print(promise, sorted(promise.kinds), promise.counts, promise.inputs)
        return 0
    failed = 0
    for promise in chosen:
        before = time.monotonic()
        bad = complaints(options, promise)
        failed += bool(bad)
        print(f"{'FAILED' if bad else 'ok    '} {promise} ({time.monotonic() - before:.1f} s)", *bad, sep="\n    ", flush=True)
    print(f"{len(chosen) - failed} of {len(chosen)} hold")
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The programs in bench/programs/fusion imply what their first lines promise (their header says how these are written).

  run.py --treadle PATH --work DIR [--shard I/N] [--list] [PROGRAM…]
Every finding is confirmed and is replayed once more; what may be listed without being shown is listed apart.
"""
import argparse
import dataclasses
import json
import pathlib
import shlex
import subprocess
import sys

PROGRAMS = pathlib.Path(__file__).resolve().parent.parent.parent / "bench" / "programs" / "fusion"


@dataclasses.dataclass
class Promise:
    """One `predict:` line."""
    source: pathlib.Path
    flags: list
    options: list
    kinds: set = dataclasses.field(default_factory=set)
    unconfirmed: set = dataclasses.field(default_factory=set)
    triples: tuple = ()

    def __str__(self):
        return " ".join([self.source.stem, *(flag.removeprefix("-D") for flag in self.flags), *self.options])


def promise_of(source, text):
    question, _, answer = text.partition(" : ")
    words, (kinds, *more) = shlex.split(question), answer.split()
    promise = Promise(source, [w for w in words if w.startswith("-D")], [w for w in words if not w.startswith("-D")])
    for kind in kinds.split(","):
        if kind.startswith("unconfirmed:"):
            promise.unconfirmed.add(kind.removeprefix("unconfirmed:"))
        elif kind != "nothing":
            promise.kinds.add(kind)
    for word in more:
        promise.triples = tuple(map(int, word.removeprefix("triples=").split("/")))
    return promise


def promises():
    found = []
    for source in sorted(PROGRAMS.glob("*.c*")):
        text = source.read_text()
        head = [line for line in text[:text.index("#include")].splitlines() if line.startswith("// predict:")]
        assert head and len(head) == text.count(" predict:"), f"{source.name} promises nothing, or what it promises stands on no line of its own"
        found += [promise_of(source, line.removeprefix("// predict:")) for line in head]
    return found


def predict(options, promise):
    command = [options.treadle, "predict", "--json", "-", *promise.options, "--cflags", " ".join(promise.flags), promise.source]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=options.work)


def replays(options, finding):
    run = subprocess.run([options.treadle, "replay", finding["witness"]], capture_output=True, text=True, timeout=600, cwd=options.work)
    return run.returncode == 1 and finding["kind"] in run.stdout


def complaints(options, promise):
    run = predict(options, promise)
    if run.returncode not in (0, 1):
        return [f"status {run.returncode}: {run.stdout[-500:]}{run.stderr[-500:]}"]
    result, bad = json.loads(run.stdout), []
    confirmed = [f for f in result["findings"] if f["confirmed"]]
    found, rest = {f["kind"] for f in confirmed}, {f["kind"] for f in result["findings"] if not f["confirmed"]}
    rest |= {f["kind"] for f in result.get("unconfirmed", [])}
    if found != promise.kinds:
        bad.append(f"found {sorted(found)}, expected {sorted(promise.kinds)}")
    if rest != promise.unconfirmed:
        bad.append(f"unconfirmed are {sorted(rest)}, expected {sorted(promise.unconfirmed)}")
    if not promise.kinds and not promise.options and result["verdict"] != "clean":
        bad.append(f"{result['verdict']}, not clean: {result['covers']}")
    if run.returncode != bool(found):
        bad.append(f"status {run.returncode} with {len(confirmed)} findings")
    if promise.triples and (counts := triples_of(result)) != promise.triples:
        bad.append(f"candidates {counts}, expected {promise.triples}")
    bad += [f"{f['kind']} at {f['location']} does not replay" for f in confirmed if not replays(options, f)]
    return bad


def triples_of(result):
    counts = result["predictions"]["atomicity"]
    return tuple(counts[name] for name in ("candidates", "after_happens_before", "after_locks", "real"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--treadle", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--shard", default="0/1")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("programs", nargs="*")
    options = parser.parse_args()
    options.treadle = options.treadle.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    shard, shards = map(int, options.shard.split("/"))
    chosen = [p for p in promises() if not options.programs or p.source.stem in options.programs][shard::shards]
    if options.list:
        for promise in chosen:
            print(promise, sorted(promise.kinds), sorted(promise.unconfirmed), *promise.triples)
        return 0
    failed = 0
    for promise in chosen:
        bad = complaints(options, promise)
        failed += bool(bad)
        print(f"{'FAILED' if bad else 'ok    '} {promise}", *bad, sep="\n    " if bad else "", flush=True)
    print(f"{len(chosen) - failed} of {len(chosen)} hold")
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())

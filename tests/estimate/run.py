#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The estimate of the number of classes is unbiased, on real programs under all memory models.

  run.py --treadle PATH --probes PATH --work DIR exact|sampled|during
exact:   over all executions, each with its probability, the mean is the number of executions that the optimal search makes.
sampled: so it is, within a few standard errors, for some thousand executions at random.
during:  a search that is stopped on its way estimates its size the better the further it has come.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
POR = ROOT / "bench" / "programs" / "por"
PROGRAMS = ROOT / "tests" / "programs"

# (source, flags, models): locks, condition variables, joins, spin loops, readers-writer locks, barriers, semaphores, store buffers
EXACT = [
    (POR / "mutex_counter.c", ["-DN=2"], ["sc", "tso"]),
    (POR / "bounded_buffer.c", ["-DITEMS=1"], ["sc"]),
    (POR / "linux_rwlock.c", ["-DREADERS=1", "-DWRITERS=1"], ["sc"]),
    (POR / "readers_writers.c", ["-DREADERS=1", "-DWRITERS=1"], ["sc"]),
    (POR / "seqlock.c", ["-DREADERS=1", "-DWRITES=1"], ["sc", "tso"]),
    (POR / "spinlock.c", ["-DN=2"], ["sc"]),
    (POR / "ticket_lock.c", ["-DN=2"], ["sc"]),
    (POR / "peterson.c", ["-DROUNDS=1"], ["sc"]),
    (POR / "writers.c", ["-DN=2"], ["sc"]),
    (POR / "writers.c", ["-DN=2", "-DORDER=memory_order_relaxed"], ["tso", "pso"]),
    (POR / "readers.c", ["-DN=2"], ["sc"]),
    (POR / "rcu.c", ["-DREADERS=1", "-DUPDATES=1"], ["sc"]),
    (PROGRAMS / "store_buffering.c", [], ["sc", "tso", "pso"]),
    (PROGRAMS / "message_passing_relaxed.c", ["-DFIXED"], ["sc", "tso", "pso"]),
]
SAMPLED = [
    (POR / "mutex_counter.c", ["-DN=3", "-DROUNDS=3"], ["sc"]),
    (POR / "bounded_buffer.c", ["-DITEMS=3"], ["sc"]),
    (POR / "linux_rwlock.c", ["-DREADERS=2", "-DWRITERS=1"], ["sc"]),
    (POR / "treiber_stack.c", ["-DPUSHERS=2", "-DPOPPERS=2"], ["sc"]),
    (POR / "fib.c", ["-DN=3"], ["sc"]),
    (POR / "writers.c", ["-DN=6"], ["sc"]),
    (POR / "readers.c", ["-DN=11"], ["sc"]),
    (POR / "spinlock.c", ["-DN=3", "-DROUNDS=2"], ["sc"]),
]
# those of which a few probes stand for most classes as well
DURING = [
    (POR / "mutex_counter.c", ["-DN=3", "-DROUNDS=3"], ["sc"]),
    (POR / "treiber_stack.c", ["-DPUSHERS=3", "-DPOPPERS=2"], ["sc"]),
    (POR / "bounded_buffer.c", ["-DPRODUCERS=2", "-DCONSUMERS=1", "-DITEMS=2"], ["sc"]),
    (POR / "fib.c", ["-DN=5"], ["sc"]),
    (POR / "chase_lev.c", ["-DPUSHES=3", "-DTAKES=2", "-DTHIEVES=3"], ["sc"]),
    (POR / "writers.c", ["-DN=7", "-DORDER=memory_order_relaxed"], ["tso"]),
]
# how far off an estimate may be, by the share of the search that was made
TOLERANCE = {0.5: 0.4, 0.9: 0.2}


def output(command):
    run = subprocess.run(command, capture_output=True, text=True, timeout=500)
    if run.returncode not in (0, 1):
        raise SystemExit(f"{command}: status {run.returncode}: {run.stdout[-500:]}{run.stderr[-500:]}")
    return run.stdout


def checked(options, program, model, *more):
    return json.loads(output([options.treadle, "check", "--strategy", "optimal", "--model", model, *more, "--json", "-", program]))


def during(options, program, model, classes):
    """(failed, what was seen) of searches that were stopped on their way."""
    failed, seen = False, []
    for share, tolerance in TOLERANCE.items():
        estimate = checked(options, program, model, "--max-executions", str(int(share * classes)))["estimate"]
        off = estimate["executions"] / classes - 1
        failed |= off > tolerance or (off < -tolerance and not estimate["at_least"] and estimate["method"] != "explored-tree")
        seen.append(f"{share:.0%}: {off + 1:.2f} {'at least, ' if estimate['at_least'] else ''}{estimate['method']}, {estimate['probes']} probes")
    return failed, "; ".join(seen)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--treadle", required=True, type=pathlib.Path)
    parser.add_argument("--probes", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("how", choices=("exact", "sampled", "during"))
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    failed = 0
    for source, flags, models in {"exact": EXACT, "sampled": SAMPLED, "during": DURING}[options.how]:
        program = options.work / "-".join([source.stem, *(f.removeprefix("-D").replace("=", "_") for f in flags)])
        output([options.treadle, "cc", "-std=gnu17", "-g", "-O1", *flags, source, "-o", program, "-pthread"])
        for model in models:
            classes = checked(options, program, model)["executions"]
            if options.how == "during":
                bad, out = during(options, program, model, classes)
            elif options.how == "exact":
                out = output([options.probes, program, model, "stop", "all"])
                match = re.search(r"probability (\S+) ignorant (\S+) mean (\S+)", out)
                bad = not match or abs(float(match[1]) - 1) > 1e-6 or any(abs(float(match[n]) - classes) > 1e-4 * classes for n in (2, 3))
            else:
                out = output([options.probes, program, model, "stop", "3000", "1"])
                match = re.search(r"mean (\S+) error (\S+)", out)
                bad = not match or abs(float(match[1]) - classes) > 4 * float(match[2]) + 1e-4 * classes or float(match[2]) > 0.25 * classes
            failed += bad
            print(f"{'FAILED' if bad else 'ok    '} {program.name} {model}: {classes} classes; {out.strip()}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The estimate of the number of classes is unbiased, on real programs under all memory models.

  run.py --treadle PATH --probes PATH --work DIR exact|sampled
exact:   over all executions, each with its probability, the mean is the number of executions that the optimal search makes.
sampled: so it is, within a few standard errors, for some thousand executions at random.
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


def output(command):
    run = subprocess.run(command, capture_output=True, text=True, timeout=500)
    if run.returncode not in (0, 1):
        raise SystemExit(f"{command}: status {run.returncode}: {run.stdout[-500:]}{run.stderr[-500:]}")
    return run.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--treadle", required=True, type=pathlib.Path)
    parser.add_argument("--probes", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("how", choices=("exact", "sampled"))
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    failed = 0
    for source, flags, models in EXACT if options.how == "exact" else SAMPLED:
        program = options.work / "-".join([source.stem, *(f.removeprefix("-D").replace("=", "_") for f in flags)])
        output([options.treadle, "cc", "-std=gnu17", "-g", "-O1", *flags, source, "-o", program, "-pthread"])
        for model in models:
            search = json.loads(output([options.treadle, "check", "--strategy", "optimal", "--model", model, "--json", "-", program]))
            classes = search["executions"]
            if options.how == "exact":
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

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What workers are worth: the same search with one and with several, alternating, so that a busy machine slows both.

  bench/jobs.py --build build [--jobs N] [--rounds N] [--executions N] [--strategy NAME ...]
Wanted: two workers on two free cores make at least 1.7 times the executions of one.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
WANTED_OF_TWO = 1.7


def search(treadle, program, strategy, jobs, executions):
    run = subprocess.run([treadle, "check", "--json", "-", "--strategy", strategy, "--jobs", str(jobs), "--max-executions", str(executions), "--max-time", "10m", program],
                         check=False, capture_output=True, text=True, cwd=program.parent)
    if run.returncode not in (0, 1):
        sys.exit(run.stderr)
    return json.loads(run.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--executions", type=int, default=100_000)
    parser.add_argument("--strategy", action="append")
    options = parser.parse_args()
    treadle = options.build.resolve() / "bin/treadle"
    print(f"{len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f}")
    holds = True
    with tempfile.TemporaryDirectory(prefix="treadle-bench-") as folder:
        program = pathlib.Path(folder) / "three_threads"
        subprocess.run([treadle, "c++", "-g", "-O2", "-std=c++20", PROGRAMS / "three_threads.cpp", "-o", program, "-pthread"], check=True)
        for strategy in options.strategy or ["exhaustive", "optimal"]:
            rates = {1: [], options.jobs: []}
            for _ in range(options.rounds):
                for jobs in rates:
                    result = search(treadle, program, strategy, jobs, options.executions)
                    rates[jobs].append(result["executions"] / result["seconds"])
            ratio = statistics.median(many / one for one, many in zip(rates[1], rates[options.jobs]))
            holds &= options.jobs != 2 or ratio >= WANTED_OF_TWO
            print(f"{strategy:<12} 1 worker {statistics.median(rates[1]):>9,.0f}/s   {options.jobs} workers {statistics.median(rates[options.jobs]):>9,.0f}/s   ratio {ratio:.2f}", flush=True)
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())

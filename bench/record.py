#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What recording costs: each program built with clang -O2 and with `treadle cc --record -O2`, run in turns, several threads. The figure is the
ratio of processor times of the program (the best of several runs), which other work on the machine disturbs least; the log is given per thread and second."""
import argparse
import math
import pathlib
import resource
import shutil
import subprocess
import sys

GOAL, WORST = 1.15, 1.60


def build(command, source, out):
    cpp = source.suffix == ".cpp"
    subprocess.run([*command(cpp), "-O2", "-w", str(source), "-o", str(out), "-lpthread"], check=True)


def timed(command):
    """Processor seconds and output of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{command}: status {done.returncode}: {done.stdout}{done.stderr}")
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, done.stdout


def best_of(runs, plain, recorded, treadle, rounds, work):
    """In turns, so that what else the machine does hits both."""
    times, log = {"plain": [], "recorded": []}, 0
    threads = 1
    for _ in range(runs):
        seconds, expected = timed([str(plain), str(rounds)])
        times["plain"].append(seconds)
        folder = work / "bench.recording"
        shutil.rmtree(folder, ignore_errors=True)
        seconds, found = timed([treadle, "record", "--recording", str(folder), str(recorded), "--", str(rounds)])
        if not found.startswith(expected):
            sys.exit(f"{recorded}: another result: {found} instead of {expected}")
        times["recorded"].append(processor_seconds(folder))  # the program's own: not that of reading the recording back
        streams = list(folder.glob("thread-*"))
        threads = max(1, len(streams) - 1)
        log = sum(stream.stat().st_size for stream in streams)
    return min(times["plain"]), min(times["recorded"]), log / threads


def processor_seconds(folder):
    """From the file `end`: behind its header a byte, then LEB128: the code, milliseconds, microseconds of processors."""
    data = (folder / "end").read_bytes()[len("treadle recording\n") + 18 :]
    at = 1
    values = []
    for _ in range(3):
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        values.append(value)
    return values[2] / 1e6


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--only", nargs="*")
    options = parser.parse_args()
    here = pathlib.Path(__file__).resolve().parent
    treadle = str(pathlib.Path(options.build).resolve() / "bin/treadle")
    work = pathlib.Path(options.build).resolve() / "bench-record"
    work.mkdir(parents=True, exist_ok=True)
    ratios = []
    print(f"{'program':<12} {'plain':>8} {'recorded':>9} {'ratio':>7} {'log per thread and second':>26}")
    for source in sorted((here / "record").glob("*.c*")):
        if options.only and source.stem not in options.only:
            continue
        plain, recorded = work / f"{source.stem}-plain", work / f"{source.stem}-recorded"
        build(lambda cpp: ["clang++-19" if cpp else "clang-19"], source, plain)
        build(lambda cpp: [treadle, "c++" if cpp else "cc", "--record"], source, recorded)
        before, after, log = best_of(options.runs, plain, recorded, treadle, options.rounds, work)
        ratios.append(after / before)
        print(f"{source.stem:<12} {before:>7.2f}s {after:>8.2f}s {after / before:>7.2f} {log / after / 1e6:>23.1f} MB", flush=True)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"geometric mean {mean:.2f} (goal {GOAL}), worst {max(ratios):.2f} (goal {WORST})")
    return 0 if mean <= GOAL and max(ratios) <= WORST else 1


sys.exit(main())

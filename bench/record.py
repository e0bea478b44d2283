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
HERE = pathlib.Path(__file__).resolve().parent
# Programs that have failures to be recorded, without them and with more to do. What they print depends on the order of their threads.
PROGRAMS = {
    "racey.c": ["-DITERATIONS=300000", "-DNDEBUG"],
    "bbuf.c": ["-DFIXED", "-DITEMS=30000"],
    "sbuf.c": ["-DFIXED", "-DLENGTH=3000000"],
    "aget.c": ["-DFIXED", "-DPIECES=200000"],
    "pbzip2.cpp": ["-DFIXED", "-DBLOCKS=10000"],
}


def build(command, source, flags, out):
    cpp = source.suffix == ".cpp"
    subprocess.run([*command(cpp), "-O2", "-w", *flags, str(source), "-o", str(out), "-lpthread"], check=True)


def timed(command):
    """Processor seconds and output of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{command}: status {done.returncode}: {done.stdout}{done.stderr}")
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, done.stdout


def best_of(runs, plain, recorded, treadle, rounds, work, compare):
    """In turns, so that what else the machine does hits both."""
    times, log = {"plain": [], "recorded": []}, 0
    threads = 1
    for _ in range(runs):
        seconds, expected = timed([str(plain), str(rounds)])
        times["plain"].append(seconds)
        folder = work / "bench.recording"
        shutil.rmtree(folder, ignore_errors=True)
        seconds, found = timed([treadle, "record", "--recording", str(folder), str(recorded), "--", str(rounds)])
        if compare and not found.startswith(expected):
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


def measured(folder, runs, rounds, only=None):
    """Name, seconds without and with recording, bytes of log per thread and second."""
    treadle = str(folder.resolve() / "bin/treadle")
    work = folder.resolve() / "bench-record"
    work.mkdir(parents=True, exist_ok=True)
    kernels = [(source, [], True) for source in sorted((HERE / "record").glob("*.c*"))]
    programs = [(HERE / "programs/record" / name, flags, False) for name, flags in PROGRAMS.items()]
    for source, flags, compare in kernels + programs:
        if only and source.stem not in only:
            continue
        plain, recorded = work / f"{source.stem}-plain", work / f"{source.stem}-recorded"
        build(lambda cpp: ["clang++-19" if cpp else "clang-19"], source, flags, plain)
        build(lambda cpp: [treadle, "c++" if cpp else "cc", "--record"], source, flags, recorded)
        before, after, log = best_of(runs, plain, recorded, treadle, rounds, work, compare)
        yield source.stem, before, after, log / after


def mean_of(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--only", nargs="*")
    options = parser.parse_args()
    ratios = []
    print(f"{'program':<12} {'plain':>8} {'recorded':>9} {'ratio':>7} {'log per thread and second':>26}")
    for name, before, after, log in measured(options.build, options.runs, options.rounds, options.only):
        ratios.append(after / before)
        print(f"{name:<12} {before:>7.2f}s {after:>8.2f}s {after / before:>7.2f} {log / 1e6:>23.1f} MB", flush=True)
    mean = mean_of(ratios)
    print(f"geometric mean {mean:.2f} (goal {GOAL}), worst {max(ratios):.2f} (goal {WORST})")
    return 0 if mean <= GOAL and max(ratios) <= WORST else 1


if __name__ == "__main__":
    sys.exit(main())

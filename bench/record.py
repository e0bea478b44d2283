#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What recording costs: each program built with clang -O2 and with `treadle cc --record -O2`, run in turns, several threads.

  bench/record.py --build build [--runs N] [--only NAME …] [--write]
The figure is the ratio of processor times of the program (the best of several runs), which other work on the machine disturbs least. "Not
stored": the recorded program by itself, where what it records goes to a buffer that nobody reads. The log is given per second of a thread.
With --write the table replaces the one in bench/RESULTS.md."""
import argparse
import datetime
import math
import os
import pathlib
import resource
import shutil
import subprocess
import sys

GOAL, WORST = 1.15, 1.60
HERE = pathlib.Path(__file__).resolve().parent
# Programs that have failures to be recorded, without them and with more to do. What they print depends on the order of their threads.
PROGRAMS = {
    "racey.c": ["-DITERATIONS=400000", "-DNDEBUG"],
    "bbuf.c": ["-DFIXED", "-DITEMS=20000"],
    "sbuf.c": ["-DFIXED", "-DLENGTH=12000000"],
    "pfscan.c": ["-DFIXED", "-DFILES=40000"],
    "aget.c": ["-DFIXED", "-DPIECES=2000000"],
    "pbzip2.cpp": ["-DFIXED", "-DBLOCKS=20000", "-DLENGTH=20000"],
}
KERNEL_ROUNDS = 2


class Row:
    def __init__(self, name, plain, unstored, recorded, log):
        self.name, self.plain, self.recorded = name, plain, recorded
        self.unstored_ratio, self.ratio = unstored / plain, recorded / plain
        self.log = log / recorded  # bytes per second of a thread


def build(command, source, flags, out):
    cpp = source.suffix == ".cpp"
    subprocess.run([*command(cpp), "-O2", "-w", *flags, str(source), "-o", str(out), "-lpthread"], check=True)


def timed(command):
    """Processor seconds and output of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{command}: status {done.returncode}: {done.stdout}{done.stderr}")
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, done.stdout


def best_of(runs, plain, recorded, treadle, rounds, work, compare):
    """In turns, so that what else the machine does hits all."""
    times, log = {"plain": [], "unstored": [], "recorded": []}, 0
    folder = work / "bench.recording"
    for _ in range(runs):
        seconds, expected = timed([str(plain), str(rounds)])
        times["plain"].append(seconds)
        times["unstored"].append(timed([str(recorded), str(rounds)])[0])
        shutil.rmtree(folder, ignore_errors=True)
        _, found = timed([treadle, "record", "--recording", str(folder), str(recorded), "--", str(rounds)])
        if compare and not found.startswith(expected):
            sys.exit(f"{recorded}: another result: {found} instead of {expected}")
        times["recorded"].append(processor_seconds(folder))  # the program's own: not that of reading the recording back
        log = sum(stream.stat().st_size for stream in folder.glob("thread-*"))
    shutil.rmtree(folder)
    return min(times["plain"]), min(times["unstored"]), min(times["recorded"]), log


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


def measured(folder, runs, rounds=KERNEL_ROUNDS, only=None):
    """A Row for each program."""
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
        yield Row(source.stem, *best_of(runs, plain, recorded, treadle, rounds, work, compare))


def mean_of(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def write(rows, command):
    """Replaces the table of the section and what stands above it; what is said below it stays."""
    holds = lambda ratio, most: "yes" if ratio <= most else "**no**"
    mean, unstored = mean_of([row.ratio for row in rows]), mean_of([row.unstored_ratio for row in rows])
    lines = [f"## Recording, {datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d}", "",
             f"`{command}` on {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the end. Processor seconds of the recorded program against clang -O2, in turns, the best of the runs.",
             '"Not stored": the recorded program by itself, where what it records goes to a buffer that nobody reads.', "",
             "| program | plain, s | not stored | recorded | wanted | holds | log per thread and second, MB |", "|---|---|---|---|---|---|---|"]
    lines += [f"| {row.name} | {row.plain:.2f} | {row.unstored_ratio:.2f} | {row.ratio:.2f} | <= {WORST:.2f} | {holds(row.ratio, WORST)} | {row.log / 1e6:.1f} |" for row in rows]
    lines.append(f"| geometric mean | | {unstored:.2f} | {mean:.2f} | <= {GOAL:.2f} | {holds(mean, GOAL)} | |")
    results = HERE / "RESULTS.md"
    before, found, rest = results.read_text().partition("## Recording, ")
    said, after = "", ""
    if found:
        section, next_one, after = rest.partition("\n## ")
        said = section.rpartition("\n|")[2].partition("\n")[2].strip("\n")
        after = "\n\n## " + after.rstrip("\n") if next_one else ""
    text = before.rstrip("\n") + "\n\n" + "\n".join(lines) + ("\n\n" + said if said else "")
    results.write_text(text + after + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows = []
    print(f"{'program':<12} {'plain':>8} {'recorded':>9} {'not stored':>11} {'ratio':>7} {'log per thread and second':>26}")
    for row in measured(options.build, options.runs, only=options.only):
        rows.append(row)
        print(f"{row.name:<12} {row.plain:>7.2f}s {row.recorded:>8.2f}s {row.unstored_ratio:>11.2f} {row.ratio:>7.2f} {row.log / 1e6:>23.1f} MB", flush=True)
    mean, worst = mean_of([row.ratio for row in rows]), max(row.ratio for row in rows)
    print(f"geometric mean {mean:.3f} (goal {GOAL}), worst {worst:.2f} (goal {WORST}); not stored {mean_of([row.unstored_ratio for row in rows]):.3f}")
    if options.write:
        write(rows, f"bench/record.py --runs {options.runs}")
    return 0 if mean <= GOAL and worst <= WORST else 1


if __name__ == "__main__":
    sys.exit(main())

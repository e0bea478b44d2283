#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Paths over schedules and inputs: what the programs of the paper on maximal path causality take, beside the paper's own figures.

  bench/mpc.py --build build [--limit SECONDS] [--jobs N] [--s1] [ROW…]
Prints Markdown. A row is named as in the first column (M7, Dekker1, …). Seconds are those of the processor, of all processes, without compiling: the
machine may have other things to do. "x paper" is the paper's time over ours; where ours has other paths than
the paper's program, of which only the description is known, compare paths per second. Exit status 1 when a row with an error does not find it.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs" / "mpc"


@dataclasses.dataclass
class Row:
    name: str
    source: str
    flags: str
    paths: int  # of the paper
    seconds: float  # of the paper, one worker
    finds: bool = False  # an error is there to be found
    wanted: float = None  # seconds at most; None: a twentieth of the paper's


ROWS = [
    *(Row(f"M{n}", "fig_2.c", f"-DEXTRA={n}", paths, seconds, True, wanted)
      for n, paths, seconds, wanted in ((0, 10, 0.79, None), (1, 16, 1.55, None), (3, 52, 5.43, None), (5, 196, 38.1, None), (7, 772, 830, 20), (9, 2462, 3600, 3600))),
    Row("Racey", "racey.c", "-DCHECKS=10", 432, 459.65, True, 60),
    Row("Dekker1", "dekker.c", "-DP=20", 929, 84.47),
    Row("Dekker2", "dekker.c", "-DP=30", 2970, 346.23),
    Row("Spinlock1", "spinlock.c", "-DT=2 -DK=5", 522, 66.38),
    Row("Spinlock2", "spinlock.c", "-DT=3 -DK=3", 1357, 208.47),
    Row("Linuxrwlock", "linuxrwlock.c", "-DT=2 -DK=5", 1910, 2108.39),
    Row("MSQueue", "msqueue.c", "-DT=2 -DK=5", 539, 246.12),
    Row("Seqlock", "seqlock.c", "-DT=3 -DK=3", 3877, 782.51),
]


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def searched(treadle, row, strategy, options, where, *more):
    command = [treadle, "check", "--strategy", strategy, "--races", "explore", "--keep-going", "--max-time", f"{int(options.limit)}s", "--jobs", str(options.jobs),
               "--cflags", row.flags, "--json", "result.json", "--out", "out", *more, PROGRAMS / row.source]
    ran = subprocess.run(command, cwd=where, capture_output=True, text=True, timeout=options.limit + 120, check=False)
    if ran.returncode not in (0, 1):
        sys.exit(f"{row.name}: status {ran.returncode}: {ran.stderr.strip()}")
    return json.loads((where / "result.json").read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--limit", type=float, default=120, help="seconds for one search")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--s1", action="store_true", help="the paper's Strategy 1 instead")
    parser.add_argument("rows", nargs="*")
    options = parser.parse_args()
    treadle = options.build.resolve() / "bin" / "treadle"
    missed = []
    print("| program | paths | paper's | executions | s | executions/s | questions | s of solving | ms a question | paper's s | x paper | wanted s | holds |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="treadle-bench-") as folder:
        for row in ROWS:
            if options.rows and row.name not in options.rows:
                continue
            strategy = "mpc-s1" if options.s1 else "mpc"
            searched(treadle, row, strategy, options, pathlib.Path(folder), "--max-executions", "1")  # compiles it, once for all
            before = processor_seconds()
            result = searched(treadle, row, strategy, options, pathlib.Path(folder))
            solver, seconds, wanted = result["solver"], processor_seconds() - before, row.wanted or row.seconds / 20
            ended = result["verdict"] != "incomplete" and "limit" not in result["covers"]
            if row.finds and not options.s1 and not any(f["kind"] in ("assertion", "crash") for f in result["findings"]):
                missed.append(row.name)
            print(f"| {row.name} {row.flags} | {result['paths']:,}{'' if ended else ' so far'} | {row.paths:,} | {result['executions']:,} | {seconds:.2f} | {result['executions'] / seconds:,.0f} | "
                  f"{solver['queries']:,} | {solver['seconds']:.2f} | {1000 * solver['seconds'] / max(solver['queries'], 1):.2f} | {row.seconds:,.1f} | {row.seconds / seconds:.1f} | "
                  f"{wanted:.1f} | {'yes' if ended and seconds <= wanted else '**no**'} |", flush=True)
    print(f"\n{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, --jobs {options.jobs}")
    for name in missed:
        print(f"{name}: the error was not found", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

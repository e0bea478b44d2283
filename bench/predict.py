#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What prediction costs: the same saved runs asked about with the solver for orders and with plain Z3, orders as integers; and a long run.

  bench/predict.py --build build [--limit SECONDS] [--rounds N]
Processor seconds for all questions about a run, without the run itself and the replays. --limit is for each question; what it leaves
unanswered is counted. --rounds is the length of the long run (1100: some 93,000 events; 0: none), which has about 1,000 pairs and as many
triples.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs" / "fusion"
SMALL = [("symbolic_fig_1.c", "", "assertion"), ("banking.c", "-DTHREADS=2", "assertion"), ("banking.c", "-DTHREADS=2 -DA", "assertion"),
         ("banking.c", "-DTHREADS=5", "assertion"), ("indexer.c", "-DTHREADS=15", "assertion"), ("indexer.c", "-DTHREADS=15 -DA", "assertion"),
         ("bank.c", "-DTHREADS=2", "atomicity"), ("bank.c", "-DTHREADS=4 -DNAV", "atomicity"), ("bank.c", "-DTHREADS=8 -DNAV", "atomicity"),
         ("atom001.c", "", "atomicity"), ("atom002.c", "", "atomicity"), ("lock_order.c", "", "deadlock"), ("publish.c", "", "race")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--limit", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=1100)
    options = parser.parse_args()
    tools = options.build.resolve() / "bin"
    with tempfile.TemporaryDirectory(prefix="treadle-bench-") as folder:
        folder = pathlib.Path(folder)

        def saved(source, flags):
            program, trace = folder / "program", folder / "run.trace"
            subprocess.run([tools / "treadle", "cc", "--symbolic", "-g", "-O1", *flags.split(), PROGRAMS / source, "-o", program, "-pthread"], check=True)
            subprocess.run([tools / "treadle", "predict", "--only", "race", "--out", folder / "out", "--save-trace", trace, program], capture_output=True, check=False)
            return trace

        def asked(trace, kind, solver, limit):
            run = subprocess.run([tools / "bench_predict", trace, "--only", kind, "--solver", solver, "--limit", str(limit)], check=True, capture_output=True, text=True)
            return json.loads(run.stdout)

        print("| program | events | asked about | questions | ours, s | Z3, s | Z3 / ours |\n|---|---|---|---|---|---|---|")
        for source, flags, kind in SMALL:
            trace = saved(source, flags)
            ours, reference = asked(trace, kind, "acyclic", options.limit), asked(trace, kind, "z3", options.limit)
            left = f" ({reference['unanswered']} without an answer)" if reference["unanswered"] else ""
            if not reference["unanswered"] and not ours["unanswered"]:
                assert reference["predictions"] == ours["predictions"], (source, flags, ours, reference)
            print(f"| {source} {flags} | {ours['events']:,} | {kind} | {ours['questions']} | {ours['cpu']:.3f} | {reference['cpu']:.3f}{left} | "
                  f"{reference['cpu'] / max(ours['cpu'], 0.001):.0f} |", flush=True)
        if options.rounds == 0:
            return 0
        print("\n| long run | events | asked about | questions | without an answer | s | MiB |\n|---|---|---|---|---|---|---|")
        for flags in (f"-DROUNDS={options.rounds} -DPLAIN", f"-DROUNDS={options.rounds}", f"-DROUNDS={options.rounds} -DONCE=9 -DTWICE=4"):
            trace = saved("long_run.c", flags)
            for kind in ("race", "atomicity"):
                ours = asked(trace, kind, "acyclic", options.limit)
                print(f"| long_run.c {flags} | {ours['events']:,} | {kind} | {ours['questions']} | {ours['unanswered']} | {ours['cpu']:.1f} | {ours['megabytes']} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

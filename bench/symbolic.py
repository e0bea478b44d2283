#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a symbolic build costs that has no symbolic inputs: the same schedules on it and on the plain build, alternating. Processor time of
the program alone.

  bench/symbolic.py --build build [--rounds N]
Prints a table: executions as `check` makes them, and executions whose expressions are recorded (what `predict` does once).
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = [("three_threads.cpp", 3000, []), ("small.c", 6000, []), ("indexer.c", 3000, []), ("fsbench.c", 3000, []), ("indexer_cas.c", 3000, []),
            ("loops.c", 1, ["20"]), ("containers.cpp", 1, ["60"]), ("fusion/banking.c", 600, []), ("fusion/bank.c", 600, []),
            ("fusion/bounded_buffer.c", 3000, []), ("fusion/atom002.c", 600, [])]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    tools = options.build.resolve() / "bin"
    worst = {"stop": 0.0, "expressions": 0.0}
    with tempfile.TemporaryDirectory(prefix="treadle-bench-") as folder:
        print("| program | µs of an execution, plain | symbolic | ratio | recorded: plain | symbolic | ratio |\n|---|---|---|---|---|---|---|")
        for name, executions, arguments in PROGRAMS:
            source = HERE / "programs" / name
            built = {}
            for kind in ("plain", "symbolic"):
                built[kind] = pathlib.Path(folder) / f"{source.stem}-{kind}"
                compiler = ["c++", "-std=c++20"] if source.suffix == ".cpp" else ["cc"]
                subprocess.run([tools / "treadle", *compiler, *(["--symbolic"] if kind == "symbolic" else []), "-g", "-O2", source, "-o", built[kind], "-pthread"],
                               check=True)
            cells = []
            for how in ("stop", "expressions"):
                cost = {"plain": [], "symbolic": []}
                for _ in range(options.rounds):
                    for kind, program in built.items():
                        run = subprocess.run([tools / "bench_executions", program, "reset", str(executions), how, *arguments], check=True, capture_output=True, text=True)
                        result = json.loads(run.stdout)
                        cost[kind].append(1e6 * result["program_cpu"] / result["executions"])
                plain, symbolic = (statistics.median(cost[kind]) for kind in ("plain", "symbolic"))
                worst[how] = max(worst[how], symbolic / plain)
                cells += [f"{plain:,.1f}", f"{symbolic:,.1f}", f"{symbolic / plain:.2f}"]
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    print(f"\nworst: {worst['stop']:.2f}, wanted <= 3; with expressions recorded {worst['expressions']:.2f}")
    return 0 if worst["stop"] <= 3 else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recordings reproduced: each program of bench/programs/record is recorded until it fails, by the software back end, by emulated Intel PT with
it, and by emulated Intel PT alone; then reproduced, and the witness replayed again and again on all carriers. What does not hold is said, and the
exit status is 1. Also a long test."""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs/record"
CARRIERS = ("reset", "fork", "kernel")
BACKENDS = ("software", "both", "pt")
CRASHES = ("use-after-free", "null-dereference", "crash", "heap-error", "destroyed-object")


class Case:
    """`build`: flags that belong to the program; `native`, `emulated`: what provokes its failure on the machine, and one instruction at a time. When the
    machine had to be helped, the program that is led does not know it."""

    def __init__(self, name, source, build="", native="", emulated=None, kinds=("assertion",), model=None, seed=None, build_emulated=None,
                 backends=BACKENDS, needs_order=False):
        self.name, self.source, self.native, self.kinds, self.model, self.seed = name, PROGRAMS / source, native, kinds, model, seed
        self.build = {backend: build if backend == "software" or build_emulated is None else build_emulated for backend in BACKENDS}
        self.emulated = native if emulated is None else emulated
        self.backends, self.needs_order = backends, needs_order

    def provoked(self, backend):
        return self.native if backend == "software" else self.emulated


# `seed`: by how many per cent the seed's core-based reduction makes read-write constraints fewer. racey fails in one run of 32; where a run takes
# seconds, in one of 8. Its branches on what raced are too many for paths alone (docs/decisions/0009-following-a-recording.md).
CASES = [
    Case("bbuf", "bbuf.c", "-DDELAY=200", seed=28.2),
    Case("sbuf", "sbuf.c", "-DDELAY=1000", seed=31.1),
    Case("pfscan", "pfscan.c", "-DDELAY=300", seed=33.3),
    Case("aget", "aget.c", "-DDELAY=200"),
    Case("aget hangs", "aget.c", "-DDELAY=200 -DDEADLOCK", kinds=("deadlock",)),
    Case("pbzip2", "pbzip2.cpp", "-DDELAY=300", kinds=CRASHES, seed=33.9),
    Case("racey 500", "racey.c", "-DITERATIONS=500", native="-DSHUFFLE=30", emulated="", build_emulated="-DITERATIONS=500 -DONE_IN=8", seed=90.7),
    Case("racey 1000", "racey.c", "-DITERATIONS=1000", native="-DSHUFFLE=30", emulated="", build_emulated="-DITERATIONS=1000 -DONE_IN=8", seed=99.5),
    Case("racey 1500", "racey.c", "-DITERATIONS=1500", native="-DSHUFFLE=30", emulated="", build_emulated="-DITERATIONS=1500 -DONE_IN=8", seed=99.7),
    Case("racey, branches", "racey.c", "-DITERATIONS=500 -DBRANCHES -DONE_IN=8", backends=("both", "pt"), needs_order=True),
    Case("fig. 6.1", "fig_6_1.c", native="-DPSO_MACHINE=20000", model="pso"),
    Case("dekker", "dekker.c", "-DDELAY=50", native="-DALIGN", emulated="-DTSO_MACHINE=20000"),
    Case("peterson", "peterson.c", "-DDELAY=50", native="-DALIGN", emulated="-DTSO_MACHINE=20000"),
    Case("bakery", "bakery.c", "-DDELAY=50", native="-DALIGN", emulated="-DTSO_MACHINE=20000"),
]


class Wrong(Exception):
    pass


class Bench:
    def __init__(self, options):
        self.options = options
        self.treadle = str(options.build.resolve() / "bin/treadle")
        self.work = options.work.resolve()

    def run(self, folder, *words, timeout=1500):
        return subprocess.run([self.treadle, *map(str, words)], cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=timeout)

    def record(self, case, backend, folder):
        flags = f"{case.build[backend]} {case.provoked(backend)}".split()
        build = {"software": "--record", "both": "--record=both", "pt": "--record=pt"}[backend]
        program = folder / "recorded"
        built = self.run(folder, "c++" if case.source.suffix == ".cpp" else "cc", build, "-O2", *flags, case.source, "-o", program)
        if built.returncode != 0:
            raise Wrong(f"not built: {built.stderr.strip()}")
        processor = [] if backend == "software" else ["--emulate-pt"]
        done = self.run(folder, "record", *processor, "--recording", "failing.recording", "--until-fails", "3000" if not processor else "300",
                        *(["--hang-after", "4s"] if "deadlock" in case.kinds else []), program)
        if done.returncode != 1:
            raise Wrong(f"it did not fail: {done.stdout.strip()} {done.stderr.strip()}")

    def reproduce(self, case, backend, folder, *words):
        model = ["--model", case.model] if case.model else []
        done = self.run(folder, "reproduce", *words, *model, "--max-time", self.options.max_time, "--json", "result.json",
                        *([f"--cflags={case.build[backend]}"] if case.build[backend] else []), "failing.recording", case.source)
        if done.returncode != 1:
            raise Wrong(f"status {done.returncode}: {done.stdout.strip()[-400:]} {done.stderr.strip()[-400:]}")
        return json.loads((folder / "result.json").read_text())

    def replays(self, folder, finding):
        [witness] = (folder / ".treadle").glob("*.witness")
        for carrier in CARRIERS:
            for i in range(self.options.replays):
                again = self.run(folder, "replay", "--carrier", carrier, witness)
                if again.returncode != 1 or finding["message"] not in again.stdout:
                    raise Wrong(f"replay {i + 1} on {carrier}: status {again.returncode}: {again.stdout.strip()[-300:]} {again.stderr.strip()[-300:]}")

    def one(self, case, backend):
        folder = self.work / f"{case.name.replace(' ', '-')}-{backend}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        begin = time.monotonic()
        self.record(case, backend, folder)
        recorded = time.monotonic() - begin
        result = self.reproduce(case, backend, folder)
        [finding] = result["findings"]
        if finding["kind"] not in case.kinds or not finding["confirmed"]:
            raise Wrong(f"another failure: {finding['kind']}: {finding['message']}")
        self.replays(folder, finding)
        figures = result["figures"]
        without, along = figures.get("read_write_constraints"), figures.get("read_write_constraints_with_core_order")
        fewer = 100 - 100 * along / without if without and along is not None else None
        if backend != "software" and not case.needs_order:
            other = self.reproduce(case, backend, folder, "--no-core-order")
            if [f["kind"] for f in other["findings"]] != [finding["kind"]]:
                raise Wrong(f"another verdict without the order on each core: {other['verdict']}")
        if case.model == "pso":
            for model in ("sc", "tso"):
                excluded = self.run(folder, "reproduce", "--model", model, "failing.recording", case.source)
                if excluded.returncode != 0 or f"unreachable under {model.upper()}" not in excluded.stdout:
                    raise Wrong(f"not unreachable under {model}: {excluded.stdout.strip()}")
        shutil.rmtree(folder, ignore_errors=True)
        return recorded, result, without, along, fewer


def sentence_of(wrong, replays, command):
    load = f"load {os.getloadavg()[0]:.0f} at the end"
    held = "all as recorded" if not wrong else f"{wrong} recordings did not hold"
    return f"`{command}` on {os.cpu_count()} cores, {load}; {replays} replays of each witness on each of {', '.join(CARRIERS)}: {held}."


def write(rows, sentence, path):
    """The table, in Markdown."""
    lines = [sentence, "", "| program | recorded by | recorded in, s | model | reproduced in, s | runs | constraints | with the order on each core | fewer | seed |",
             "|---|---|---|---|---|---|---|---|---|---|"]
    for case, backend, recorded, result, without, along, fewer in rows:
        cells = [case.name, backend, f"{recorded:.1f}", result["model"].upper(), f"{result['seconds']:.2f}", f"{result['executions']:,}",
                 "" if without is None else f"{without:,}", "" if along is None else f"{along:,}", "" if fewer is None else f"{fewer:.1f} %",
                 "" if case.seed is None or backend == "software" else f"{case.seed} %"]
        lines.append("| " + " | ".join(cells) + " |")
    path.write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/bench-reproduce"))
    parser.add_argument("--only", nargs="*", help="programs")
    parser.add_argument("--backends", nargs="*", default=BACKENDS, choices=BACKENDS)
    parser.add_argument("--replays", type=int, default=20, help="on each carrier")
    parser.add_argument("--max-time", default="1200s")
    parser.add_argument("--table", type=pathlib.Path, help="a file for the table in Markdown, as in RESULTS.md")
    options = parser.parse_args()
    bench, wrong, rows = Bench(options), 0, []
    print(f"{'program':<15} {'recorded by':<9} {'recorded in':>11} {'model':>5} {'reproduced in':>13} {'runs':>7} {'read-write constraints':>24} {'with core order':>16} "
          f"{'fewer':>7} {'seed':>6}")
    for case in CASES:
        if options.only and case.name not in options.only and case.source.stem not in options.only:
            continue
        for backend in case.backends:
            if backend not in options.backends:
                continue
            try:
                recorded, result, without, along, fewer = bench.one(case, backend)
            except (Wrong, subprocess.TimeoutExpired) as problem:
                wrong += 1
                print(f"{case.name:<15} {backend:<9} {problem}", flush=True)
                continue
            rows.append((case, backend, recorded, result, without, along, fewer))
            print(f"{case.name:<15} {backend:<9} {recorded:>10.1f}s {result['model']:>5} {result['seconds']:>12.2f}s {result['executions']:>7} "
                  f"{without if without is not None else '-':>24} {along if along is not None else '-':>16} {'-' if fewer is None else f'{fewer:.1f} %':>7} "
                  f"{case.seed or '-':>6}", flush=True)
            if fewer is not None and case.seed is not None and fewer < case.seed:
                wrong += 1
                print(f"{case.name:<15} {backend:<9} fewer constraints by {fewer:.1f} % only, the seed by {case.seed} %", flush=True)
    sentence = sentence_of(wrong, options.replays, "bench/reproduce.py" + "".join(f" --only {name}" for name in options.only or []))
    print(sentence)
    if options.table:
        write(rows, sentence, options.table)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

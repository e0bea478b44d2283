#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The programs of the maximal causality papers: executions and seconds of each strategy and of the peers, and what static dependence saves.

  mcr.py [--build DIR] [--models sc,tso,pso] [--limit SECONDS] [--genmc PATH] [--nidhugg PATH] [PROGRAM…]
Prints Markdown. A ratio is the number of executions of `optimal` over that of the strategy. The peers run the programs with relaxed atomics
(-DATOMIC), since they stop at a data race; the executions are the same.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

from peer_tools import Measured, Nidhugg, peers, run
from pins import MODELS, all_pins

STRATEGIES = ("optimal", "mcr", "se-mcr", "value", "rf")
STATIC = ("mcr", "mcr-s", "mcr-s+")


class NidhuggRf(Nidhugg):
    name = "Nidhugg rf"
    models = ("sc",)
    option_sets = ((),)

    def command(self, case, options):
        return [self.binary, *case.flags, "--", "-sc", "-rf", "-disable-mutex-init-requirement", *options, case.source]


class Sized:
    """What peer_tools wants to know of a program."""

    def __init__(self, pins, model):
        self.source, self.flags, self.model = pins.source, (*pins.flags, "-DATOMIC"), model


class Bench:
    def __init__(self, options, where):
        self.options, self.where = options, where
        self.treadle = options.build.resolve() / "bin" / "treadle"
        refused = subprocess.run([self.treadle, "check", "--strategy", "none", "/bin/true"], capture_output=True, text=True)
        self.known = (refused.stdout + refused.stderr).replace(",", " ").split()
        self.peers, self.said = peers(options, where)
        self.peers += [NidhuggRf(p.binary, where) for p in self.peers if isinstance(p, Nidhugg)]

    def build(self, pins):
        program = self.where / "program"
        subprocess.run([self.treadle, "cc", "-std=gnu17", "-g", "-O2", *pins.flags, pins.source, "-o", program, "-pthread"], check=True)
        return program

    def ours(self, program, strategy, model):
        """Measured, and the report."""
        limit = self.options.limit
        command = [self.treadle, "check", "--strategy", strategy, "--model", model, "--races", "explore", "--max-time", f"{int(limit)}s",
                   "--json", "result.json", program]
        status, output, seconds, cpu, kilobytes = run(command, limit + 10, self.where)
        if status not in (0, 1):
            return Measured(failure="limit" if status is None else f"status {status}: {output.strip()[-100:]}"), {}
        report = json.loads((self.where / "result.json").read_text())
        failure = "limit" if report["verdict"] == "incomplete" else ""
        return Measured(seconds, cpu, 0, 0, report["executions"], report["blocked"], kilobytes, failure), report

    def executions(self, chosen):
        strategies = [s for s in STRATEGIES if s in self.known]
        names = [*strategies, *(p.name for p in self.peers)]
        print("## Executions (processor seconds)\n")
        print("| program | model | " + " | ".join(names) + " |" + "".join(f" optimal / {s} |" for s in strategies[1:]))
        print("|---|---|" + "---|" * (len(names) + len(strategies) - 1))
        for pins in chosen:
            program = self.build(pins)
            for model in self.options.models:
                measured = [self.ours(program, strategy, model)[0] for strategy in strategies]
                theirs = [p.once(Sized(pins, model), self.options.limit, p.option_sets[0]) if model in p.models else None for p in self.peers]
                first, *rest = measured
                ratios = [f"{first.executions / m.executions:.1f}" if not (first.failure or m.failure) and m.executions else "" for m in rest]
                print(f"| {pins} | {model} | " + " | ".join([*map(shown, [*measured, *theirs]), *ratios]) + " |", flush=True)

    def static_dependence(self, chosen):
        strategies = [s for s in STATIC if s in self.known]
        if len(strategies) < 2:
            return
        print("\n## What static dependence saves: executions, reads considered, constraints, seconds of solving\n")
        print("| program | model | " + " | ".join(strategies) + " | constraints saved | solving saved |")
        print("|---|---|" + "---|" * (len(strategies) + 2))
        for pins in chosen:
            program = self.build(pins)
            for model in self.options.models:
                reports = [self.ours(program, strategy, model)[1] for strategy in strategies]
                solvers = [r.get("solver", {}) for r in reports]
                cells = [f"{r.get('executions', '–')}, {s.get('reads', '–')}, {s.get('constraints', '–')}, {s.get('seconds', 0):.3f}" for r, s in zip(reports, solvers)]
                print(f"| {pins} | {model} | " + " | ".join([*cells, saved(solvers, "constraints"), saved(solvers, "seconds")]) + " |", flush=True)


def shown(measured):
    if measured is None:
        return ""
    if measured.failure:
        return "> limit" if measured.failure == "limit" else measured.failure.replace("|", "/").replace("\n", " ")[:40]
    return f"{measured.executions:,} ({measured.cpu:.2f})"


def saved(solvers, what):
    """By the last strategy, against the first."""
    first, last = solvers[0].get(what), solvers[-1].get(what)
    return f"{100 * (1 - last / first):.1f} %" if first and last is not None else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--models", type=lambda text: text.split(","), default=list(MODELS))
    parser.add_argument("--limit", type=float, default=60, help="seconds for one run")
    parser.add_argument("--genmc", help="the program (default: $GENMC, or genmc on PATH)")
    parser.add_argument("--nidhugg", help="the program (default: $NIDHUGG, or nidhugg on PATH)")
    parser.add_argument("--no-static", action="store_true", help="without the second table")
    parser.add_argument("programs", nargs="*", help="names, without .c")
    options = parser.parse_args()
    chosen = [p for p in all_pins() if p.runs and (not options.programs or p.source.stem in options.programs)]
    with tempfile.TemporaryDirectory(prefix="treadle-mcr-") as folder:
        bench = Bench(options, pathlib.Path(folder))
        for text in bench.said:
            print(text, file=sys.stderr)
        bench.executions(chosen)
        if not options.no_static:
            bench.static_dependence(chosen)
    return 0


if __name__ == "__main__":
    sys.exit(main())

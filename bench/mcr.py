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
SEED_STATIC = ("counter", "airline", "ping_pong", "bubble_sort", "pool", "string_buffer")  # of Table 4.2; the others are not ours to ship
TENFOLD = ("bubble_sort", "lamport", "dekker")
VALUE_RICH = ("account", "bubble_sort", "counter", "dekker", "flags", "lamport", "ping_pong", "rv_example", "same_value")


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
        rows = []
        for pins in chosen:
            program = self.build(pins)
            for model in self.options.models:
                measured = [self.ours(program, strategy, model)[0] for strategy in strategies]
                theirs = [p.once(Sized(pins, model), self.options.limit, p.option_sets[0]) if model in p.models else None for p in self.peers]
                rows.append((f"{pins} {model}", pins, dict(zip(names, [*measured, *theirs]))))
                first, *rest = measured
                ratios = [f"{first.executions / m.executions:.1f}" if not (first.failure or m.failure) and m.executions else "" for m in rest]
                print(f"| {pins} | {model} | " + " | ".join([*map(shown, [*measured, *theirs]), *ratios]) + " |", flush=True)

        self.judge(strategies, rows)

    def judge(self, strategies, rows):
        """What the figures of part 3 ask for."""
        print("\n## What holds\n")
        finished = [(name, pins, m) for name, pins, m in rows if not m["optimal"].failure]
        for strategy in strategies[1:]:
            more = [name for name, _, m in finished if not m[strategy].failure and m[strategy].executions > m["optimal"].executions]
            print(f"- `{strategy}` never runs more than `optimal`: {verdict(more)}")
        for program in TENFOLD:
            ratios = [m["optimal"].executions / m["value"].executions for _, pins, m in finished if pins.source.stem == program and not m["value"].failure]
            print(f"- {program}: `value` runs up to {max(ratios, default=0):.1f} times fewer than `optimal`")
        slow = [name for name, _, m in finished if not m["value"].failure and m["value"].executions * 10 < m["optimal"].executions and m["value"].cpu >= m["optimal"].cpu]
        print(f"- `value` is faster than `optimal` wherever it runs less than a tenth: {verdict(slow)}")
        for peer in self.peers:
            slow = [name for name, pins, m in rows if pins.source.stem in VALUE_RICH and m.get(peer.name) and not m["value"].failure
                    and not m[peer.name].failure and m["value"].cpu >= m[peer.name].cpu]
            print(f"- `value` is faster than {peer.name} on value-rich programs: {verdict(slow)}")

    def static_dependence(self, chosen):
        strategies = [s for s in STATIC if s in self.known]
        if len(strategies) < 2:
            return
        print("\n## What static dependence saves: executions, reads considered, constraints, seconds of solving\n")
        print("| program | model | " + " | ".join(strategies) + " | constraints saved | solving saved |")
        print("|---|---|" + "---|" * (len(strategies) + 2))
        totals = {what: [] for what in ("reads", "constraints", "seconds")}
        for pins in chosen:
            program = self.build(pins)
            for model in self.options.models:
                reports = [self.ours(program, strategy, model)[1] for strategy in strategies]
                solvers = [r.get("solver", {}) for r in reports]
                cells = [f"{r.get('executions', '–')}, {s.get('reads', '–')}, {s.get('constraints', '–')}, {s.get('seconds', 0):.3f}" for r, s in zip(reports, solvers)]
                print(f"| {pins} | {model} | " + " | ".join([*cells, saved(solvers, "constraints"), saved(solvers, "seconds")]) + " |", flush=True)
                if pins.source.stem in SEED_STATIC and all(r.get("verdict") in ("clean", "bugs") for r in reports):
                    for what, shares in totals.items():
                        shares.append([s[what] / solvers[0][what] if solvers[0][what] else 1 for s in solvers])
        for what, shares in totals.items():
            if shares:
                averages = [100 * (1 - sum(share[i] for share in shares) / len(shares)) for i in range(len(strategies))]
                print(f"\nSaved on average over the programs of the seed's table, {what}: "
                      + ", ".join(f"{strategy} {average:.1f} %" for strategy, average in zip(strategies[1:], averages[1:])), flush=True)


def verdict(against):
    return "holds" if not against else f"not on {len(against)}: " + ", ".join(against)


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

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The programs of the maximal causality papers: executions and seconds of each strategy and of the peers, and what static dependence saves.

  mcr.py [--build DIR] [--models sc,tso,pso] [--limit SECONDS] [--rounds N] [--genmc PATH] [--nidhugg PATH] [--tables executions,time,static,first] [PROGRAM…]
Prints Markdown. A ratio is the number of executions of `optimal` over that of the strategy. The peers run the programs with relaxed atomics
(-DATOMIC), since they stop at a data race; the executions are the same. Seconds are those of the processor, of all processes together: the
least of several rounds. Exit status 1 when a count is not the pinned one, or when something that always has to hold does not.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

from peer_tools import Measured, Nidhugg, peers, run
from pins import MODELS, PROGRAMS, Pins, all_pins

STRATEGIES = ("optimal", "mcr", "se-mcr", "value", "rf")
NEVER_MORE = ("value", "rf", "se-mcr")  # than optimal; mcr runs some classes twice: docs/fidelity.md
STATIC = ("mcr", "mcr-s", "mcr-s+")
SEED_STATIC = ("counter", "airline", "ping_pong", "bubble_sort", "pool", "string_buffer", "weblech", "derby")  # of Table 4.2
SEED_AVERAGES = tuple(name for name in SEED_STATIC if name not in ("pool", "string_buffer"))  # these it leaves out: too small to be timed
# Large enough for questions with something in them that does not matter.
STATIC_SIZES = {"counter": ["-DMAX=4"], "airline": ["-DUNLOCKED", "-DTICKETS=3", "-DQUIET"], "ping_pong": ["-DN=3", "-DQUIET"],
                "bubble_sort": ["-DQUIET"], "pool": ["-DQUIET"], "string_buffer": ["-DDELETE_SECOND", "-DQUIET"],
                "weblech": ["-DQUIET", "-DPAGES=2"], "derby": ["-DQUIET"], "rv_example": ["-DQUIET"], "dekker": ["-DQUIET", "-DSPIN=2"],
                "lamport": ["-DQUIET"], "peterson": ["-DQUIET"], "bakery": ["-DQUIET"]}
FIRST = {"dekker": [], "lamport": [], "bakery": [], "peterson": [], "stack_unsafe": ["-DSIZE=5"], "rv_example": [], "example": ["-DN=1"]}  # Table 3.5
TENFOLD = ("bubble_sort", "lamport", "dekker")
VALUE_RICH = {"account": ["-DQUIET"], "bubble_sort": ["-DQUIET", "-DLENGTH=2", "-DTHREADS=4"], "counter": ["-DMAX=5"], "dekker": ["-DQUIET", "-DSPIN=4"],
              "flags": ["-DN=5", "-DLOOKS=4"], "lamport": ["-DQUIET", "-DSPIN=3"], "ping_pong": ["-DN=4", "-DQUIET"], "rv_example": ["-DQUIET"],
              "same_value": ["-DN=5"]}
RICH_PINS = [Pins(PROGRAMS / f"{name}.c", tuple(flags)) for name, flags in VALUE_RICH.items()]  # counters, flags, same-value writes
START_PINS = Pins(PROGRAMS / "fig_3_1.c", ())  # three executions: what a tool takes for them it takes for anything

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
        self.program = where / "program"
        self.wrong = []
        self.peers += [NidhuggRf(p.binary, where) for p in self.peers if isinstance(p, Nidhugg)]

    def build(self, pins):
        subprocess.run([self.treadle, "cc", "-std=gnu17", "-g", "-O2", *pins.flags, pins.source, "-o", self.program, "-pthread"], check=True)
        return self.program

    def ours(self, program, strategy, model, *more):
        """Measured, and the report."""
        limit = self.options.limit
        command = [self.treadle, "check", "--strategy", strategy, "--model", model, "--races", "explore", "--max-time", f"{int(limit)}s",
                   *more, "--json", "result.json", program]
        status, output, seconds, cpu, kilobytes = run(command, limit + 10, self.where)
        if status not in (0, 1):
            return Measured(failure="limit" if status is None else f"status {status}: {output.strip()[-100:]}"), {}
        report = json.loads((self.where / "result.json").read_text())
        failure = "limit" if report["verdict"] == "incomplete" or "limit" in report["covers"] else ""
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
        """What the figures of part 3 ask for of the executions."""
        print("\n## What holds\n")
        for name, pins, m in rows:
            for strategy in strategies:
                pinned = pins.runs.get((strategy, name.split()[-1]))
                if pinned is not None and not m[strategy].failure and m[strategy].executions != pinned:
                    self.wrong.append(f"{name}: {m[strategy].executions} executions of {strategy}, pinned are {pinned}")
        finished = [(name, pins, m) for name, pins, m in rows if not m["optimal"].failure]
        for strategy in strategies[1:]:
            more = [name for name, _, m in finished if not m[strategy].failure and m[strategy].executions > m["optimal"].executions]
            print(f"- `{strategy}` never runs more than `optimal`: {verdict(more, len(finished))}")
            if more and strategy in NEVER_MORE:
                self.wrong.append(f"{strategy} runs more than optimal: {', '.join(more)}")
        for program in TENFOLD:
            for model in self.options.models:
                ratios = [(m["optimal"].executions / m["value"].executions, str(pins)) for name, pins, m in finished
                          if pins.source.stem == program and name.endswith(model) and not m["value"].failure]
                if not ratios:
                    continue
                ratio, size = max(ratios)
                print(f"- {program}, {model}: `value` runs {ratio:.1f} times fewer than `optimal` ({size})")
                if ratio < 10:
                    self.wrong.append(f"{program} {model}: not tenfold")

    def time(self, chosen):
        """value against optimal and the peers, on value-rich programs."""
        names = ["optimal", "value", *(p.name for p in self.peers)]
        print("\n## Seconds of processor time (executions) on value-rich programs\n")
        print("| program | model | " + " | ".join(names) + " |")
        print("|---|---|" + "---|" * len(names))
        tools = {s: lambda pins, model, s=s: self.ours(self.program, s, model)[0] for s in ("optimal", "value")}
        for peer in self.peers:
            tools[peer.name] = lambda pins, model, p=peer: p.once(Sized(pins, model), self.options.limit, p.option_sets[0])
        self.build(START_PINS)
        start = {name: self.least(lambda tool=tool: tool(START_PINS, "sc")).cpu for name, tool in tools.items()}
        models = {p.name: p.models for p in self.peers}
        lost = {name: [] for name in names}
        for pins in chosen:
            self.build(pins)
            for model in self.options.models:
                measured = {name: self.least(lambda tool=tool: tool(pins, model)) for name, tool in tools.items() if model in models.get(name, MODELS)}
                for name, m in measured.items():
                    m.cpu = max(m.cpu - start[name], 0)
                value = measured["value"]
                for name, m in measured.items():
                    counts = name != "optimal" or value.executions * 10 < m.executions
                    if name != "value" and not value.failure and m.failure in ("", "limit") and counts and value.cpu >= m.cpu:
                        lost[name].append(f"{pins} {model}")
                print(f"| {pins} | {model} | " + " | ".join(timed(measured.get(name)) for name in names) + " |", flush=True)
        starts = ", ".join(f"{name} {cpu:.2f}" for name, cpu in start.items())
        print(f"\nWithout what each takes to start, which for the peers includes their compiler: {starts}.\n")
        for name in names:
            if name != "value":
                where = " wherever it runs less than a tenth" if name == "optimal" else ""
                print(f"- `value` takes less than {name}{where}: {verdict(lost[name], len(chosen) * len(self.options.models))}")

    def first_error(self, chosen):
        """Table 3.5. Relaxed atomics: a data race would be the first bug of most of them."""
        strategies = ("dpor", "optimal", "mcr", "se-mcr", "value")
        print("\n## Executions until the error is found (! nothing was found)\n")
        print("| program | " + " | ".join(strategies) + " |")
        print("|---|" + "---|" * len(strategies))
        for name, flags in chosen.items():
            pins = Pins(PROGRAMS / f"{name}.c", (*flags, "-DATOMIC"))
            program = self.build(pins)
            cells = []
            for strategy in strategies:
                reports = [self.ours(program, strategy, model, "--stop-at-first")[1] for model in self.options.models]
                cells.append(" / ".join(f"{r.get('executions', '–')}{'' if r.get('verdict') == 'bugs' else '!'}" for r in reports))
            print(f"| {pins} | " + " | ".join(cells) + " |", flush=True)

    def least(self, measure):
        runs = [measure()]
        while len(runs) < self.options.rounds and not runs[0].failure:
            runs.append(measure())
        return runs[0] if runs[0].failure else min(runs, key=lambda m: m.cpu)

    def static_dependence(self, chosen):
        strategies = [s for s in STATIC if s in self.known]
        if len(strategies) < 2:
            return
        print("\n## What static dependence saves: executions, reads considered, constraints, seconds of solving\n")
        print("| program | model | " + " | ".join(strategies) + " | constraints saved | solving saved |")
        print("|---|---|" + "---|" * (len(strategies) + 2))
        totals = []
        for pins in chosen:
            program = self.build(pins)
            for model in self.options.models:
                rounds = [[self.ours(program, strategy, model)[1] for strategy in strategies] for _ in range(self.options.rounds)]
                reports = rounds[0]
                solvers = [r.get("solver", {}) for r in reports]
                for i, solver in enumerate(solvers):
                    solver["seconds"] = min(of[i].get("solver", {}).get("seconds", 0) for of in rounds)
                cells = [f"{r.get('executions', '–')}, {s.get('reads', '–')}, {s.get('constraints', '–')}, {s.get('seconds', 0):.3f}" for r, s in zip(reports, solvers)]
                print(f"| {pins} | {model} | " + " | ".join([*cells, saved(solvers, "constraints"), saved(solvers, "seconds")]) + " |", flush=True)
                if all(r.get("verdict") in ("clean", "bugs") for r in reports):
                    totals.append((pins.source.stem, solvers))
        for where, names in (("the six programs that the seed averages over", SEED_AVERAGES), ("all of its eight", SEED_STATIC), ("all of these", STATIC_SIZES)):
            rows = [solvers for name, solvers in totals if name in names]
            for what in ("reads", "constraints", "seconds") if rows else ():
                shares = [[s[what] / solvers[0][what] if solvers[0][what] else 1 for s in solvers] for solvers in rows]
                averages = [100 * (1 - sum(share[i] for share in shares) / len(shares)) for i in range(len(strategies))]
                print(f"\nSaved on average over {where}, {what}: "
                      + ", ".join(f"{strategy} {average:.1f} %" for strategy, average in zip(strategies[1:], averages[1:])), flush=True)


def verdict(against, of):
    return f"holds, {of} of {of}" if not against else f"not on {len(against)} of {of}: " + ", ".join(against)


def timed(measured):
    if measured is None:
        return ""
    return f"{measured.cpu:.2f} ({measured.executions:,})" if not measured.failure else shown(measured)


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
    parser.add_argument("--rounds", type=int, default=3, help="runs of each in the table of times; the least counts")
    parser.add_argument("--tables", type=lambda text: text.split(","), default=["executions", "time", "static", "first"])
    parser.add_argument("programs", nargs="*", help="names, without .c")
    options = parser.parse_args()
    chosen = [p for p in all_pins() if p.runs and (not options.programs or p.source.stem in options.programs)]
    with tempfile.TemporaryDirectory(prefix="treadle-mcr-") as folder:
        bench = Bench(options, pathlib.Path(folder))
        for text in bench.said:
            print(text, file=sys.stderr)
        if "executions" in options.tables:
            bench.executions(chosen)
        if "time" in options.tables:
            bench.time([p for p in RICH_PINS if not options.programs or p.source.stem in options.programs])
        if "static" in options.tables:
            bench.static_dependence([Pins(PROGRAMS / f"{name}.c", tuple(flags)) for name, flags in STATIC_SIZES.items()
                                     if not options.programs or name in options.programs])
        if "first" in options.tables:
            bench.first_error({n: f for n, f in FIRST.items() if not options.programs or n in options.programs})
    for text in bench.wrong:
        print("WRONG " + text, file=sys.stderr)
    return 1 if bench.wrong else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Treadle's optimal search against GenMC and Nidhugg, on the same files, in one run.

  bench/peers.py --build build [--quick | --full] [--models sc,tso,pso] [--genmc FILE] [--nidhugg FILE] [--rounds N] [--limit SECONDS] [--write] [PROGRAM…]
A ratio is the peer's time over Treadle's, above 1 Treadle is faster: of the search alone, by the clock on the wall and by processor time (which
a busy machine changes less); and by processor time of the whole, with the start of both (the peers compile inside, Treadle's program is compiled
before). Where a peer was stopped at the limit the ratio is a lower bound.
Exit status 1 when Treadle's number of executions is not the number of classes that the program promises.
"""
import argparse
import datetime
import math
import os
import pathlib
import statistics
import sys
import tempfile

from classes import MODELS, all_cases
from peer_tools import Treadle, peers
from run import processor

HERE = pathlib.Path(__file__).resolve().parent
LARGEST = {"quick": 3_000, "default": 60_000, "full": 1_200_000}
ENOUGH = 300  # classes, or there is nothing to measure


def chosen(options):
    """Of each program and model the largest size that the set allows."""
    best = {}
    for case in all_cases():
        if case.bug or case.model not in options.models or (options.programs and case.source.stem not in options.programs):
            continue
        if not ENOUGH <= case.classes <= LARGEST[options.set]:
            continue
        key = (case.source.stem, case.model, "RWLOCK" in str(case))
        if key not in best or case.classes > best[key].classes:
            best[key] = case
    return sorted(best.values(), key=lambda c: (MODELS.index(c.model), c.source.stem))


def smallest_of(case):
    return next(c for c in all_cases() if c.source == case.source and c.first)


def seconds(value):
    return f"{value:.3f}" if value < 1 else f"{value:.2f}" if value < 10 else f"{value:.1f}"


def figures(measured):
    return [seconds(measured.seconds), seconds(measured.cpu), seconds(measured.start_cpu), f"{measured.executions / measured.seconds:,.0f}", f"{measured.kilobytes / 1024:.0f}"]


def shown(ratio):
    return f"**{ratio:.2f}**" if ratio < 1 else f"{ratio:.1f}"


def geometric_mean(values):
    return math.exp(statistics.fmean(map(math.log, values))) if values else None


class Table:
    def __init__(self, options, where):
        self.options = options
        self.treadle = Treadle(options.build, where)
        self.peers, self.said = peers(options, where)
        self.ratios = {(peer.name, model): [] for peer in self.peers for model in MODELS}
        self.wrong = []
        self.lines = []

    def line(self, *cells):
        self.lines.append("| " + " | ".join(map(str, cells)) + " |")
        print(self.lines[-1], flush=True)

    def head(self):
        cells = ["program", "model", "classes", "Treadle s", "cpu s", "+ start cpu s", "exec/s", "MiB"]
        for peer in self.peers:
            cells += [f"{peer.name} executions (blocked)", "s", "cpu s", "+ start cpu s", "exec/s", "MiB", "ratio", "cpu ratio", "cpu ratio, whole"]
        self.line(*cells)
        self.line(*["---"] * len(cells))

    def median_of(self, measure):
        runs = [measure() for _ in range(self.options.rounds)]
        failed = [r for r in runs if r.failure]
        return failed[0] if failed else sorted(runs, key=lambda r: r.seconds)[len(runs) // 2]

    def row(self, case):
        ours = self.median_of(lambda: self.treadle.measure(case, self.options.limit, smallest_of(case)))
        if ours.failure or ours.executions != case.classes or (ours.blocked and not case.spins):
            self.wrong.append(f"{case} ({case.model}): {ours.failure or f'{ours.executions} executions, {ours.blocked} blocked, expected {case.classes}'}")
        cells = [case, case.model, f"{case.classes:,}"]
        cells += figures(ours) if not ours.failure else ["**" + ours.failure[:40] + "**", "", "", "", ""]
        for peer in self.peers:
            cells += self.against(peer, case, ours)
        self.line(*cells)

    def against(self, peer, case, ours):
        if case.model not in peer.models:
            return ["no such model"] + [""] * 8
        theirs = self.median_of(lambda: peer.measure(case, self.options.limit, smallest_of(case)))
        if theirs.failure and theirs.failure != "limit":
            return [theirs.failure.replace("|", "/").replace("\n", " ")] + [""] * 8
        ratios = () if ours.failure else (theirs.seconds / ours.seconds, theirs.cpu / ours.cpu, (theirs.cpu + theirs.start_cpu) / (ours.cpu + ours.start_cpu))
        if ratios:
            self.ratios[peer.name, case.model].append(ratios)
        if theirs.failure:
            return ["stopped", f"> {seconds(theirs.seconds)}", "", "", "", "", *([f"> {r:.1f}" for r in ratios] or [""] * 3)]
        count = f"{theirs.executions:,}" + (f" ({theirs.blocked:,})" if theirs.blocked else "")
        if theirs.executions != case.classes:
            count = f"*{count}*"
        return [count, *figures(theirs), *([shown(r) for r in ratios] or [""] * 3)]

    def means(self):
        for peer in self.peers:
            for model in MODELS:
                if ratios := self.ratios[peer.name, model]:
                    for by, values in zip(("wall", "processor", "processor (start included)"), zip(*ratios)):
                        self.say(f"{peer.name}, {model}, {by} time: geometric mean {geometric_mean(values):.2f}, worst {min(values):.2f}, best {max(values):.1f}, "
                                 f"{sum(v < 1 for v in values)} of {len(values)} programs slower than the peer.")

    def say(self, text):
        self.lines += ["", text]
        print("\n" + text, flush=True)

    def jobs(self):
        """Two workers against one, alternating, on programs that take a while."""
        rows = []
        for case in chosen(self.options):
            if case.model == "sc" and case.source.stem in ("fib", "mutex_counter", "readers"):
                one, two = [], []
                for _ in range(max(3, self.options.rounds)):
                    one.append(self.treadle.once(case, self.options.limit, "--jobs", "1"))
                    two.append(self.treadle.once(case, self.options.limit, "--jobs", "2"))
                if failed := [m for m in one + two if m.failure]:
                    rows.append(f"{case}: {failed[0].failure}")
                    continue
                if len({m.executions for m in one + two}) != 1:
                    self.wrong.append(f"{case}: {one[0].executions} executions with one worker, {two[0].executions} with two")
                ratio = statistics.median(a.seconds / b.seconds for a, b in zip(one, two))
                rows.append(f"{case} {seconds(statistics.median(m.seconds for m in one))} s / {seconds(statistics.median(m.seconds for m in two))} s = {ratio:.2f}")
        self.say(f"`--jobs 2` against one worker, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores: " + "; ".join(rows) + ".")

    def memory(self):
        """Peak memory as the number of executions grows tenfold each time."""
        peaks = []
        sizes = [c for c in all_cases() if c.source.stem == "readers" and c.model == "sc" and c.classes >= 1000 and c.classes <= LARGEST[self.options.set] * 25]
        for case in sizes:
            measured = self.treadle.once(case, self.options.limit)
            peaks.append(f"{case.classes:,}: {measured.failure or f'{measured.kilobytes / 1024:.1f} MiB'}")
        self.say("Peak memory of Treadle (all its processes) over executions of readers.c: " + ", ".join(peaks) + ".")


def write(table, command):
    text = [f"## Against the peers, {datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d}", "",
            f"`{command}` on {os.cpu_count()} cores ({processor()}), load {os.getloadavg()[0]:.1f} at the end.", "",
            "Search time, without what each tool takes for the smallest size of the same program (its start, in the column `+ start cpu s`: Treadle's of a compiled "
            "program, the peers' with their compiler). A ratio is the peer's time over Treadle's; `whole`: with both starts. "
            "A count in italics is not the number of classes: Nidhugg lets some read-modify-writes commute.", "", *table.lines]
    results = HERE / "RESULTS.md"
    results.write_text(results.read_text().rstrip("\n") + "\n\n" + "\n".join(text) + "\n")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", dest="set", action="store_const", const="quick", default="default", help="sizes up to 3,000 classes, under a minute")
    size.add_argument("--full", dest="set", action="store_const", const="full", help="sizes up to a million classes")
    parser.add_argument("--models", type=lambda text: text.split(","), default=list(MODELS))
    parser.add_argument("--genmc", help="the program (default: $GENMC, or genmc on PATH)")
    parser.add_argument("--nidhugg", help="the program (default: $NIDHUGG, or nidhugg on PATH)")
    parser.add_argument("--rounds", type=int, default=1, help="runs of each; the median counts")
    parser.add_argument("--limit", type=float, default=60, help="seconds for one run")
    parser.add_argument("--no-extras", action="store_true", help="neither --jobs 2 nor the growth of memory")
    parser.add_argument("--write", action="store_true", help="append to bench/RESULTS.md")
    parser.add_argument("programs", nargs="*", help="names, without .c")
    return parser.parse_args()


def main():
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="treadle-peers-") as folder:
        table = Table(options, pathlib.Path(folder))
        for text in table.said:
            print(text, file=sys.stderr)
        table.head()
        for case in chosen(options):
            table.row(case)
        table.means()
        if not options.no_extras:
            table.jobs()
            table.memory()
    for text in table.wrong:
        print("WRONG " + text, file=sys.stderr)
    if options.write:
        write(table, "bench/peers.py " + " ".join(a for a in sys.argv[1:] if a != "--write"))
    return 1 if table.wrong else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The figures of the engine. Ratios are taken within one run, alternating the two sides, so that a busy machine slows both.

  bench/run.py --build build [--executions N] [--memory-executions N] [--rounds N] [--only NAME]
Prints a table; with --write puts it into bench/RESULTS.md with the day and the command.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile

import record

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"
FIGURES = ["throughput", "switch", "race_watch", "overhead", "memory", "recording"]


def median(values):
    return statistics.median(values)


class Bench:
    def __init__(self, options):
        self.options = options
        self.bin = options.build.resolve() / "bin"
        self.folder = tempfile.TemporaryDirectory(prefix="treadle-bench-")
        self.work = pathlib.Path(self.folder.name)
        self.rows = []

    def row(self, what, value, wanted, holds):
        self.rows.append((what, value, wanted, "" if holds is None else "yes" if holds else "**no**"))
        print(f"{what:<78} {value:>22}   {wanted:<14} {self.rows[-1][3]}", flush=True)

    def built(self, source, *flags):
        compiler = "c++" if source.suffix == ".cpp" else "cc"
        program = self.work / (source.stem + "-treadle")
        subprocess.run([self.bin / "treadle", compiler, "-g", "-O2", *(["-std=c++20"] if compiler == "c++" else []), *flags, source, "-o", program, "-pthread"],
                       check=True)
        return program

    def built_with_tsan(self, source):
        program = self.work / (source.stem + "-tsan")
        compiler = "clang++-19" if source.suffix == ".cpp" else "clang-19"
        subprocess.run([compiler, "-g", "-O2", "-fsanitize=thread", *(["-std=c++20"] if source.suffix == ".cpp" else []), source, "-o", program, "-pthread"],
                       check=True)
        return program

    def executions(self, program, carrier, count, *arguments, races="stop"):
        run = subprocess.run([self.bin / "bench_executions", program, carrier, str(count), races, *map(str, arguments)], check=True, capture_output=True, text=True)
        return json.loads(run.stdout)

    def throughput(self):
        program = self.built(PROGRAMS / "three_threads.cpp")
        many, few = self.options.executions, max(64, self.options.executions // 20)
        rates = {"reset": [], "fork": []}
        cpu = []
        steps = 0
        for _ in range(self.options.rounds):
            for carrier, count in (("reset", many), ("fork", few)):
                result = self.executions(program, carrier, count)
                rates[carrier].append(result["executions"] / result["wall"])
                if carrier == "reset":
                    start = self.executions(program, carrier, 64)  # what starting and ending the process takes is not an execution
                    cpu.append((result["executions"] - start["executions"]) / (result["program_cpu"] - start["program_cpu"]))
                    steps = result["steps"]
        ratio = median(r / f for r, f in zip(rates["reset"], rates["fork"]))
        self.row("visible operations of the 3-thread C++ test", f"{steps:.0f}", "about 70", None)
        self.row("executions per second, reset", f"{median(rates['reset']):,.0f}", "", None)
        self.row("executions per second of the program's own processor time, reset", f"{median(cpu):,.0f}", ">= 50,000", median(cpu) >= 50_000)
        self.row("executions per second, fork", f"{median(rates['fork']):,.0f}", "", None)
        self.row("reset / fork", f"{ratio:.1f}", ">= 10", ratio >= 10)

    def switch(self):
        run = subprocess.run([self.bin / "bench_switch", "--benchmark_format=json", "--benchmark_min_time=0.3"], check=True, capture_output=True, text=True)
        nanoseconds = json.loads(run.stdout)["benchmarks"][0]["cpu_time"] / 2  # there and back
        self.row("fiber switch with its own TLS, ns", f"{nanoseconds:.1f}", "<= 50", nanoseconds <= 50)

    def race_watch(self):
        run = subprocess.run([self.bin / "bench_race_watch", "--benchmark_format=json", "--benchmark_min_time=0.3"], check=True, capture_output=True, text=True)
        microseconds = json.loads(run.stdout)["benchmarks"][0]["cpu_time"] / 1000
        self.row("looking for races in a rehearsed execution of fifty events, µs", f"{microseconds:.1f}", "", None)

    def overhead(self):
        """Instrumented run under control, events and race check on, against ThreadSanitizer. Processor time of the work alone: what a run
        with no rounds takes is taken off on both sides."""
        for source, rounds in ((PROGRAMS / "loops.c", 60), (PROGRAMS / "containers.cpp", 200)):
            treadle, tsan = self.built(source), self.built_with_tsan(source)
            ratios, ours, theirs = [], [], []
            for _ in range(self.options.rounds):
                mine = self.executions(treadle, "reset", 1, rounds)["program_cpu"] - self.executions(treadle, "reset", 1, 0)["program_cpu"]
                other = self.cpu_of([tsan, str(rounds)]) - self.cpu_of([tsan, "0"])
                ratios.append(mine / other)
                ours.append(mine)
                theirs.append(other)
            self.row(f"{source.name}: processor seconds, Treadle (events and race check)", f"{median(ours):.2f}", "", None)
            self.row(f"{source.name}: processor seconds, clang -fsanitize=thread", f"{median(theirs):.2f}", "", None)
            self.row(f"{source.name}: Treadle / ThreadSanitizer", f"{median(ratios):.2f}", "<= 1", median(ratios) <= 1)

    @staticmethod
    def cpu_of(command):
        before = os.times()
        subprocess.run(command, check=True)
        after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system

    def memory(self):
        count = self.options.memory_executions
        result = self.executions(self.built(PROGRAMS / "small.c"), "reset", count)
        self.row(f"small test, executions per second over {count:,} executions", f"{count / result['wall']:,.0f}", "", None)
        self.row("host's peak memory after 1 % of them, KiB", f"{result['peak_kb_after_1_percent']:,}", "", None)
        grown = result["peak_kb"] - result["peak_kb_after_1_percent"]
        self.row("growth of the host's peak memory from there to the end, KiB", f"{grown:,}", "0 (< 1024)", grown < 1024)

    def recording(self):
        ratios = []
        for row in record.measured(self.options.build, self.options.rounds):
            ratios.append(row.ratio)
            self.row(f"{row.name}: recorded / clang -O2, processor seconds ({row.log / 1e6:.1f} MB of log per thread and second)", f"{row.ratio:.2f}",
                     f"<= {record.WORST}", row.ratio <= record.WORST)
        mean = record.mean_of(ratios)
        self.row("recorded / clang -O2, geometric mean", f"{mean:.2f}", f"<= {record.GOAL}", mean <= record.GOAL)

    def write(self, command):
        lines = ["# Results", "", "Figures of the engine, with the command that gave them. Ratios are within one run.", "",
                 f"## {datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d}", "", f"`{command}` on {os.cpu_count()} cores ({processor()}), kernel {platform.release()}, "
                 f"load {os.getloadavg()[0]:.1f} at the end.", "", "| figure | value | wanted | holds |", "|---|---|---|---|"]
        lines += [f"| {what} | {value} | {wanted} | {holds} |" for what, value, wanted, holds in self.rows]
        (HERE / "RESULTS.md").write_text("\n".join(lines) + "\n")


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.machine()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--executions", type=int, default=40_000)
    parser.add_argument("--memory-executions", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=FIGURES, action="append")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    bench = Bench(options)
    for name in options.only or FIGURES:
        getattr(bench, name)()
    if options.write:
        bench.write(f"bench/run.py --executions {options.executions} --memory-executions {options.memory_executions} --rounds {options.rounds}")
    return 0 if all(row[3] != "**no**" for row in bench.rows) else 1


if __name__ == "__main__":
    sys.exit(main())

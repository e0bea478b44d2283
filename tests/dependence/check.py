#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds what the compiler says about dependence against real executions (soundness.cpp): of one program at each level of optimisation, or of
generated ones."""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

LEVELS = ("-O0", "-O1", "-O2")


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600)


def build(treadle, source, program, level):
    compiler = "c++" if source.suffix == ".cpp" else "cc"
    standard = ["-std=c++20"] if source.suffix == ".cpp" else []
    built = run(treadle, compiler, level, "-g", "-w", *standard, source, "-o", program, "-pthread")
    if built.returncode != 0:
        sys.exit(built.stderr)


def check(options, program, arguments, what):
    """How many events happened although something different had been read."""
    result = run(options.driver, program, options.executions, *arguments)
    if result.returncode != 0:
        sys.exit(f"{what}:\n{result.stdout}{result.stderr}")
    return int(re.search(r"wrong, (\d+) events", result.stdout)[1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--treadle", required=True)
    parser.add_argument("--driver", required=True)
    parser.add_argument("--oracle")
    parser.add_argument("--executions", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("source", nargs="?", type=pathlib.Path)
    options = parser.parse_args()
    independent = 0
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "program"
        if options.source:
            for level in LEVELS:
                build(options.treadle, options.source, program, level)
                independent += check(options, program, [], f"{options.source.name} {level}")
        else:
            source = pathlib.Path(folder) / "programs.c"
            made = run(options.oracle, "generate", "--seed", options.seed, "--count", options.count, "--out", source, "--most-executions", 20000)
            if made.returncode != 0:
                sys.exit(made.stderr)
            programs = len(json.loads(source.with_suffix(".json").read_text())["programs"])
            for level in LEVELS:
                build(options.treadle, source, program, level)
                independent += sum(check(options, program, [number], f"seed {options.seed}, program {number}, {level}") for number in range(programs))
    print(f"nothing wrong; {independent} events happened although something different had been read")
    return 0 if independent > 0 or options.source else 1  # or nothing was tested


sys.exit(main())

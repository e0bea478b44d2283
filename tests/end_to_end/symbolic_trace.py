#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds programs twice, plain and symbolic, and has the driver compare what they do. The flags and arguments are those of each program's
CHECK lines; twins are all compared."""
import argparse
import pathlib
import re
import shlex
import subprocess
import sys

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--treadle", required=True)
parser.add_argument("--driver", required=True)
parser.add_argument("--work", required=True, type=pathlib.Path)
parser.add_argument("--schedules", default="12")
parser.add_argument("--twins", action="store_true", help="all of them, not only the first")
parser.add_argument("--level", default="-O1")
parser.add_argument("sources", nargs="+", type=pathlib.Path)
options = parser.parse_args()


def ways_of(source):
    """Flags and arguments."""
    ways = []
    for line in re.findall(r"^// CHECK: (.*)$", source.read_text(), re.MULTILINE):
        want = dict(word.split("=", 1) for word in shlex.split(line))
        way = (shlex.split(want.get("flags", "")), shlex.split(want.get("args", "")))
        if way not in ways:
            ways.append(way)
    return (ways or [([], [])])[: None if options.twins else 1]


def build(source, flags, is_symbolic):
    # Names of one length: a program's own lies on its heap.
    folder = options.work / ("exprs" if is_symbolic else "plain")
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / source.stem
    language = ["c++", "-std=c++20"] if source.suffix == ".cpp" else ["cc", "-std=gnu17"]
    symbolic = ["--symbolic"] if is_symbolic else []
    subprocess.run([options.treadle, *language, *symbolic, "-g", options.level, *flags, source, "-o", program, "-pthread", "-w"], check=True)
    return program


failed = 0
for source in options.sources:
    for flags, arguments in ways_of(source):
        programs = [build(source, flags, is_symbolic) for is_symbolic in (False, True)]
        result = subprocess.run([options.driver, *programs, options.schedules, *arguments], capture_output=True, text=True, cwd=options.work)
        failed += result.returncode != 0
        print(f"{'ok    ' if result.returncode == 0 else 'FAILED'} {source.name} {shlex.join(flags)}: {result.stdout}{result.stderr}", end="", flush=True)
sys.exit(1 if failed else 0)

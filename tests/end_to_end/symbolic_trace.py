#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds programs twice, plain and symbolic, and has the driver compare what they do; --self-check also has the expressions held against
the runs. The flags and arguments are those of each program's CHECK and LIMIT lines; a GARBAGE line says why it copies what nobody wrote."""
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
parser.add_argument("--self-check", help="the driver that looks at the expressions")
parser.add_argument("--schedules", default="12")
parser.add_argument("--shard", default="0/1", help="of all ways to build all sources, those of this part")
parser.add_argument("--twins", action="store_true", help="all of them, not only the first")
parser.add_argument("--level", default="-O1")
parser.add_argument("sources", nargs="+", type=pathlib.Path)
options = parser.parse_args()


def ways_of(source):
    """Flags and arguments."""
    ways = []
    for line in re.findall(r"^// (?:CHECK|LIMIT): (.*)$", source.read_text(), re.MULTILINE):
        want = dict(word.split("=", 1) for word in shlex.split(line))
        if want.get("kinds") == "nondeterminism":
            continue  # no two builds of it do the same
        way = (shlex.split(want.get("flags", "")), shlex.split(want.get("args", "")))
        if way not in ways:
            ways.append(way)
    return ways[: None if options.twins else 1]


def build(source, flags, is_symbolic):
    # Names of one length: a program's own lies on its heap.
    folder = options.work / ("exprs" if is_symbolic else "plain")
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / source.stem
    language = ["c++", "-std=c++20"] if source.suffix == ".cpp" else ["cc", "-std=gnu17"]
    symbolic = ["--symbolic"] if is_symbolic else []
    subprocess.run([options.treadle, *language, *symbolic, "-g", options.level, *flags, source, "-o", program, "-pthread", "-w"], check=True)
    return program


def complaints(source, flags, arguments):
    plain, symbolic = (build(source, flags, is_symbolic) for is_symbolic in (False, True))
    commands = [[options.driver, plain, symbolic, options.schedules, *arguments]]
    if options.self_check:
        words = ["garbage"] if "// GARBAGE: " in source.read_text() else []
        commands.append([options.self_check, symbolic, "1", *words, "--", *arguments])
    said, failed = "", False
    for command in commands:
        result = subprocess.run(command, capture_output=True, text=True, cwd=options.work)
        failed |= result.returncode != 0
        said += "    " + result.stdout + result.stderr
    return failed, said


shard, shards = map(int, options.shard.split("/"))
failures = 0
for source, (flags, arguments) in [(source, way) for source in options.sources for way in ways_of(source)][shard::shards]:
    failed, said = complaints(source, flags, arguments)
    failures += failed
    print(f"{'FAILED' if failed else 'ok    '} {source.name} {shlex.join(flags)}\n{said}", end="", flush=True)
sys.exit(1 if failures else 0)

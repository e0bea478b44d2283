#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is decoded is what ran: random programs whose blocks announce themselves, compared block by block with their recording; and the same
streams from builds in which nothing but the recording is added."""
import argparse
import os
import pathlib
import struct
import subprocess
import sys

import generate


def run(command, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300, **more)
    return done


def must(command, **more):
    done = run(command, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def flows(flow, recording):
    """Thread -> (tid, its blocks)."""
    threads = {}
    for line in must([flow, recording]).splitlines():
        words = line.split()
        if words[0] == "thread":
            threads[words[1]] = (int(words[2]), blocks := [])
        else:
            blocks.append(tuple(map(int, words)))
    return threads


def seen(folder, tid):
    path = folder / str(tid)
    return list(struct.iter_unpack("<QII", path.read_bytes())) if path.exists() else []


def record(options, program, folder, **more):
    subprocess.run(["rm", "-rf", folder])
    done = run([options.treadle, "record", "--recording", folder, program], **more)
    if done.returncode > 1:
        sys.exit(f"{program}: not recorded: {done.stdout}{done.stderr}")


def streams(folder, threads):
    """The bytes of each thread, without the file's header (which has the thread's id in it)."""
    return {path.name: path.read_bytes()[4096:] for path in folder.glob("thread-*")}


def check(options, source, flags):
    work = options.work
    program, plain = work / "announced", work / "plain"
    oracle = work / "oracle.o"
    must(["clang-19", "-O1", "-c", options.here / "oracle.c", "-o", oracle])
    must([options.treadle, "c++", "--record", *flags, "-w", "-Xclang", "-mllvm", "-Xclang", "-treadle-record-calls", source, oracle, "-o", program])
    must([options.treadle, "c++", "--record", *flags, "-w", source, "-o", plain])
    folder = work / "oracle"
    subprocess.run(["rm", "-rf", folder])
    folder.mkdir()
    record(options, program, work / "announced.recording", env={**os.environ, "ORACLE": str(folder)})
    threads = flows(options.flow, work / "announced.recording")
    blocks = 0
    for name, (tid, found) in threads.items():
        expected = seen(folder, tid)
        if found != expected:
            at = next((i for i, (a, b) in enumerate(zip(found, expected)) if a != b), min(len(found), len(expected)))
            return f"thread {name}: {len(found)} blocks decoded, {len(expected)} ran; first difference at {at}: {found[at:at+3]} {expected[at:at+3]}"
        blocks += len(found)
    record(options, plain, work / "plain.recording")
    others = flows(options.flow, work / "plain.recording")
    if {name: found for name, (_, found) in others.items()} != {name: found for name, (_, found) in threads.items()}:
        return "the build without announcements took other ways"
    print(f"  {source.name} {' '.join(flags)}: {len(threads)} threads, {blocks} blocks")
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--treadle", required=True)
    parser.add_argument("--flow", required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--seeds", default="1-4")
    parser.add_argument("sources", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    options.here = pathlib.Path(__file__).resolve().parent
    options.work.mkdir(parents=True, exist_ok=True)
    first, last = (int(part) for part in options.seeds.split("-"))
    failures = 0
    levels = ["-O2", "-O0", "-O1", "-O3"]
    jobs = [(source, levels[:1]) for source in options.sources]
    if not options.sources:
        for seed in range(first, last + 1):
            source = options.work / f"random{seed}.cpp"
            source.write_text(generate.Program(seed).text())
            jobs.append((source, [levels[seed % 4]]))
    for source, flags in jobs:
        if trouble := check(options, source, flags):
            print(f"FAILED {source} {flags}: {trouble}")
            failures += 1
    return 1 if failures else 0


sys.exit(main())

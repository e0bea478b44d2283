#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles headers.c and headers.cpp in every standard and at several levels; the pass verifies all IR it makes. Unless --all, the oldest and
the newest standards only."""
import argparse
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LEVELS = ["-O0", "-O2", "-O3"]
C = ["c11", "c17", "c23"]
# The older ones at one level each: the library's code is mostly the same.
FEW = [("headers.c", "c11", "-O2"), ("headers.c", "c23", "-O0"), ("headers.cpp", "c++11", "-O2"), ("headers.cpp", "c++23", "-O0")]
CPP = [("c++11", ["-O2"]), ("c++14", ["-O0"]), ("c++17", ["-O0"]), ("c++20", ["-O3"]), ("c++23", ["-O0", "-O2"])]


def main():
    parser = argparse.ArgumentParser()
    for name in ("clang", "clangxx", "pass"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--all", action="store_true")
    options = vars(parser.parse_args())
    jobs = [(options["clang"], "headers.c", standard, level) for standard in C for level in LEVELS]
    jobs += [(options["clangxx"], "headers.cpp", standard, level) for standard, levels in CPP for level in levels]
    jobs = [job for job in jobs if options["all"] or job[1:] in FEW]
    for compiler, name, standard, level in jobs:
        command = [compiler, f"-std={standard}", level, "-g1", "-w", "-mcx16", "-Xclang", "-disable-O0-optnone"]
        command += ["-isystem", os.path.join(HERE, "../../include/treadle/libstdcxx")]
        command += [f"-fpass-plugin={options['pass']}", "-c", os.path.join(HERE, name), "-o", os.devnull]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            sys.exit(f"{' '.join(command)}\n{result.stderr}")
    print(f"{len(jobs)} builds")


main()

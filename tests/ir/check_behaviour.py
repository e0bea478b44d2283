#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds language.cpp with the pass and hooks that only make the access, at every level; its output must be that of a build without.
With expressions too: then each of them is held against the value it stands for (native_expressions.cpp)."""
import argparse
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LEVELS = ["-O0", "-O0 -g", f"-O1 -isystem {HERE}/../../include/treadle/libstdcxx", "-O2 -g -fPIC -D_FORTIFY_SOURCE=2", "-O3"]
SYMBOLIC_LEVELS = ["-O0 -g", "-O2 -fPIC"]


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}: status {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def main():
    parser = argparse.ArgumentParser()
    for name in ("clang", "clangxx", "pass", "source"):
        parser.add_argument(f"--{name}", required=True)
    options = vars(parser.parse_args())
    with tempfile.TemporaryDirectory() as folder:
        language = os.path.join(HERE, "language.cpp")
        hooks = [os.path.join(folder, name) for name in ("hooks.o", "strings.o", "expressions.o")]
        sources = [os.path.join(HERE, "native_hooks.cpp"), os.path.join(options["source"], "src/runtime/string_hooks.cpp"),
                   os.path.join(HERE, "native_expressions.cpp")]
        for source, made in zip(sources, hooks):
            run(options["clangxx"], "-std=c++20", "-O1", "-mcx16", "-fPIC", "-I", os.path.join(options["source"], "src"), "-c", source, "-o", made)
        program = os.path.join(folder, "program")
        common = [options["clangxx"], "-std=c++20", "-w", "-mcx16", language, "-o", program]
        run(*common, "-O1", "-latomic")
        expected = run(program)
        with_pass = ["-Xclang", "-disable-O0-optnone", f"-fpass-plugin={options['pass']}"]
        symbolic = f"-Xclang -load -Xclang {options['pass']} -mllvm -treadle-symbolic".split()
        for level, extra in [(level, []) for level in LEVELS] + [(level, symbolic) for level in SYMBOLIC_LEVELS]:
            run(*common, *level.split(), *with_pass, *extra, *hooks)
            if run(program) != expected:
                sys.exit(f"with {level} the program prints\n{run(program)}instead of\n{expected}")
    print(f"the same at {len(LEVELS)} levels, and at {len(SYMBOLIC_LEVELS)} with expressions")


main()

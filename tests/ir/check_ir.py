#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles one file as its RUN-FLAGS lines say and holds the IR against its CHECK lines.

    // RUN-FLAGS: -O2                 checked with the prefix CHECK
    // RUN-FLAGS(O0): -O0             checked with the prefixes CHECK and O0
    // SHORT-WAY: yes                 with what stands before hooks in the end; otherwise hooks are looked at as they are
    // SYMBOLIC: yes                  with expressions
    // FAILS-TOO-WITHOUT-PASS: no     for the rare file that only says what must *not* be there
"""
import argparse
import re
import subprocess
import sys

COMMON = ["-S", "-emit-llvm", "-o", "-", "-mcx16", "-Xclang", "-disable-O0-optnone", "-fno-discard-value-names", "-w"]


def compiled(options, flags, with_pass):
    text = open(options.file).read()
    short_way = "SHORT-WAY: yes" in text
    command = [options.clang, *flags.split(), *COMMON, options.file]
    if with_pass:
        command[1:1] = [f"-fpass-plugin={options.pass_file}", *f"-Xclang -load -Xclang {options.pass_file} -mllvm -treadle-short-way={str(short_way).lower()}".split()]
        if "SYMBOLIC: yes" in text:
            command[1:1] = "-mllvm -treadle-symbolic".split()
    return subprocess.run(command, capture_output=True, text=True)


def matches(options, ir, prefix):
    prefixes = "CHECK" + (f",{prefix}" if prefix else "")
    command = [options.filecheck, options.file, f"--check-prefixes={prefixes}", "--dump-input=fail", "--allow-unused-prefixes"]
    return subprocess.run(command, input=ir, capture_output=True, text=True)


def check(options, prefix, flags, must_fail_without):
    result = compiled(options, flags, with_pass=True)
    if result.returncode != 0:
        return f"does not compile with {flags}:\n{result.stderr}"
    match = matches(options, result.stdout, prefix)
    if match.returncode != 0:
        return f"with {flags}:\n{match.stderr}"
    if must_fail_without and matches(options, compiled(options, flags, with_pass=False).stdout, prefix).returncode == 0:
        return f"with {flags}: the checks hold without the pass too, so they check nothing"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--clang", required=True)
    parser.add_argument("--filecheck", required=True)
    parser.add_argument("--pass", dest="pass_file", required=True)
    parser.add_argument("file")
    options = parser.parse_args()
    text = open(options.file).read()
    runs = re.findall(r"RUN-FLAGS(?:\((\w+)\))?:(.*)", text)
    if not runs:
        sys.exit(f"{options.file} has no RUN-FLAGS line")
    must_fail_without = not re.search(r"FAILS-TOO-WITHOUT-PASS:\s*no", text)
    complaints = [c for c in (check(options, prefix, flags, must_fail_without) for prefix, flags in runs) if c]
    print("\n".join(complaints) or f"{len(runs)} ways of compiling it, all as promised")
    return 1 if complaints else 0


sys.exit(main())

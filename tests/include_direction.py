#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when a folder of src/ includes one that comes later in the flow of data, or one it must not know at all."""
import pathlib
import re
import sys

FLOW = ["abi", "base", "pass", "runtime", "record_runtime", "trace", "finding", "subject", "solve", "explore", "predict", "record", "reproduce", "report", "cli"]
GUEST = {"pass": {"abi", "pass"}, "runtime": {"abi", "runtime"},
         "record_runtime": {"abi", "record_runtime"}}  # guest side: the fence and themselves
HIDDEN = {"pass", "runtime", "record_runtime"}  # nobody includes these


def offences(source):
    for path in sorted(source.rglob("*")):
        if path.suffix not in {".h", ".cpp", ".S"}:
            continue
        folder = path.relative_to(source).parts[0]
        if folder not in FLOW:
            yield f"{path}: folder '{folder}' has no place in the flow"
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = re.match(r'\s*#\s*include\s+"([a-z_]+)/', line)
            if not match or match[1] not in FLOW:
                continue
            used = match[1]
            allowed = GUEST.get(folder, {f for f in FLOW[: FLOW.index(folder) + 1] if f not in HIDDEN})
            if used not in allowed:
                yield f"{path}:{number}: {folder}/ may not include {used}/"


def main():
    found = list(offences(pathlib.Path(sys.argv[1])))
    print("\n".join(found) or "includes follow the flow")
    return 1 if found else 0


sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`treadle show --symbolic` prints Fig. 1 of the paper as its Figs. 2 and 3 do, of a source and of a saved trace.

    show.py TREADLE SOURCE FOLDER
"""
import pathlib
import re
import subprocess
import sys

treadle, source, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
folder.mkdir(parents=True, exist_ok=True)
trace = folder / "run.trace"


def shown(*words):
    run = subprocess.run([treadle, "show", *words], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{words}: status {run.returncode}\n{run.stdout}{run.stderr}")
    return run.stdout


def in_order(text, *patterns):
    at = 0
    for pattern in patterns:
        found = re.compile(pattern).search(text, at)
        if not found:
            sys.exit(f"no {pattern!r} in\n{text[at:]}")
        at = found.end()


fresh = shown("--symbolic", "--out", str(folder), "--save-trace", str(trace), source)
in_order(fresh,
         r"guarded assignments\n", r"<0\.1, \(assume\(true\), \{(r\d+) := x\}\)> +# figure_1\.c:\d+",
         r"<0\.1, \(assume\(l > 0\), \{l := l - 1\}\)>", r"\{x := r\d+ \+ 2\}", r"\{l := l \+ 1\}", r"\{y := r\d+ \+ 1\}", r"\{x := r\d+ \+ 1\}",
         r"<0\.2, \(assume\(0 < x\), \{\}\)>", r"<0\.2, \(assert\(y == 1\)\)> .*assertion",
         r"concurrent static single assignment form\n", r"\{x_1 := r\d+ \+ 2\}", r"\{x_2 := r\d+ \+ 1\}",
         r"assume\(0 < (pi\d+)\), \{\}\)> where \1 <- pi\(x_0, x_1, x_2\)", r"assert\((pi\d+) == 1\)\)> where \1 <- pi\(y_0, y_1\)")
if shown("--symbolic", str(trace)) != fresh:
    sys.exit("the saved trace is shown differently")
refused = subprocess.run([treadle, "show", "--symbolic", source, str(trace)], capture_output=True, text=True)
if refused.returncode != 2:
    sys.exit(f"a source and a trace at once: status {refused.returncode}")

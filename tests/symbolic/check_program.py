#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a symbolic build of a program and has its expressions held against its runs.

    check_program.py TREADLE SELF_CHECK SOURCE FOLDER
"""
import pathlib
import subprocess
import sys

treadle, self_check, source, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4])
folder.mkdir(parents=True, exist_ok=True)
program = folder / source.stem
compiler, standard = ("c++", "-std=c++20") if source.suffix == ".cpp" else ("cc", "-std=gnu17")
subprocess.run([treadle, compiler, "--symbolic", "-g", "-O1", standard, "-pthread", str(source), "-o", str(program)], check=True)
sys.exit(subprocess.run([self_check, str(program), "3", "symbolic"]).returncode)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds one program of same_trace/ with Treadle and has the drivers repeat its schedules: under every carrier, and from snapshots taken in mid-run."""
import argparse
import pathlib
import subprocess
import sys

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--treadle", required=True)
parser.add_argument("--driver", required=True)
parser.add_argument("--snapshots", required=True)
parser.add_argument("--work", required=True, type=pathlib.Path)
parser.add_argument("--schedules", default="4")
parser.add_argument("--times", default="1000")
parser.add_argument("--starts", default="5")
parser.add_argument("source", type=pathlib.Path)
options = parser.parse_args()

options.work.mkdir(parents=True, exist_ok=True)
program = options.work / options.source.stem
language = ["c++", "-std=c++20"] if options.source.suffix == ".cpp" else ["cc", "-std=gnu17"]
subprocess.run([options.treadle, *language, "-g", "-O1", options.source, "-o", program, "-pthread"], check=True)
same = subprocess.run([options.driver, program, options.schedules, options.times, options.starts]).returncode
resumed = subprocess.run([options.snapshots, program, options.schedules]).returncode
sys.exit(same or resumed)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tasks of other people's verifiers, in the dialect of SV-COMP, compiled and checked as they are.

  verifier_tasks.py --treadle PATH --work DIR [--seconds S] [--out FILE] MIRROR

MIRROR is a git repository (of ESBMC, say) with programs that call pthread_create and __VERIFIER_*; beside each a test.desc with the expected
verdict. What the verdicts there are about differs (reachability, races, overflow, leaks), so what differs is listed, to be looked at.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys


def git(mirror, *words):
    return subprocess.run(["git", "-C", mirror, *words], capture_output=True, text=True, errors="replace").stdout


def tasks_of(mirror):
    threads = {line.removeprefix("HEAD:") for line in git(mirror, "grep", "-l", "pthread_create", "HEAD", "--", "*.c").splitlines()}
    dialect = {line.removeprefix("HEAD:") for line in
               git(mirror, "grep", "-lE", "VERIFIER_nondet|reach_error|VERIFIER_atomic", "HEAD", "--", "*.c").splitlines()}
    for path in sorted(threads & dialect):
        expected = re.search(r"VERIFICATION (SUCCESSFUL|FAILED)", git(mirror, "show", f"HEAD:{pathlib.PurePath(path).parent}/test.desc"))
        if expected:
            yield path, expected.group(1) == "FAILED"


def checked(options, source, strategy):
    command = [options.treadle, "check", "--json", "-", "--cflags", "-w -Wno-everything", "--as-found", *strategy, source]
    try:
        run = subprocess.run(command, capture_output=True, text=True, errors="replace", cwd=options.work, timeout=options.seconds * 3 + 60)
    except subprocess.TimeoutExpired:
        return {"verdict": "too long", "findings": [], "executions": 0, "seconds": 0}
    if run.returncode not in (0, 1):
        return {"verdict": "could not", "why": run.stderr.strip().splitlines()[:2], "findings": [], "executions": 0, "seconds": 0}
    return json.loads(run.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--treadle", type=lambda path: str(pathlib.Path(path).resolve()), required=True)
    parser.add_argument("--work", type=lambda path: pathlib.Path(path).resolve(), required=True)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("mirror")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    limit = f"{options.seconds:g}s"
    ways = {"mpc": ["--strategy", "mpc", "--races", "explore", "--max-time", limit], "default": ["--races", "explore", "--budget", limit]}
    counts, lines = {}, []
    for number, (path, fails) in enumerate(tasks_of(options.mirror)):
        source = options.work / f"{number}_{pathlib.PurePath(path).parent.name}.c"
        source.write_text(git(options.mirror, "show", f"HEAD:{path}"))
        for name, strategy in ways.items():
            result = checked(options, source, strategy)
            kinds = sorted({finding["kind"] for finding in result["findings"]})
            verdict = result["verdict"]
            agrees = verdict == ("bugs" if fails else "clean")
            key = (name, verdict if verdict in ("could not", "too long", "incomplete") else "as expected" if agrees else "otherwise")
            counts[key] = counts.get(key, 0) + 1
            lines.append({"task": path, "how": name, "expected": "bugs" if fails else "clean", "verdict": verdict, "kinds": kinds, "why": result.get("why"),
                          "covers": result.get("covers"), "executions": result["executions"], "seconds": round(result["seconds"], 2)})
            print(f"{path} {name}: {verdict} {','.join(kinds)} ({'as' if agrees else 'not as'} expected) {result['executions']} {result['seconds']:.1f} s {result.get('why') or ''}", flush=True)
    for (name, what), count in sorted(counts.items()):
        print(f"{name}: {count} {what}")
    if options.out:
        options.out.write_text("".join(json.dumps(line) + "\n" for line in lines))


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every program in this folder against what its first lines promise.

Each line `// CHECK: key=value …` of a program is one check; values follow shell quoting. Keys:
  strategy=S  races=R  model=M  max=N     options of `treadle check` (max: --max-executions)
  options="…"  args="…"                   further options; arguments of the program
  flags="…"                               compiler flags, -Dmacros that choose the twin
  verdict=clean|bugs|incomplete           must be the verdict; a sample of the schedules in which nothing failed is incomplete
  kinds=a,b                               the kinds of all findings, exactly
  among=a,b                               at least one finding, and none of another kind
  message="…"                             part of some finding's message
  covers="…"                              part of what the verdict says it covers
  executions=N                            exact number of executions
  outcomes="a=0,b=1;…"                    exact set of observed outcomes
A line `// LIMIT: …` has the same form and says what ought to hold but does not yet: it must fail, or it is no limit any more.
Every finding's witness is replayed: it must fail again, in the same way.

  run.py --treadle PATH --work DIR [--built DIR] [--shard I/N] [--pin] [--instead S] [NAME…]
--built: where programs are compiled to, which is most of the work; several that run at the same time may share it.
--instead runs strategy S where a line asks for an exhaustive search: the verdict and the findings must be the same, whatever was left out.
--pin writes the executions counted into the CHECK lines of exhaustive checks, for review.
"""
import argparse
import fcntl
import hashlib
import json
import pathlib
import re
import shlex
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
KEYS = {"strategy", "races", "model", "max", "options", "args", "flags", "verdict", "kinds", "among", "message", "covers", "executions", "outcomes"}


class Check:
    def __init__(self, source, number, word, text):
        self.source, self.number, self.text = source, number, text
        self.is_limit = word == "LIMIT"
        self.want = dict(word.split("=", 1) for word in shlex.split(text))
        unknown = set(self.want) - KEYS
        if unknown:
            sys.exit(f"{source.name}: unknown key in CHECK line: {', '.join(sorted(unknown))}")
        self.flags = shlex.split(self.want.get("flags", ""))

    def __str__(self):
        return f"{self.source.name}:{self.number}: {self.text}"


def checks_of(source):
    lines = source.read_text().splitlines()
    if any("CHECK:" in line and not line.startswith("// CHECK: ") for line in lines):
        sys.exit(f"{source.name}: a CHECK stands in the middle of a line")
    return [Check(source, i + 1, *m.groups()) for i, line in enumerate(lines) if (m := re.match(r"// (CHECK|LIMIT): (.*)", line))]


def by_another(check, strategy):
    """The same promise about another search, which has its own number of executions; None: it cannot be asked for that."""
    asked = check.want
    if check.is_limit or asked.get("strategy") != "exhaustive" or asked["verdict"] == "incomplete" or "--preemptions" in asked.get("options", ""):
        return None
    kept = {key: value for key, value in asked.items() if key not in ("executions", "max")} | {"strategy": strategy}
    return Check(check.source, check.number, "CHECK", " ".join(f"{key}={shlex.quote(value)}" for key, value in kept.items()))


def tool_stamp(treadle):
    """Changes when the compiler, the pass or the runtime does, so that no stale program is checked."""
    parts = [treadle] + sorted(p for p in treadle.parent.parent.rglob("*") if p.name in ("libtreadle_rt.a", "TreadlePass.so", "libTreadlePass.so"))
    return "".join(f"{p}{p.stat().st_mtime_ns}" for p in parts)


class Runner:
    def __init__(self, treadle, work, built):
        self.treadle, self.work, self.built = treadle, work, built
        self.stamp = tool_stamp(treadle)
        self.includes = hashlib.sha256(b"".join(p.read_bytes() for p in sorted(HERE.glob("*.h")))).hexdigest()
        for folder in (work, built):
            folder.mkdir(parents=True, exist_ok=True)

    def build(self, check):
        """Compiles once per (source, flags, tool); returns the binary or the compiler's complaint."""
        key = hashlib.sha256((self.stamp + self.includes + check.source.read_text() + " ".join(check.flags)).encode()).hexdigest()[:16]
        binary = self.built / f"{check.source.stem}-{key}"
        with open(self.built / f"{check.source.stem}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # who else wants it waits for it
            return (binary, "") if binary.exists() else self.compile(check, binary)

    def compile(self, check, binary):
        for stale in self.built.glob(f"{check.source.stem}-*"):
            if stale.is_file() and stale.stat().st_mtime < self.treadle.stat().st_mtime:
                stale.unlink(missing_ok=True)
        language = ["c++", "-std=c++20"] if check.source.suffix == ".cpp" else ["cc", "-std=gnu17"]
        level = [] if any(f.startswith("-O") for f in check.flags) else ["-O1"]
        fresh = binary.with_suffix(".new")
        built = subprocess.run([self.treadle, language[0], language[1], "-g", *level, *check.flags, check.source, "-o", fresh, "-pthread"],
                               capture_output=True, text=True)
        if built.returncode != 0:
            return None, built.stdout + built.stderr
        fresh.rename(binary)
        return binary, ""

    def check(self, check):
        """Returns (complaints, result)."""
        binary, complaint = self.build(check)
        if binary is None:
            return [f"does not compile:\n{complaint}"], None
        want = check.want
        where = self.work / f"{binary.name}.{check.number}.d"
        where.mkdir(exist_ok=True)
        command = [self.treadle, "check", "--json", "-"]
        for key, option in (("strategy", "--strategy"), ("races", "--races"), ("model", "--model"), ("max", "--max-executions")):
            if key in want:
                command += [option, want[key]]
        command += shlex.split(want.get("options", "")) + [binary]
        if "args" in want:
            command += ["--"] + shlex.split(want["args"])
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=where)
        except subprocess.TimeoutExpired:
            return [f"took more than 600 s: {shlex.join(map(str, command))}"], None
        if run.returncode not in (0, 1):
            return [f"status {run.returncode}: {shlex.join(map(str, command))}\n{run.stdout[-2000:]}{run.stderr[-2000:]}"], None
        try:
            result = json.loads(run.stdout)
        except json.JSONDecodeError as error:
            return [f"no JSON on standard output ({error}):\n{run.stdout[:500]}"], None
        return self.complaints(want, run.returncode, result) + self.replays(result, where, [o for o in command if o == "--leaks"]), result

    def complaints(self, want, status, result):
        found = sorted({f["kind"] for f in result["findings"]})
        bad = []
        if result["verdict"] != want["verdict"]:
            bad.append(f"verdict {result['verdict']}, expected {want['verdict']}; found {found}")
        if status != (1 if result["findings"] else 0):
            bad.append(f"exit status {status} with {len(result['findings'])} findings")
        if want["verdict"] != "bugs" and found:
            bad.append(f"found {found}, expected nothing")
        if "kinds" in want and found != sorted(want["kinds"].split(",")):
            bad.append(f"found {found}, expected exactly {want['kinds']}")
        if "among" in want and (not found or not set(found) <= set(want["among"].split(","))):
            bad.append(f"found {found}, expected some of {want['among']}")
        if "message" in want and not any(want["message"] in f["message"] for f in result["findings"]):
            bad.append(f"no message contains '{want['message']}': {[f['message'] for f in result['findings']]}")
        if want.get("covers", "") not in result["covers"]:
            bad.append(f"covers '{result['covers']}'")
        if "executions" in want and result["executions"] != int(want["executions"]):
            bad.append(f"{result['executions']} executions, expected {want['executions']}")
        if "outcomes" in want:
            seen = {",".join(f"{k}={o[k]}" for k in sorted(o)) for o in result["outcomes"]}
            if seen != set(want["outcomes"].split(";")):
                bad.append(f"outcomes {sorted(seen)}, expected {want['outcomes']}")
        if bad:
            bad += [f"  {f['kind']}: {f['message']}" for f in result["findings"]]
        return bad

    def replays(self, result, where, options):
        bad = []
        for finding in result["findings"]:
            if finding["kind"] == "nondeterminism":
                continue  # what it says is that a replay may differ
            if not finding["confirmed"]:
                bad.append(f"{finding['kind']} is not confirmed")
            if not finding["witness"]:
                bad.append(f"{finding['kind']} has no witness")
                continue
            replay = subprocess.run([self.treadle, "replay", *options, finding["witness"]], capture_output=True, text=True, timeout=600, cwd=where)
            if replay.returncode != 1:
                bad.append(f"replay of the {finding['kind']} has status {replay.returncode}:\n{replay.stdout[-1500:]}{replay.stderr[-1500:]}")
            elif finding["kind"] not in replay.stdout + replay.stderr:
                bad.append(f"replay does not show a {finding['kind']}:\n{replay.stdout[-1500:]}")
        return bad


def pin(check, executions):
    lines = check.source.read_text().splitlines(keepends=True)
    line = re.sub(r" executions=\d+", "", lines[check.number - 1].rstrip("\n"))
    lines[check.number - 1] = f"{line} executions={executions}\n"
    check.source.write_text("".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--treadle", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--built", type=pathlib.Path)
    parser.add_argument("--shard", default="0/1")
    parser.add_argument("--pin", action="store_true")
    parser.add_argument("--instead", metavar="S")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    shard, shards = map(int, arguments.shard.split("/"))
    sources = sorted(p for p in HERE.iterdir() if p.suffix in (".c", ".cpp") and (not arguments.names or p.stem in arguments.names))
    runner = Runner(arguments.treadle.resolve(), arguments.work.resolve(), (arguments.built or arguments.work).resolve())
    failed = total = 0
    for source in sources[shard::shards]:
        checks = checks_of(source)
        if not checks:
            sys.exit(f"{source.name}: no CHECK line")
        if arguments.instead:
            checks = [other for check in checks if (other := by_another(check, arguments.instead))]
        for check in checks:
            total += 1
            bad, result = runner.check(check)
            if check.is_limit and result:
                bad = [] if bad else ["holds: no limit any more, make it a CHECK line and take it out of docs/limits.md"]
            if arguments.pin and result and not bad and check.want.get("strategy") == "exhaustive":
                pin(check, result["executions"])
            print(f"{'FAILED' if bad else 'limit ' if check.is_limit else 'ok    '} {check}" + (f"   ({result['executions']})" if result else ""), flush=True)
            for line in bad:
                print("    " + line.replace("\n", "\n    "), flush=True)
            failed += bool(bad)
    print(f"{total - failed} of {total} checks hold")
    return 1 if failed or total == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

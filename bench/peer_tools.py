# SPDX-License-Identifier: Apache-2.0
"""Treadle and its peers behind one interface: run a program, say how many executions it took, how long, and how much memory.

What each of them takes for the program's smallest size, which is its start, is measured as well and given separately: Treadle's of a program
that was compiled before the clock starts, the peers' with their compiler, which is part of them.
"""
import dataclasses
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import time


@dataclasses.dataclass
class Measured:
    seconds: float = 0.0  # of the search, by the clock on the wall
    cpu: float = 0.0      # of the search, of all processes
    start_seconds: float = 0.0  # before it: start, and the peers' compiler
    start_cpu: float = 0.0
    executions: int = 0
    blocked: int = 0
    kilobytes: int = 0
    failure: str = ""  # why there is no figure


def descendants(pid):
    try:
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [int(c) for c in children] + [g for c in children for g in descendants(c)]


def peak_of(pid):
    try:
        return int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1])
    except (OSError, TypeError):
        return 0


MEMORY_OF_A_PEER = 4 << 30  # address space; some loops make a peer eat all there is


def keep_small():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_OF_A_PEER, MEMORY_OF_A_PEER))


def run(command, limit, where, before=None):
    """Returns (status or None when over the limit, output, wall seconds, processor seconds, peak of memory in KiB, summed over the processes)."""
    begin = time.monotonic()
    output = where / "output.txt"
    peaks = {}
    with output.open("wb") as sink:
        child = subprocess.Popen([str(word) for word in command], stdout=sink, stderr=subprocess.STDOUT, cwd=where, start_new_session=True,
                                 preexec_fn=before)
        pause = 0.001
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() - begin > limit:
                os.killpg(child.pid, 9)
                os.wait4(child.pid, 0)
                child.returncode = -9
                return None, "", limit, limit, 0
            for one in [child.pid, *descendants(child.pid)]:
                peaks[one] = max(peaks.get(one, 0), peak_of(one))
            time.sleep(pause)
            pause = min(pause * 1.2, 0.05)
    child.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - begin
    return child.returncode, output.read_text(errors="replace"), seconds, usage.ru_utime + usage.ru_stime, max(usage.ru_maxrss, sum(peaks.values()))


class Tool:
    def __init__(self):
        self.starts = {}

    def without_start(self, whole, key, start):
        """What was measured, less what the smallest size takes, which start() measures once."""
        if key not in self.starts:
            self.starts[key] = start()
        start = self.starts[key]
        whole.start_seconds, whole.start_cpu = start.seconds, start.cpu
        whole.seconds, whole.cpu = max(whole.seconds - start.seconds, 0.001), max(whole.cpu - start.cpu, 0.001)
        return whole


class Treadle(Tool):
    name = "treadle"
    models = ("sc", "tso", "pso")

    def __init__(self, build, where):
        super().__init__()
        self.binary = build.resolve() / "bin" / "treadle"
        self.where = where

    def built(self, case):
        program = self.where / "program"
        subprocess.run([self.binary, "cc", "-std=gnu17", "-g", "-O2", *case.flags, case.source, "-o", program, "-pthread"], check=True)
        return program

    def once(self, case, limit, *options):
        program = self.built(case)
        command = [self.binary, "check", "--strategy", "optimal", "--model", case.model, "--max-time", f"{int(limit)}s", *options, "--json", "result.json", program]
        status, output, seconds, cpu, kilobytes = run(command, limit + 10, self.where)
        if status not in (0, 1):
            return Measured(failure="limit" if status is None else f"status {status}: {output.strip()[-200:]}")
        result = json.loads((self.where / "result.json").read_text())
        failure = "" if result["verdict"] == "clean" else f"{result['verdict']}: {result['covers']}"
        return Measured(seconds, cpu, 0, 0, result["executions"], result["blocked"], kilobytes, failure)

    def measure(self, case, limit, smallest):
        whole = self.once(case, limit)
        start = dataclasses.replace(smallest, model=case.model)
        return whole if whole.failure else self.without_start(whole, (smallest.source, case.model), lambda: self.once(start, limit))


class Peer(Tool):
    """A tool that compiles by itself and prints its counts."""

    def __init__(self, binary, where):
        super().__init__()
        self.binary, self.where = binary, where

    def once(self, case, limit, options):
        status, output, seconds, cpu, kilobytes = run(self.command(case, options), limit, self.where, keep_small)
        if status is None:
            return Measured(seconds=limit, cpu=limit, failure="limit")
        complaint = re.search(self.refused, output)
        executions = re.search(self.executions, output)
        if complaint or not executions:
            return Measured(failure="unsupported" if complaint else f"status {status}: {output.strip()[-120:]}")
        blocked = re.search(self.blocked, output)
        return Measured(seconds, cpu, 0, 0, int(executions[1]), int(blocked[1]) if blocked else 0, kilobytes)

    def measure(self, case, limit, smallest):
        """With the peer's default options, or with the first of its other sets that gives the right count, if any does."""
        first = None
        for options in self.option_sets:
            whole = self.once(case, limit, options)
            first = first or whole
            if whole.failure == "limit" or not whole.failure and whole.executions == case.classes:
                break
        else:
            whole, options = first, self.option_sets[0]
        start = dataclasses.replace(smallest, model=case.model)
        return whole if whole.failure else self.without_start(whole, (smallest.source, case.model, options), lambda: self.once(start, limit, options))


class GenMC(Peer):
    name = "GenMC"
    models = ("sc", "tso")
    executions = r"Number of complete executions explored: (\d+)"
    blocked = r"Number of blocked executions seen: (\d+)"
    refused = r"(?i)not supported|unsupported|unknown type name|undeclared|LLVM ERROR"
    # Some of its reductions give up on, or crash with, some spin loops.
    option_sets = ((), ("--disable-ipr",), ("--disable-ipr", "--disable-confirmation-annotation"))

    def command(self, case, options):
        return [self.binary, f"--{case.model}", "--disable-estimation", *options, "--", *case.flags, case.source]


class Nidhugg(Peer):
    name = "Nidhugg"
    models = ("sc", "tso", "pso")
    executions = r"Trace count: (\d+)"
    blocked = r"Trace count: \d+ \(also (\d+) sleepset blocked"
    refused = r"(?i)not supported|unsupported|unknown external function|uninitialized condition|LLVM ERROR"
    option_sets = ((), ("-no-commute-rmws",))

    def command(self, case, options):
        algorithm = "-optimal" if case.model == "sc" else "-source"  # its optimal algorithm repeats executions under TSO and does not know PSO
        return [self.binary, *case.flags, "--", f"-{case.model}", algorithm, "-disable-mutex-init-requirement", *options, case.source]


def installed(option, variable, name):
    found = option or os.environ.get(variable) or shutil.which(name)
    return pathlib.Path(found).resolve() if found else None


def peers(options, where):
    """The peers there are, and what to say about those there are not."""
    found, said = [], []
    genmc = installed(options.genmc, "GENMC", "genmc")
    nidhugg = installed(options.nidhugg, "NIDHUGG", "nidhugg")
    if nidhugg and (script := nidhugg.with_name("nidhuggc")).exists():
        nidhugg = script  # the driver that compiles
    for peer, binary in ((GenMC, genmc), (Nidhugg, nidhugg)):
        if binary and binary.exists():
            found.append(peer(binary, where))
        else:
            said.append(f"{peer.name} is not installed (not on PATH, no {peer.name.upper()}=…): its columns stay empty.")
    return found, said

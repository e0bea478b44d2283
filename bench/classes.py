# SPDX-License-Identifier: Apache-2.0
"""What the programs in bench/programs/por promise in their first lines.

  // classes: -DN=3 sc=8 tso=8 pso=8     so many classes of executions with these flags under these models
  // bug: -DDEADLOCK sc=deadlock         a search under this model ends with this kind of bug
A class is what partial order reduction cannot tell apart: executions that differ in the order of independent steps only, with fruitless
iterations of spin loops left out. A line `// Spins: …` says that the program has such loops.
"""
import dataclasses
import pathlib
import re
import shlex

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
MODELS = ("sc", "tso", "pso")


@dataclasses.dataclass(frozen=True)
class Case:
    source: pathlib.Path
    flags: tuple
    model: str
    classes: int = 0
    bug: str = ""
    spins: bool = False
    first: bool = False  # the smallest size of its program

    def __str__(self):
        return " ".join([self.source.stem, *self.size()])

    def size(self):
        return [flag.removeprefix("-D").replace("memory_order_", "") for flag in self.flags]


def cases_of(source):
    text = source.read_text()
    spins = "\n// Spins: " in text
    cases = []
    for line in text.splitlines():
        if not line.startswith("//"):
            break
        if not (match := re.match(r"// (classes|bug): (.*)", line)):
            continue
        words = shlex.split(match[2])
        flags = tuple(w for w in words if w.startswith("-"))
        for word in words:
            model, _, value = word.partition("=")
            if model in MODELS:
                promise = {"classes": int(value)} if match[1] == "classes" else {"bug": value}
                cases.append(Case(source, flags, model, spins=spins, first=not cases, **promise))
    return cases


def all_cases():
    return [case for source in [*sorted(PROGRAMS.glob("*.c")), *sorted(PROGRAMS.glob("por/*.c"))] for case in cases_of(source)]

# SPDX-License-Identifier: Apache-2.0
"""What the programs in bench/programs/mcr promise in their first lines; all of it with `--races explore`.

  // verdict: -DN=2 sc=data-race tso=assertion,data-race     what a whole search finds with these flags under these models, or `clean`
  // runs: -DN=2 optimal=3/3/53 value=2/2/10                 executions of these strategies under SC, TSO and PSO; `-`: not pinned
A line `// Spins: …` says that there are loops whose fruitless iterations are given up and counted as blocked.
"""
import dataclasses
import pathlib
import re
import shlex

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs" / "mcr"
MODELS = ("sc", "tso", "pso")


@dataclasses.dataclass
class Pins:
    source: pathlib.Path
    flags: tuple
    verdicts: dict = dataclasses.field(default_factory=dict)  # model -> set of kinds
    runs: dict = dataclasses.field(default_factory=dict)      # (strategy, model) -> executions
    spins: bool = False

    def __str__(self):
        return " ".join([self.source.stem, *(flag.removeprefix("-D") for flag in self.flags)])


def first_lines(source):
    for line in source.read_text().splitlines():
        if not line.startswith("//"):
            return
        yield line


def pins_of(source):
    lines = list(first_lines(source))
    spins = any(line.startswith("// Spins: ") for line in lines)
    for line in lines:
        if not (match := re.match(r"// (verdict|runs): (.*)", line)):
            continue
        words = shlex.split(match[2])
        pins = Pins(source, tuple(w for w in words if w.startswith("-")), spins=spins)
        for name, value in (w.split("=", 1) for w in words if not w.startswith("-")):
            if match[1] == "verdict":
                pins.verdicts[name] = set(value.split(",")) - {"clean"}
                continue
            for model, count in zip(MODELS, value.split("/"), strict=True):
                if count != "-":
                    pins.runs[name, model] = int(count)
        yield pins


def all_pins():
    return [pins for source in sorted(PROGRAMS.glob("*.c")) for pins in pins_of(source)]

# SPDX-License-Identifier: Apache-2.0
"""What the tests of the seed's examples and tables share: building a program once, checking it, and the markers in its source."""
import json
import os
import pathlib
import re
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BENCH = HERE.parent.parent / "bench/programs"
TREADLE = pathlib.Path(os.environ.get("TREADLE", HERE.parent.parent / "build/bin/treadle")).resolve()
VARIANTS = pathlib.Path(os.environ.get("VARIANTS", TREADLE.parent / "inspect_variants")).resolve()

_folder = tempfile.TemporaryDirectory(prefix="treadle-inspect-")
_built = {}


def build(source, *flags):
    key = (source, flags)
    if key not in _built:
        program = pathlib.Path(_folder.name) / f"{source.stem}-{len(_built)}"
        done = subprocess.run([TREADLE, "cc", "-std=gnu17", "-g", "-O1", *flags, source, "-o", program, "-pthread"], capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(f"{source} does not compile:\n{done.stderr}")
        _built[key] = program
    return _built[key]


def check(source, *flags, strategy="dpor", options=()):
    """Runs `treadle check` to its end; returns the JSON."""
    command = [TREADLE, "check", "--strategy", strategy, "--max-time", "3000", "--json", "-", *options, build(source, *flags)]
    run = subprocess.run(command, capture_output=True, text=True, cwd=_folder.name)
    if run.returncode not in (0, 1):
        raise AssertionError(f"status {run.returncode}: {run.stdout}{run.stderr}")
    return json.loads(run.stdout)


def replay(finding):
    """Exit status of replaying its witness."""
    return subprocess.run([TREADLE, "replay", finding["witness"]], capture_output=True, text=True, cwd=_folder.name).returncode


def variants(source, *words):
    """(executions, blocked, redundant) of the seed's algorithm without the reductions named."""
    run = subprocess.run([VARIANTS, build(source), *words], capture_output=True, text=True, check=True)
    return tuple(int(n) for n in run.stdout.split())


def marked_lines(source):
    """{"label": line} from the comments `// @label`."""
    lines = source.read_text().splitlines()
    return {m[1]: n for n, line in enumerate(lines, 1) if (m := re.search(r"// @([\w-]+)$", line))}


def places(finding):
    return sorted({part["stack"][0]["line"] for part in finding["threads"] if part["stack"]})

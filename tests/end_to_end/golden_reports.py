# SPDX-License-Identifier: Apache-2.0
"""The terminal report of each kind of finding, on a twin program, against what it was when somebody last looked at it.

TREADLE_UPDATE_GOLDEN=1 writes the files in golden/, for review."""
import os
import pathlib
import re
import sys

from support import HERE, REPOSITORY, EndToEnd, kinds_of_findings

sys.path.append(str(REPOSITORY / "tests/html"))
from models import TWINS, command_for  # noqa: E402  the same programs as the golden pages

GOLDEN = HERE / "golden"


def without_chance(kind, text, folder):
    """What may differ from machine to machine, and of what is not determined from run to run."""
    text = text.replace(f"{folder}/", "")
    text = re.sub(r"in \d+\.\d+ s \(\d+/s\)", "in TIME", text)
    text = re.sub(r"in \d+\.\d+ s\b", "in TIME", text)
    # How many there are to the first finding depends on the sizes of batches, and these on the clock.
    text = re.sub(r"\d+(?= executions? only)|(?<=executions  )\d+", "N", text)
    text = re.sub(r"(?m)^  remains .*\n", "", text)
    text = re.sub(r"-[0-9a-f]{8}\.witness", "-HASH.witness", text)
    text = re.sub(r"0x[0-9a-f]{5,}", "ADDRESS", text)
    if kind == "nondeterminism":  # what differs, how it shows, and how many runs it takes until it does, is chance
        text = re.sub(r"\d+", "N", text.splitlines()[0]) + "\n"
    return re.sub(r" +$", "", text, flags=re.M)


class GoldenReports(EndToEnd):
    def test_each_kind_is_told_as_it_always_was(self):
        for kind in TWINS:
            with self.subTest(kind=kind):
                words, source = command_for(kind)
                run = self.treadle(*words, source)
                self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
                shown = without_chance(kind, run.stdout, source.parent)
                file = GOLDEN / f"{kind}.txt"
                if os.environ.get("TREADLE_UPDATE_GOLDEN"):
                    file.parent.mkdir(exist_ok=True)
                    file.write_text(shown)
                self.assertEqual(file.read_text().splitlines(), shown.splitlines())

    def test_every_kind_has_a_golden_report_and_page(self):
        kinds = kinds_of_findings()
        self.assertLessEqual(kinds, {file.stem for file in GOLDEN.glob("*.txt")})
        self.assertLessEqual(kinds, {file.stem for file in (REPOSITORY / "tests/html/golden").glob("*.json")})

# SPDX-License-Identifier: Apache-2.0
"""Runs every command of the documentation.

In docs/*.md a fenced block `c name=FILE` or `cpp name=FILE` is a file; a block `console` has commands after "$ " and, below each, what they
print: a line of "..." stands for any lines, "…" for anything within one. Blocks of one page share a folder and run in their order."""
import os
import re
import unittest

from support import REPOSITORY, EndToEnd, TREADLE

FENCE = re.compile(r"^```(\w+)(?: name=(\S+))?\n(.*?)^```$", re.M | re.S)


def pattern_of(lines):
    """A regular expression for the whole output."""
    parts = []
    for line in lines:
        if line == "...":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(".*".join(re.escape(part) for part in line.split("…")) + r"[^\S\n]*\n")
    return re.compile(r"\A" + "".join(parts) + r"\Z")


def commands_in(block):
    """Pairs of a command and the lines expected below it."""
    pairs = []
    for line in block.splitlines():
        if line.startswith("$ "):
            pairs.append((line[2:], []))
        else:
            pairs[-1][1].append(line)
    return pairs


class Documentation(EndToEnd):
    def follow(self, page):
        environment = dict(os.environ, PATH=f"{TREADLE.parent}:{os.environ['PATH']}", NO_COLOR="1")
        ran = 0
        for language, name, text in FENCE.findall((REPOSITORY / "docs" / page).read_text()):
            if name:
                self.write(name, text)
            if language != "console":
                continue
            for command, expected in commands_in(text):
                with self.subTest(page=page, command=command):
                    run = self.run_command("bash", "-c", command, env=environment)
                    output = run.stdout + run.stderr
                    self.assertRegex(output if output.endswith("\n") or not output else output + "\n", pattern_of(expected))
                    ran += 1
        return ran

    def test_the_guide_can_be_followed(self):
        self.assertGreater(self.follow("guide.md"), 8)

    def test_the_recipes_can_be_followed(self):
        self.assertGreater(self.follow("recipes.md"), 5)

    def test_links_between_pages_lead_somewhere(self):
        for page in [*(REPOSITORY / "docs").glob("*.md"), REPOSITORY / "README.md"]:
            prose = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)  # a lambda is no link
            for target in re.findall(r"\]\(([^)#]+)\)", prose):
                if "://" not in target:
                    self.assertTrue((page.parent / target).exists(), f"{page.name}: {target}")


if __name__ == "__main__":
    unittest.main()

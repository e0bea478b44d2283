# SPDX-License-Identifier: Apache-2.0
"""Witnesses outlive the binary they were made with: edits elsewhere, renamed variables, another optimisation level."""
import os
import re
import unittest

from support import REPOSITORY, EndToEnd

PROGRAMS = REPOSITORY / "tests/programs"

UNRELATED = """
static int unrelated_counter_;
static int unrelated_(int n) { for (int i = 0; i < n; i++) unrelated_counter_ += i; return unrelated_counter_; }
__attribute__((constructor)) static void unrelated_start_(void) { unrelated_(3); }
"""

TYPES = r"(?:int|long|unsigned|pthread_mutex_t|pthread_cond_t|atomic_int|std::mutex|std::atomic<int>)"


def with_code_added(text):
    at = max(m.end() for m in re.finditer(r"^#include.*\n", text, re.M))
    return text[:at] + UNRELATED + text[at:]


def with_lines_moved(text):
    return "// moved\n" * 7 + text


def with_variables_renamed(text):
    for name in set(re.findall(rf"^(?:static )?{TYPES} (\w+)", text, re.M)) - {"main"}:
        text = re.sub(rf'(?<![\w"])\b{name}\b(?!\()', name + "_renamed", text)
    return text


MUTATIONS = {"code added": (with_code_added, ""), "lines moved": (with_lines_moved, ""), "variables renamed": (with_variables_renamed, ""),
             "-O0": (str, "-O0"), "-O2": (str, "-O2"), "-O3": (str, "-O3")}

# program, flags, races; TREADLE_MUTATE_ALL adds every buggy program of the folder
SOME = [("mutex_counter.c", "", "stop"), ("mutex_order.c", "", "stop"), ("cond_lost_wakeup.c", "", "stop"), ("cond_if_two_consumers.c", "", "explore"),
        ("heap_errors.c", "-DUSE_AFTER_FREE", "stop"), ("std_mutex_order.cpp", "", "stop")]


def buggy_programs():
    for source in sorted(PROGRAMS.glob("*.c*")):
        for line in re.findall(r"^// CHECK: (.*)$", source.read_text(), re.M):
            if "verdict=bugs" not in line or re.search(r"model=|options=|args=|nondeterminism", line):
                continue
            flags = re.search(r'flags=("[^"]*"|\S+)', line)
            yield source.name, flags[1].strip('"') if flags else "", "explore" if "races=explore" in line else "stop"


class Recheck(EndToEnd):
    def witnesses_of(self, name, flags, races):
        for header in PROGRAMS.glob("*.h"):
            self.write(header.name, header.read_text())
        source = self.write(name, (PROGRAMS / name).read_text())
        self.treadle("check", "--races", races, "--max-time", "60s", "--cflags", flags, source)
        return source, sorted((self.folder / ".treadle").glob("*.witness"))

    def recheck(self, witnesses, source, flags="", *options):
        return self.treadle("recheck", "--max-time", "60s", "--out", "new", "--cflags", flags, *options, *witnesses, source)

    def test_a_bug_is_recognised_after_changes_that_do_not_touch_it(self):
        programs = dict.fromkeys(buggy_programs()) if os.environ.get("TREADLE_MUTATE_ALL") else SOME
        asked, recognised, lost = 0, 0, []
        for name, flags, races in programs:
            for old in [*(self.folder.glob(".treadle/*.witness")), *(self.folder.glob("new/*.witness"))]:
                old.unlink()
            source, witnesses = self.witnesses_of(name, flags, races)
            for what, (mutate, more) in MUTATIONS.items():
                source.write_text(mutate((PROGRAMS / name).read_text()))
                run = self.recheck(witnesses, source, f"{flags} {more}")
                asked += len(witnesses)
                again = len(re.findall(r": still fails: the order of the witness leads to it again", run.stdout))
                recognised += again
                if again < len(witnesses):
                    lost.append(f"{name} {flags} {races}, {what}: {run.stdout}{run.stderr}")
        self.assertGreater(asked, 30)
        print(f"{recognised} of {asked} recognised")
        self.assertGreaterEqual(recognised, 0.9 * asked, "\n".join(lost))

    def test_the_new_witness_replays(self):
        source, witnesses = self.witnesses_of("mutex_order.c", "", "stop")
        source.write_text(with_code_added(source.read_text()))
        run = self.recheck(witnesses, source)
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertEqual(self.treadle("replay", self.folder / "new" / witnesses[0].name).returncode, 1)

    def test_a_fixed_program_is_said_to_be_fixed(self):
        source, witnesses = self.witnesses_of("mutex_counter.c", "", "stop")
        run = self.recheck(witnesses, source, "-DFIXED")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("fixed: unreachable: all schedules under SC", run.stdout)

    def test_an_unfinished_search_cannot_tell(self):
        source, witnesses = self.witnesses_of("mutex_counter.c", "", "stop")
        run = self.recheck(witnesses, source, "-DFIXED", "--max-executions", "1")
        self.assertEqual(run.returncode, 2, run.stdout + run.stderr)
        self.assertIn("cannot tell: not seen in", run.stdout)

    def test_what_is_missing_is_named(self):
        source, witnesses = self.witnesses_of("mutex_counter.c", "", "stop")
        self.assertIn("no witness is given", self.treadle("recheck", source).stderr)
        self.assertIn("no program or source is given", self.treadle("recheck", *witnesses).stderr)


if __name__ == "__main__":
    unittest.main()

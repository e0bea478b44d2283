# SPDX-License-Identifier: Apache-2.0
"""The examples do what their first lines say."""
import os
import pathlib
import re
import shutil
import tempfile

from support import REPOSITORY, TREADLE, EndToEnd

EXAMPLES = REPOSITORY / "examples"


class Pool(EndToEnd):
    """A multi-file CMake project with GoogleTest tests, built with CC and CXX set and checked without edits."""

    built = {}  # by options: built once, used by several tests

    def project(self, *options):
        if options not in self.built:
            out = tempfile.mkdtemp(prefix="treadle-pool-")
            self.addClassCleanup(shutil.rmtree, out, ignore_errors=True)
            environment = {**os.environ, "CC": f"{TREADLE} cc", "CXX": f"{TREADLE} c++"}
            for command in (["cmake", "-G", "Ninja", "-S", EXAMPLES / "pool", "-B", out, *options], ["cmake", "--build", out, "-j", "2"]):
                run = self.run_command(*command, env=environment, timeout=900)
                self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
            self.built[options] = pathlib.Path(out)
        return self.built[options]

    def test_its_tests_pass_natively_and_under_many_schedules(self):
        out = self.project()
        self.assertEqual(self.run_command("ctest", "--test-dir", out).returncode, 0)
        for name in ("queue_test", "logger_test", "pool_test"):
            for strategy in ("random", "pct"):
                with self.subTest(name=name, strategy=strategy):
                    result = self.check_json("--strategy", strategy, "--max-executions", "300", out / name)
                    self.assertEqual((result["verdict"], result["findings"]), ("incomplete", []))

    def test_the_seeded_bug_is_found_and_replayed(self):
        out = self.project("-DPOOL_BUG=ON")
        result = self.check_json("--strategy", "random", "--max-executions", "2000", out / "queue_test")
        self.assertEqual({f["kind"] for f in result["findings"]}, {"deadlock"})
        for finding in result["findings"]:
            self.assertEqual(self.treadle("replay", finding["witness"]).returncode, 1)

    def test_one_test_alone_is_chosen_with_the_programs_own_arguments(self):
        out = self.project()
        result = self.check_json("--strategy", "random", "--max-executions", "100", out / "pool_test", "--", "--gtest_filter=*Exceptions*")
        self.assertEqual(result["findings"], [])


class Examples(EndToEnd):
    def kinds(self, name, *options):
        return {f["kind"] for f in self.check_json(*options, EXAMPLES / name)["findings"]}

    def test_the_program_of_the_front_page_has_twelve_lines_and_a_race(self):
        self.assertEqual(len((EXAMPLES / "racy.c").read_text().splitlines()), 12)
        self.assertIn((EXAMPLES / "racy.c").read_text(), (REPOSITORY / "README.md").read_text())
        self.assertEqual(self.kinds("racy.c"), {"data-race"})

    def test_the_front_page_shows_the_report_as_it_is(self):
        shutil.copytree(EXAMPLES, self.folder / "examples")
        report = self.treadle("check", "examples/racy.c").stdout.replace(str(self.folder.resolve()), "…")
        timed = re.compile(r"in [0-9.]+ s \([0-9]+/s\)")
        self.assertIn(timed.sub("in T", report), timed.sub("in T", (REPOSITORY / "README.md").read_text()))

    def test_bank_deadlocks_until_it_is_fixed(self):
        self.assertEqual(self.kinds("bank.cpp"), {"deadlock"})
        self.assertEqual(self.kinds("bank.cpp", "--cflags", "-DFIXED"), set())

    def test_lazy_init_races_until_it_is_fixed(self):
        self.assertEqual(self.kinds("lazy_init.cpp"), {"data-race"})
        self.assertEqual(self.kinds("lazy_init.cpp", "--cflags", "-DFIXED"), set())

    def test_message_loses_its_wakeup_until_it_is_fixed(self):
        self.assertEqual(self.kinds("message.c"), {"lost-wakeup"})
        self.assertEqual(self.kinds("message.c", "--cflags", "-DFIXED"), set())

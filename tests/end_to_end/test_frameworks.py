# SPDX-License-Identifier: Apache-2.0
"""Test programs of GoogleTest and Catch2 as they are: each test a subject of its own, and `treadle::explore` within a test."""
import json
import os
import pathlib
import re
import shlex
import shutil
import tempfile
import xml.etree.ElementTree

try:
    import jsonschema
except ImportError:  # a Python beside Debian's, which does not look where Debian's packages are
    import sys
    sys.path.append("/usr/lib/python3/dist-packages")
    import jsonschema

from support import REPOSITORY, EndToEnd, TREADLE

RESULT_SCHEMA = json.loads((REPOSITORY / "docs/schema/result-1.schema.json").read_text())

COUNTER = """#include <atomic>
#include <mutex>
#include <thread>
struct Counter {
  std::atomic<int> value{0};
  void lose() { int seen = value.load(); value.store(seen + 1); }
  void keep() { value++; }
};
template <class Step>
int twice(Counter& counter, Step step) {
  std::thread a([&] { (counter.*step)(); }), b([&] { (counter.*step)(); });
  a.join();
  b.join();
  return counter.value.load();
}
"""

GOOGLE_TEST = "#include <gtest/gtest.h>\n" + COUNTER + """
TEST(Counter, LosesOne) {
  Counter counter;
  EXPECT_EQ(twice(counter, &Counter::lose), 2) << "an increment is lost";
}
TEST(Counter, KeepsBoth) {
  Counter counter;
  EXPECT_EQ(twice(counter, &Counter::keep), 2);
}
TEST(Counter, DISABLED_NotYet) { FAIL(); }
class Sizes : public testing::TestWithParam<int> {};
TEST_P(Sizes, Fit) { ASSERT_LT(GetParam(), 9); }
INSTANTIATE_TEST_SUITE_P(Small, Sizes, testing::Values(4, 8));
TEST(Locks, WaitForEachOther) {
  std::mutex a, b;
  std::thread one([&] { std::lock_guard first(a); std::lock_guard second(b); });
  std::thread other([&] { std::lock_guard first(b); std::lock_guard second(a); });
  one.join();
  other.join();
}
TEST(Thrown, IsAFailure) { throw std::runtime_error("gone wrong"); }
"""

CATCH = "#include <catch2/catch.hpp>\n" + COUNTER + """
TEST_CASE("one is lost, sometimes", "[counter]") {
  Counter counter;
  CHECK(twice(counter, &Counter::lose) == 2);
}
TEST_CASE("both are kept", "[counter]") {
  Counter counter;
  REQUIRE(twice(counter, &Counter::keep) == 2);
}
TEST_CASE("nothing at all") {}
"""


class TestPrograms(EndToEnd):
    """The program is compiled once for all tests of a class."""
    made = None

    def make(self):
        cls = type(self)
        if cls.made is None:
            folder = pathlib.Path(tempfile.mkdtemp(prefix="treadle-test-"))
            cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
            source = folder / cls.NAME
            source.write_text(cls.SOURCE)
            program = source.with_suffix("")
            built = self.treadle("c++", "-g", "-O1", *cls.FLAGS, source, "-o", program, *cls.LIBRARIES, "-pthread", timeout=300)
            self.assertEqual(built.returncode, 0, built.stderr)
            cls.made = program
        return cls.made


CASES = """#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <treadle/treadle.h>
static atomic_int sum;
static int amount;
static void* add(void* careless) {
  if (careless) sum = sum + amount; else sum += amount;
  return 0;
}
int main(int argc, char** argv) {
  void* careless = argc > 1 && strcmp(argv[1], "careless run") == 0 ? argv[1] : 0;
  amount = argc > 2 ? atoi(argv[2]) : 1;
  pthread_t other;
  pthread_create(&other, 0, add, careless);
  add(careless);
  pthread_join(other, 0);
  treadle_observe("sum", sum);
  assert(sum == 2 * amount);
  return amount == 5;
}
"""


# What is known of the arguments, by whom: main, the kernel, a constructor. And main leaves them in a mess.
ASKED = r"""
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <treadle/treadle.h>
static atomic_int turns;
static int before_main = -1;
#ifdef CONSTRUCTOR
__attribute__((constructor)) static void look(int argc, char** argv) { before_main = argc > 1 ? atoi(argv[1]) : 0; }
#endif
static void* turn(void* by) { turns = turns + *(int*)by; return 0; }
int main(int argc, char** argv) {
  char line[4096] = "";
  FILE* told = fopen("/proc/self/cmdline", "r");
  const size_t bytes = fread(line, 1, sizeof line - 1, told);
  fclose(told);
  int by = atoi(argv[1]);
  treadle_observe("main", by);
  treadle_observe("kernel", atoi(line + strlen(line) + 1));
  treadle_observe("bytes", (int)(bytes - strlen(line)));
  treadle_observe("constructor", before_main);
  treadle_observe("last", argv[argc - 1][0]);
  pthread_t other;
  pthread_create(&other, 0, turn, &by);
  turn(&by);
  pthread_join(other, 0);
  treadle_observe("turns", turns);
  memset(argv[1], '9', strlen(argv[1]));
  argv[1] = argv[0];
  argv[0] = 0;
  return 0;
}
"""


class ListedCases(EndToEnd):
    def test_arguments_are_those_of_the_line_for_everybody(self):
        """Whether the program is started for each line or goes on with other arguments."""
        source, cases, result = self.folder / "asked.c", self.folder / "cases.txt", self.folder / "result.json"
        source.write_text(ASKED)
        lines = ["11 a", "12 b", "13 c", "7 a", "8 b", "8 bcd", "14", "15", "abc", "16"]
        cases.write_text("\n".join(lines) + "\n")
        for flags in ("-O1", "-O1 -DCONSTRUCTOR"):
            run = self.treadle("check", "--strategy", "optimal", "--outcomes", "--cflags", flags, "--cases", cases, "--json", result, source)
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
            found = json.loads(result.read_text())
            self.assertEqual([test["name"] for test in found["tests"]], lines)
            for test in found["tests"]:
                words = test["name"].split()
                by = int(words[0]) if words[0].isdigit() else 0
                expected = {"main": by, "kernel": by, "bytes": 1 + sum(len(word) + 1 for word in words), "last": ord(words[-1][0]),
                            "constructor": by if "CONSTRUCTOR" in flags else -1}
                self.assertEqual(test["verdict"], "clean")
                self.assertEqual({outcome["turns"] for outcome in test["outcomes"]}, {by, 2 * by})
                for outcome in test["outcomes"]:
                    self.assertEqual({name: outcome[name] for name in expected}, expected, test["name"])

    def test_a_case_does_not_show_in_those_after_it(self):
        """Not when it ends its process, nor when it stands still: the next are as they are alone."""
        source, cases, result = self.folder / "fates.c", self.folder / "cases.txt", self.folder / "result.json"
        source.write_text(r"""
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <treadle/treadle.h>
static int count;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void* add(void* unused) { pthread_mutex_lock(&m); ++count; pthread_mutex_unlock(&m); return unused; }
int main(int argc, char** argv) {
  static char* left;
  pthread_t other;
  pthread_create(&other, 0, add, 0);
  if (argv[1][0] == 'k') raise(SIGKILL);
  if (argv[1][0] == 'd') pthread_mutex_lock(&m);
  if (argv[1][0] == 'n') *(volatile int*)0 = 1;
  treadle_observe("left", left != 0);
  left = malloc(100);
  pthread_join(other, 0);
  treadle_observe("count", count);
  return 0;
}
""")
        lines = ["a", "d", "b", "n", "c", "k", "e", "f"]
        cases.write_text("\n".join(lines) + "\n")
        run = self.treadle("check", "--strategy", "optimal", "--outcomes", "--cases", cases, "--json", result, source)
        found = json.loads(result.read_text())
        for test in found["tests"]:
            if test["name"] in "dnk":
                self.assertNotEqual(test["verdict"], "clean", test["name"])
            else:
                self.assertEqual((test["verdict"], test["executions"], test["outcomes"]), ("clean", 1, [{"count": 1, "left": 0}]), run.stdout)

    def test_each_line_is_a_subject_of_its_own(self):
        source, cases, result = self.folder / "sum.c", self.folder / "cases.txt", self.folder / "result.json"
        source.write_text(CASES)
        cases.write_text("careful 3\n\n# a comment\n'careless run' 4\ncareful 5\n")
        run = self.treadle("check", "--strategy", "optimal", "--outcomes", "--cases", cases, "--json", result, source)
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        for name, word in {"careful 3": "clean", "'careless run' 4": "failed", "careful 5": "clean"}.items():
            self.assertRegex(run.stdout, rf"(?m)^  {word} +{re.escape(name)} ")
        found = json.loads(result.read_text())
        jsonschema.validate(found, RESULT_SCHEMA)
        self.assertEqual(found["framework"], "listed")
        self.assertEqual([test["outcomes"] for test in found["tests"]], [[{"sum": 6}], [{"sum": 8}], [{"sum": 10}]])
        lost = found["findings"][found["tests"][1]["findings"][0]]
        self.assertEqual(self.treadle("replay", lost["witness"]).returncode, 1)
        # Their status says nothing, unless it is asked for.
        run = self.treadle("check", "--strategy", "optimal", "--exit-status", "--cases", cases, source)
        self.assertRegex(run.stdout, r"(?m)^  failed +careful 5 ")

    def test_wrong_lists(self):
        source, cases = self.folder / "sum.c", self.folder / "cases.txt"
        source.write_text(CASES)
        cases.write_text("# nothing\n")
        for words, sentence in ((["--cases", cases], "there is no line in"), (["--cases", self.folder / "none"], "cannot read"),
                                (["--cases", cases, "--tests", "each"], "leave one of them out")):
            run = self.treadle("check", *words, source)
            self.assertEqual(run.returncode, 2, run.stdout + run.stderr)
            self.assertIn(sentence, run.stderr)
        cases.write_text("fine\n'not closed\n")
        run = self.treadle("check", "--cases", cases, source)
        self.assertEqual(run.returncode, 2)
        self.assertIn("not closed", run.stderr)


class GoogleTest(TestPrograms):
    NAME, SOURCE, FLAGS, LIBRARIES = "counter_test.cpp", GOOGLE_TEST, ["-std=c++17"], ["-lgtest", "-lgtest_main"]

    def test_each_test_is_a_subject_of_its_own_in_every_report(self):
        program = self.make()
        files = {name: self.folder / f"result.{name}" for name in ("json", "junit", "sarif", "html")}
        run = self.treadle("check", "--budget", "120s", *(word for name, file in files.items() for word in (f"--{name}", file)), program)
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        for name, word in {"Counter.LosesOne": "failed", "Counter.KeepsBoth": "clean", "Small/Sizes.Fit/0": "clean", "Small/Sizes.Fit/1": "clean",
                           "Locks.WaitForEachOther": "failed", "Thrown.IsAFailure": "failed"}.items():
            self.assertRegex(run.stdout, rf"(?m)^  {word} +{re.escape(name)} ")
        self.assertIn("6 tests: 3 failed, 3 clean", run.stdout)
        self.assertNotIn("DISABLED_NotYet", run.stdout)

        result = json.loads(files["json"].read_text())
        jsonschema.validate(result, RESULT_SCHEMA)
        self.assertEqual(result["framework"], "GoogleTest")
        tests = {test["name"]: test for test in result["tests"]}
        self.assertEqual(tests["Counter.KeepsBoth"]["verdict"], "clean")
        lost = result["findings"][tests["Counter.LosesOne"]["findings"][0]]
        self.assertEqual(lost["kind"], "assertion")
        self.assertIn("an increment is lost", lost["message"])
        line = next(number for number, text in enumerate(GOOGLE_TEST.splitlines(), 1) if "an increment is lost" in text)
        self.assertEqual((pathlib.Path(lost["location"]["file"]).name, lost["location"]["line"]), ("counter_test.cpp", line))
        ring = result["findings"][tests["Locks.WaitForEachOther"]["findings"][0]]
        self.assertEqual(ring["kind"], "deadlock")
        thrown = result["findings"][tests["Thrown.IsAFailure"]["findings"][0]]
        self.assertIn("gone wrong", thrown["message"])

        suite = xml.etree.ElementTree.parse(files["junit"]).getroot().find("testsuite")
        self.assertEqual((suite.get("tests"), suite.get("failures"), suite.get("errors")), ("6", "3", "0"))
        cases = {f"{case.get('classname')}.{case.get('name')}": case for case in suite.findall("testcase")}
        self.assertIn("an increment is lost", cases["Counter.LosesOne"].find("failure").get("message"))
        self.assertIsNone(cases["Counter.KeepsBoth"].find("failure"))
        self.assertEqual(len(json.loads(files["sarif"].read_text())["runs"][0]["results"]), len(result["findings"]))
        self.assertIn("Counter.LosesOne", files["html"].read_text())

        again = self.treadle("replay", lost["witness"])
        self.assertEqual(again.returncode, 1, again.stdout + again.stderr)
        self.assertIn("an increment is lost", again.stdout)
        self.assertEqual(self.treadle("report", files["json"], "--html", self.folder / "again.html").returncode, 0)

    def test_the_users_filter_holds_and_what_it_leaves_decides_the_status(self):
        program = self.make()
        run = self.treadle("check", program, "--", "--gtest_filter=*KeepsBoth")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("1 test: 1 clean", run.stdout)
        self.could_not(self.treadle("check", program, "--", "--gtest_filter=Nothing.*"), "no test", "--gtest_list_tests")
        whole = self.treadle("check", "--tests", "off", "--exit-status", "--strategy", "random", "--max-executions", "100", program, "--",
                             "--gtest_filter=Counter.*")
        self.assertEqual(whole.returncode, 1, whole.stdout + whole.stderr)
        self.assertIn("an increment is lost", whole.stdout)

    def test_a_program_that_is_no_test_program_is_not_taken_apart(self):
        source = self.write("plain.cpp", "#include <gtest/gtest.h>\nint main() { return testing::UnitTest::GetInstance() == nullptr; }\n")
        program = self.folder / "plain"
        self.assertEqual(self.treadle("c++", "-g", source, "-o", program, "-lgtest").returncode, 0)
        run = self.treadle("check", program)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertNotIn("tests of", run.stdout)
        self.could_not(self.treadle("check", "--tests", "each", program), "does not list its tests")


class Catch2(TestPrograms):
    NAME, SOURCE, FLAGS, LIBRARIES = "counter_test.cpp", CATCH, ["-std=c++17"], ["-lCatch2WithMain"]

    def test_each_test_case_is_a_subject_of_its_own(self):
        program = self.make()
        junit = self.folder / "result.xml"
        run = self.treadle("check", "--budget", "120s", "--junit", junit, program, "--", "[counter]", timeout=300)
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertRegex(run.stdout, r"(?m)^  failed +one is lost, sometimes ")
        self.assertRegex(run.stdout, r"(?m)^  clean +both are kept ")
        self.assertIn("2 tests: 1 failed, 1 clean", run.stdout)
        self.assertIn("CHECK( twice(counter, &Counter::lose) == 2 )", run.stdout)
        self.assertIn("1 == 2", run.stdout)
        suite = xml.etree.ElementTree.parse(junit).getroot().find("testsuite")
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("2", "1"))
        command = re.search(r"see it again: (treadle replay .*)", run.stdout).group(1)
        again = self.run_command(TREADLE, *shlex.split(command)[1:])
        self.assertEqual(again.returncode, 1, again.stdout + again.stderr)


EXPLORE = "#include <treadle/explore.h>\n#include <gtest/gtest.h>\n" + COUNTER + """
static void both(int (*increments)(Counter&)) {
  Counter counter;
  EXPECT_EQ(increments(counter), 2) << "an increment is lost";
}
TEST(Explored, Fixed) {
  const auto result = treadle::explore([] { both([](Counter& counter) { return twice(counter, &Counter::keep); }); });
  EXPECT_TRUE(result) << result.report;
  EXPECT_TRUE(result.complete);
  EXPECT_GT(result.executions, 1u);
}
TEST(Explored, Buggy) {
  EXPECT_TRUE(treadle::explore([] { both([](Counter& counter) { return twice(counter, &Counter::lose); }); }, {.strategy = "dpor", .seconds = 20}));
}
TEST(Explored, EachCallOfALoop) {
  for (int limit : {2, 1}) {
    const auto result = treadle::explore([limit] {
      Counter counter;
      twice(counter, &Counter::lose);
      EXPECT_GE(counter.value.load(), limit);
    });
    EXPECT_EQ(result.passed, limit == 1) << result.report;
  }
}
"""


class Explore(TestPrograms):
    NAME, SOURCE, FLAGS, LIBRARIES = "explored_test.cpp", EXPLORE, ["-std=c++20", "-Wall", "-Werror"], ["-lgtest", "-lgtest_main"]

    def test_within_an_ordinary_test_every_schedule_of_the_lines_is_tried(self):
        program = self.make()
        run = self.run_command(program, timeout=300)
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn("[       OK ] Explored.Fixed", run.stdout)
        self.assertIn("[       OK ] Explored.EachCallOfALoop", run.stdout)
        self.assertIn("[  FAILED  ] Explored.Buggy", run.stdout)
        self.assertIn("an increment is lost", run.stdout)
        command = re.search(r"see it again: (treadle replay .*)", run.stdout).group(1)
        again = self.run_command(TREADLE, *shlex.split(command)[1:])
        self.assertEqual(again.returncode, 1, again.stdout + again.stderr)
        self.assertIn("an increment is lost", again.stdout)

    def test_under_treadle_check_the_lines_are_part_of_the_test(self):
        program = self.make()
        run = self.treadle("check", program, "--", "--gtest_filter=Explored.Buggy")
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn("an increment is lost", run.stdout)

    def test_without_treadle_it_compiles_and_says_so(self):
        source = self.write("plain.cpp", EXPLORE)
        built = self.run_command("clang++-19", "-std=c++20", "-Wall", "-Werror", "-isystem", REPOSITORY / "include", source, "-o", self.folder / "plain",
                                 "-lgtest", "-lgtest_main", "-pthread")
        self.assertEqual(built.returncode, 0, built.stderr)
        run = self.run_command(self.folder / "plain", "--gtest_filter=Explored.Fixed")
        self.assertEqual(run.returncode, 1)
        self.assertIn("this program was not built with `treadle c++`", run.stdout)

    def test_a_tool_that_is_not_there_is_named(self):
        program = self.make()
        run = self.run_command(program, "--gtest_filter=Explored.Fixed", env={**os.environ, "TREADLE": "/nowhere/treadle"})
        self.assertEqual(run.returncode, 1)
        self.assertIn("/nowhere/treadle cannot be run", run.stdout)

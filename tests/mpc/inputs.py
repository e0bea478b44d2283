# SPDX-License-Identifier: Apache-2.0
"""Inputs of every kind: a branch on one is a condition on it, its value is what the schedule says, and reports print it."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

TREADLE = os.environ["TREADLE"]

# How an input of this kind gets into `x`, and what makes `x` the value 7.
KINDS = {
    "treadle_input_int": "int x = treadle_input_int(\"x\");",
    "treadle_input_unsigned": "unsigned x = treadle_input_unsigned(\"x\");",
    "treadle_input_int64": "int64_t x = treadle_input_int64(\"x\");",
    "treadle_input_byte": "uint8_t x = treadle_input_byte(\"x\");",
    "treadle_input_range": "int x = treadle_input_range(\"x\", -10, 10);",
    "klee_make_symbolic": "int x; klee_make_symbolic(&x, sizeof x, \"x\");",
    "klee_int": "int x = klee_int(\"x\");",
    "klee_range": "int x = klee_range(0, 100, \"x\");",
    "klee_choose": "unsigned long x = klee_choose(10);",
    "CREST_int": "int x; __CrestInt(&x);",
    "CREST_unsigned_int": "unsigned x; __CrestUInt(&x);",
    "CREST_char": "char x; __CrestChar(&x);",
    "CREST_unsigned_char": "unsigned char x; __CrestUChar(&x);",
    "CREST_short": "short x; __CrestShort(&x);",
    "CREST_unsigned_short": "unsigned short x; __CrestUShort(&x);",
}
NONDET = {
    "int": "int", "uint": "unsigned", "unsigned": "unsigned", "unsigned_int": "unsigned", "long": "long", "ulong": "unsigned long",
    "longlong": "long long", "ulonglong": "unsigned long long", "char": "char", "schar": "signed char", "uchar": "unsigned char",
    "unsigned_char": "unsigned char", "short": "short", "ushort": "unsigned short", "size_t": "size_t", "u8": "uint8_t", "u16": "uint16_t",
    "u32": "uint32_t", "u64": "uint64_t", "U8": "uint8_t", "U16": "uint16_t", "U32": "uint32_t", "U64": "uint64_t", "S8": "int8_t",
    "S16": "int16_t", "S32": "int32_t", "S64": "int64_t", "loff_t": "long", "sector_t": "unsigned long", "pthread_t": "unsigned long",
}
KINDS |= {f"__VERIFIER_nondet_{name}": f"{type_} x = __VERIFIER_nondet_{name}();" for name, type_ in NONDET.items()}

HEAD = """
#include <assert.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <treadle/treadle.h>
void klee_make_symbolic(void*, size_t, const char*); int klee_int(const char*); int klee_range(int, int, const char*);
unsigned long klee_choose(unsigned long); void klee_assume(unsigned long); void __VERIFIER_assume(int); _Bool __VERIFIER_nondet_bool(void);
void* __VERIFIER_nondet_pointer(void);
void __CrestInt(int*); void __CrestUInt(unsigned*); void __CrestChar(char*); void __CrestUChar(unsigned char*);
void __CrestShort(short*); void __CrestUShort(unsigned short*);
""" + "".join(f"{type_} __VERIFIER_nondet_{name}(void);\n" for name, type_ in NONDET.items())


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.work = pathlib.Path(self.folder.name)

    def source(self, body, name="program.c", head=""):
        path = self.work / name
        path.write_text(head + HEAD + body)
        return str(path)

    def treadle(self, *words, status=0, **more):
        run = subprocess.run([TREADLE, *words], capture_output=True, text=True, timeout=120, cwd=self.work, **more)
        self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        return run.stdout

    def show(self, *words):
        return self.treadle("show", "--symbolic", *words).split("\n\n")[0]

    def check(self, *words, status=0):
        return json.loads(self.treadle("check", "--json", "-", "--strategy", "optimal", *words, status=status))


class Inputs(Case):
    def test_a_branch_on_an_input_of_any_kind_is_a_condition_on_it(self):
        functions = "".join(f"static int f{i}(void) {{ {text} if (x == 7) return 1; return 0; }}\n" for i, text in enumerate(KINDS.values()))
        calls = "".join(f"  puts(f{i}() ? \"yes\" : \"no\");\n" for i in range(len(KINDS)))
        shown = self.show(self.source(functions + "int main(void) {\n" + calls + "  return 0;\n}\n"))
        conditions = "\n".join(line for line in shown.splitlines() if "!= 7" in line)
        for number, kind in enumerate(KINDS, 1):
            # One that is put into memory is read there.
            in_memory = kind.startswith("CREST") or kind == "klee_make_symbolic"
            wanted, text = (rf":= i{number}\}}", shown) if in_memory else (rf"\(i{number}(\[31:0\])? != 7\)", conditions)
            self.assertRegex(text, wanted, kind)
        filled = sum(kind.startswith("CREST") or kind == "klee_make_symbolic" for kind in KINDS)
        self.assertEqual(sum("stack" in line for line in conditions.splitlines()), filled)

    def test_a_search_over_all_inputs_finds_what_each_kind_has_to_be(self):
        kinds = KINDS | {"bool": "int x = 7 * __VERIFIER_nondet_bool();", "treadle_input_bool": "int x = 7 * treadle_input_bool(\"x\");",
                         "memory": "int x; __VERIFIER_nondet_memory(&x, sizeof x);"}
        cases = "".join(f"  case {i}: {{ {text}\n    assert(x != 7); /* {name} */ break; }}\n" for i, (name, text) in enumerate(kinds.items()))
        source = self.source("void __VERIFIER_nondet_memory(void*, size_t);\nint main(void) {\n  switch (treadle_input_range(\"kind\", 0, "
                             f"{len(kinds) - 1})) {{\n{cases}  }}\n  return 0;\n}}\n")
        lines = pathlib.Path(source).read_text().splitlines()
        for how in ([], ["--model", "tso", "--jobs", "2"], ["--model", "pso"]):
            result = json.loads(self.treadle("check", "--json", "-", "--strategy", "mpc", "--as-found", *how, source, status=1))
            found = {lines[finding["location"]["line"] - 1].split("/* ")[1].split(" */")[0] for finding in result["findings"]}
            self.assertEqual(found, set(kinds), how)
            self.assertEqual(result["executions"], 2 * len(kinds), how)
            self.assertNotIn(";", result["covers"].split("; free of data races")[0])

    def test_what_nobody_says_is_0_or_nearest_to_it(self):
        result = self.check("--outcomes", self.source("""int main(void) {
          treadle_observe("int", treadle_input_int("a"));
          treadle_observe("above", treadle_input_range("b", 3, 9));
          treadle_observe("below", treadle_input_range("c", -9, -3));
          treadle_observe("bool", __VERIFIER_nondet_bool());
          treadle_observe("pointer", __VERIFIER_nondet_pointer() == 0);
          return 0; }"""))
        self.assertEqual(result["outcomes"], [{"int": 0, "above": 3, "below": -3, "bool": 0, "pointer": 1}])

    def test_values_given_are_in_the_witness_and_in_the_reports(self):
        source = self.source("""int main(void) {
          int i = treadle_input_int("i"), j = treadle_input_range("j", 0, 9);
          assert(i != -3 || j != 2);
          return 0; }""")
        self.assertEqual(self.check(source)["findings"], [])
        finding = self.check("--inputs", "-3,2", source, status=1)["findings"][0]
        self.assertEqual([(i["name"], i["value"], i["thread"]) for i in finding["inputs"]], [("i", -3, "0"), ("j", 2, "0")])
        self.assertIn("i = -3 (thread 0), j = 2 (thread 0)", self.treadle("check", "--strategy", "optimal", "--inputs", "-3,2", source, status=1))
        self.assertIn("assertion", self.treadle("replay", finding["witness"], status=1))
        self.assertIn("inputs", self.treadle("show", finding["witness"]))

    def test_values_that_were_drawn_are_in_the_witness_too(self):
        source = self.source("int main(void) { assert(treadle_input_range(\"i\", 0, 3) != 2); return 0; }")
        result = json.loads(self.treadle("check", "--json", "-", "--strategy", "random", "--max-executions", "100", source, status=1))
        self.assertEqual(result["findings"][0]["inputs"][0]["value"], 2)
        self.assertIn("assertion", self.treadle("replay", result["findings"][0]["witness"], status=1))

    def test_an_execution_whose_assumption_fails_does_not_count(self):
        for assume in ("treadle_assume(x > 0)", "__VERIFIER_assume(x > 0)", "klee_assume(x > 0)", "assume_abort_if_not(x > 0)"):
            source = self.source(f"""void assume_abort_if_not(int cond) {{ if (!cond) abort(); }}
              int main(void) {{ int x = treadle_input_int("x"); {assume}; assert(x > 0); return 0; }}""")
            result = self.check(source)
            self.assertEqual(result["findings"], [], assume)
            self.assertIn("assumptions", result["covers"], assume)
            self.assertIn("assumed by the program", self.show("--inputs", "5", source), assume)

    def test_values_that_are_no_numbers_are_refused(self):
        source = self.source("int main(void) { return 0; }")
        self.treadle("check", "--inputs", "1,x", source, status=2)


class InputsByDefault(Case):
    """Who asks for inputs and does not say how to search wants all of them tried."""
    BODY = "int main(void) { assert(treadle_input_int(\"i\") != 7); return 0; }"

    def by_default(self, *words, status=0):
        return json.loads(self.treadle("check", "--json", "-", *words, status=status))

    def test_all_inputs_of_a_source_are_tried(self):
        for body in (self.BODY, "int main(void) { int x; __CrestInt(&x); assert(x != 7); return 0; }",
                     "int main(void) { assert(__VERIFIER_nondet_int() != 7); return 0; }"):
            result = self.by_default(self.source(body), status=1)
            self.assertEqual((result["strategy"], result["executions"], result["inputs_left_open"]), ("mpc", 2, False), body)
            self.assertEqual(result["findings"][0]["inputs"][0]["value"], 7)
            self.assertIn("all inputs", result["covers"])

    def test_and_those_of_a_symbolic_build(self):
        self.treadle("cc", "--symbolic", "-g", "-o", "program", self.source(self.BODY))
        self.assertEqual(self.by_default("./program", status=1)["strategy"], "mpc")

    def test_of_a_plain_build_it_is_said_that_they_were_not(self):
        self.treadle("cc", "-g", "-o", "program", self.source(self.BODY))
        result = self.by_default("./program")
        self.assertEqual((result["strategy"], result["verdict"], result["inputs_left_open"]), ("optimal", "clean", True))
        self.assertIn("inputs      each had one value only; --strategy mpc tries all", self.treadle("check", "./program"))

    def test_values_that_are_given_are_the_ones_that_are_meant(self):
        result = self.by_default("--inputs", "3", self.source(self.BODY))
        self.assertEqual((result["strategy"], result["verdict"], result["inputs_left_open"]), ("optimal", "clean", False))

    def test_bytes_that_are_declared_to_be_inputs(self):
        source = self.source("int main(void) { assert(getchar() != 'x'); return 0; }")
        self.assertEqual(self.by_default("--symbolic-stdin", "1", source, status=1)["strategy"], "mpc")
        result = self.by_default(source)
        self.assertEqual((result["strategy"], result["inputs_left_open"]), ("optimal", False))

    WAITS = """#include <atomic>
#include <cassert>
#include <thread>
#include <treadle/treadle.h>
std::atomic<int> flag{0}, other{0};
int main() {
  const int n = treadle_input_range("n", 0, 3);
  std::thread t([&] { other = n; flag = 1; flag.notify_one(); other = 7; });
  flag.wait(0);
  assert(other != 7);
  t.join();
}
"""

    def test_so_are_those_of_a_program_that_waits_on_an_atomic(self):
        source = self.work / "waits.cpp"
        source.write_text(self.WAITS)
        result = self.by_default("--cflags", "-std=c++20", str(source), status=1)
        self.assertEqual((result["strategy"], result["inputs_left_open"]), ("mpc", False))
        self.assertNotIn("not what follows", result["covers"])

    def test_schedules_are_looked_at_where_paths_do_not_see_through(self):
        source = self.source("""static atomic_int other;
static int ends[2], n;
static void* f(void* unused) {
  assert(write(ends[1], &n, sizeof n) == sizeof n);
  other = 7;
  return unused;
}
int main(void) {
  n = treadle_input_int("n");
  assert(pipe(ends) == 0);
  pthread_t t;
  pthread_create(&t, NULL, f, NULL);
  int got;
  assert(read(ends[0], &got, sizeof got) == sizeof got);
  assert(other != 7);
  return pthread_join(t, NULL);
}""", head="#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <unistd.h>\n")
        result = self.by_default(source, status=1)
        self.assertEqual((result["strategy"], result["inputs_left_open"]), ("optimal", True))
        self.assertIn("mpc did not come to its end", self.treadle("check", source, status=1))

    def test_a_data_race_does_not_make_less_of_the_paths(self):
        source = self.source("""static int x;
static void* f(void* unused) { (void)unused; x = 1; return NULL; }
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, f, NULL);
  if (treadle_input_int("i") == 7) x = 2;
  return pthread_join(t, NULL);
}""", head="#include <pthread.h>\n")
        result = self.by_default(source, status=1)
        self.assertEqual((result["strategy"], result["inputs_left_open"]), ("mpc", False))

    def test_a_function_of_the_program_that_is_called_like_one_of_ours_is_no_input(self):
        source = self.work / "own.c"
        source.write_text("int __VERIFIER_nondet_int(void) { return 5; }\nint main(void) { return __VERIFIER_nondet_int() - 5; }\n")
        result = self.by_default(str(source))
        self.assertEqual((result["strategy"], result["inputs_left_open"]), ("optimal", False))


class InputsOfThreads(Case):
    """Which input a thread gets does not depend on the schedule."""
    BODY = """
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int order, first_asks;
static void* asks(void* which) {
  int mine = treadle_input_range("mine", 0, 9), more = 0;
  pthread_mutex_lock(&m);
  order = order * 10 + mine;
  first_asks += mine == 1;
  if (mine == 1) more = treadle_input_range("more", 0, 9);
  pthread_mutex_unlock(&m);
  treadle_observe(which, mine * 10 + more);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, asks, "a");
  pthread_create(&b, 0, asks, "b");
  pthread_join(a, 0);
  pthread_join(b, 0);
  treadle_observe("order", order);
  assert(order != WRONG);
  return 0;
}
"""

    def outcomes(self, *words, strategy="optimal", wrong="-1", status=0):
        source = self.source(self.BODY.replace("WRONG", wrong))
        result = json.loads(self.treadle("check", "--json", "-", "--outcomes", "--strategy", strategy, *words, source, status=status))
        self.assertNotIn("nondeterminism", [finding["kind"] for finding in result["findings"]])
        return sorted((o["a"], o["b"], o["order"]) for o in result["outcomes"])

    def test_each_thread_has_its_own_whatever_the_strategy_and_the_model(self):
        for strategy in ("exhaustive", "dpor", "optimal", "icb", "value", "rf", "mcr", "mcr-s+"):
            for model in ("sc", "tso", "pso"):
                if model == "pso" and strategy not in ("exhaustive", "optimal", "value"):
                    continue
                seen = self.outcomes("--inputs", "0.1:1,4,0.2:2", "--model", model, "--guard-every", "1", strategy=strategy)
                self.assertEqual(seen, [(14, 20, 12), (14, 20, 21)], (strategy, model))

    def test_several_workers_give_the_same(self):
        self.assertEqual(self.outcomes("--inputs", "0.1:1,4,0.2:2", "--jobs", "2"), [(14, 20, 12), (14, 20, 21)])

    def test_values_of_the_main_thread_are_not_those_of_others_and_names_are_everybodys(self):
        self.assertEqual(self.outcomes("--inputs", "1,2"), [(0, 0, 0)])
        self.assertEqual(self.outcomes("--inputs", "mine=1,more=5"), [(15, 15, 11)])
        self.assertEqual(self.outcomes("--inputs", "0.2:3,mine=1,more=5"), [(15, 30, 13), (15, 30, 31)])

    def test_those_that_are_drawn_depend_on_the_seed_alone(self):
        for strategy in ("random", "pct"):
            seen = self.outcomes("--max-executions", "40", "--guard-every", "1", strategy=strategy)
            self.assertGreater(len({(a, b) for a, b, _ in seen}), 5, strategy)

    def test_a_search_over_all_inputs_finds_those_of_each_thread_and_witnesses_keep_them(self):
        for model in ("sc", "tso", "pso"):
            for jobs in ("1", "2"):
                source = self.source(self.BODY.replace("WRONG", "73"))
                words = ("check", "--json", "-", "--strategy", "mpc", "--model", model, "--jobs", jobs, "--keep", f"kept-{model}-{jobs}", source)
                result = json.loads(self.treadle(*words, status=1))
                self.assertEqual([finding["kind"] for finding in result["findings"]], ["assertion"])
                inputs = {one["thread"]: one["value"] for one in result["findings"][0]["inputs"]}
                self.assertEqual(sorted(inputs.items())[0][0], "0.1")
                self.assertEqual(sorted(inputs.values()), [3, 7])
                witness = result["findings"][0]["witness"]
                self.assertIn("assertion", self.treadle("replay", witness, status=1))
                self.assertIn("inputs 0.1 ", self.treadle("show", witness))
                kept = self.treadle("replay", f"kept-{model}-{jobs}", status=1).splitlines()
                self.assertEqual(sum(line.startswith("FAILS") for line in kept), 1)

    def test_an_old_witness_is_checked_again_with_the_inputs_of_each_thread(self):
        source = self.source(self.BODY.replace("WRONG", "73"))
        found = self.check("--inputs", "0.1:7,0.2:3", source, status=1)["findings"][0]
        self.source(self.BODY.replace("WRONG", "73").replace("static int order", "static int unused_here, order"))
        self.assertIn("still", self.treadle("recheck", found["witness"], source, status=1))

    def test_names_of_threads_and_inputs_that_are_none_are_refused(self):
        source = self.source("int main(void) { return 0; }")
        for words in ("1:3", "0.x:3", "=3", "a=x", "a=1,a=2", "0.1:", ""):
            self.treadle("check", "--inputs", words, source, status=2)


class SymbolicSources(Case):
    def conditions(self, *words):
        lines = self.show(*words).splitlines()
        return [line for line in lines if "assert(" in line or ("assume(" in line and "assume(true)" not in line)]

    def test_bytes_of_standard_input_however_they_are_read(self):
        for read in ("char b[2]; if (read(0, b, 2) != 2) return 1; int x = b[1];", "getchar(); int x = getchar();",
                     "char b[2]; if (fread(b, 1, 2, stdin) != 2) return 1; int x = b[1];",
                     "char b[4]; if (!fgets(b, 3, stdin)) return 1; int x = b[1];", "fgetc(stdin); int x = getc(stdin);"):
            source = self.source(f"int main(void) {{ {read} if (x == 7) abort(); return 0; }}")
            self.assertTrue(any("7" in line for line in self.conditions("--symbolic-stdin", "2", source)), (read, self.show("--symbolic-stdin", "2", source)))
            finding = self.check("--symbolic-stdin", "2", "--inputs", "9,7", source, status=1)["findings"][0]
            self.assertEqual([i["name"] for i in finding["inputs"]], ["stdin[0]", "stdin[1]"])
            self.assertIn("abort() is called", self.treadle("replay", "--symbolic-stdin", "2", finding["witness"], status=1))
            self.assertEqual(self.check("--symbolic-stdin", "2", source)["findings"], [])

    def test_what_there_is_on_standard_input_is_where_it_begins(self):
        source = self.source("int main(void) { char b[2]; assert(read(0, b, 2) != 2 || b[0] != 'h' || b[1] != 'i'); return 0; }")
        (self.work / "given").write_text("hi")
        self.check("--symbolic-stdin", "2", "--stdin", "given", source, status=1)

    def test_bytes_of_an_argument_and_of_a_variable(self):
        source = self.source("int main(int c, char** v) { if (c > 1 && v[1][1] == 'y') abort(); return 0; }")
        self.assertTrue(any("121" in line for line in self.conditions("--symbolic-arg", "1", source, "--", "abc")))
        finding = self.check("--symbolic-arg", "1", "--inputs", "97,121,99", source, "--", "abc", status=1)["findings"][0]
        self.assertEqual([i["name"] for i in finding["inputs"]], ["arg1[0]", "arg1[1]", "arg1[2]"])
        source = self.source("int main(void) { const char* v = getenv(\"HUE\"); if (v[0] == 'z') abort(); return 0; }")
        os.environ["HUE"] = "red"
        self.assertTrue(any("122" in line for line in self.conditions("--symbolic-env", "HUE", source)))
        self.check("--symbolic-env", "HUE", "--inputs", "122,0,0", source, status=1)

    def test_bytes_of_a_file(self):
        (self.work / "data").write_text("abcd")
        for read in ("int f = open(\"data\", O_RDONLY); char b[4]; if (read(f, b, 4) != 4) return 1; int x = b[2];",
                     "FILE* f = fopen(\"data\", \"r\"); fgetc(f); fgetc(f); int x = fgetc(f);"):
            source = self.source(f"int main(void) {{ {read} if (x == 7) abort(); return 0; }}")
            self.assertTrue(any("7" in line for line in self.conditions("--symbolic-file", "data", source)))
            self.check("--symbolic-file", "data", "--inputs", "1,2,7,4", source, status=1)
            self.assertEqual(self.check("--symbolic-file", "data", source)["findings"], [])
        self.assertEqual((self.work / "data").read_text(), "abcd")

    def test_what_is_read_by_other_functions_is_tied_to_what_it_was(self):
        source = self.source("int main(void) { int x = 0; if (scanf(\"%d\", &x) == 1 && x == 5) puts(\"five\"); return 0; }")
        shown = self.show("--symbolic-stdin", "2", source)
        self.assertIn("a function that was not built with Treadle", shown)

    def test_what_is_not_there_cannot_be_symbolic(self):
        source = self.source("int main(void) { return 0; }")
        for words in (["--symbolic-arg", "1"], ["--symbolic-env", "NOT_SET_AT_ALL"], ["--symbolic-file", "nowhere"], ["--symbolic-stdin", "0"]):
            self.treadle("check", *words, source, status=2)


class KeptExecutions(Case):
    BODY = """
#include <pthread.h>
static int x;
static void* writer(void* unused) { (void)unused; __atomic_store_n(&x, treadle_input_int("value"), __ATOMIC_SEQ_CST); return 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, writer, 0);
  int seen = __atomic_load_n(&x, __ATOMIC_SEQ_CST);
  pthread_join(t, 0);
  assert(seen != 5);
  return 0;
}
"""

    def test_every_execution_is_kept_once_and_all_are_replayed(self):
        result = self.check("--inputs", "value=5", "--keep", "kept", self.source(self.BODY), status=1)
        kept = sorted((self.work / "kept").glob("*.witness"))
        self.assertEqual(len(kept), result["executions"])
        lines = self.treadle("replay", "--junit", "results.xml", "kept", status=1).splitlines()
        self.assertEqual(len(lines), len(kept))
        self.assertEqual(sum(line.startswith("FAILS") for line in lines), 1)
        self.assertEqual(sum(line.startswith("ok") for line in lines), len(kept) - 1)
        suite = xml.etree.ElementTree.parse(self.work / "results.xml").getroot().find("testsuite")
        self.assertEqual((suite.get("tests"), suite.get("failures"), suite.get("errors")), (str(len(kept)), "1", "0"))

    def test_a_folder_of_executions_that_pass_passes(self):
        self.check("--keep", "kept", self.source(self.BODY))
        self.assertNotIn("FAILS", self.treadle("replay", "kept"))

    def test_what_belongs_to_another_binary_cannot_be_replayed(self):
        source = self.source(self.BODY)
        self.check("--keep", "kept", source)
        self.check(self.source(self.BODY.replace("5", "6")))
        self.assertIn("cannot", self.treadle("replay", "kept", status=2))

    def test_a_folder_without_witnesses_is_refused(self):
        (self.work / "empty").mkdir()
        self.treadle("replay", "empty", status=2)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""A thread that crashes lets the others go on first, as one does whose assertion fails: no path is executed twice, and the report is the same."""
import json
import pathlib
import unittest

from inputs import Case

# Somebody takes away what `uses` needs, while two others have turns to make.
THREADS = """#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <treadle/treadle.h>
static atomic_int turns, other;
%s
static void *counts(void *unused) {
  if (turns == 1) other = 1;
  if (turns == 2) other = 2;
  return unused;
}
static void *writes(void *unused) { turns = 1; turns = 2; return unused; }
int main(void) {
  pthread_t t[4];
  pthread_create(&t[0], 0, clears, 0);
  pthread_create(&t[1], 0, uses, 0);
  pthread_create(&t[2], 0, counts, 0);
  pthread_create(&t[3], 0, writes, 0);
  for (int i = 0; i < 4; ++i) pthread_join(t[i], 0);
  return 0;
}
"""
CLEARS = "static void *clears(void *unused) { if (treadle_input_bool(\"clear\")) shared = 0; return unused; }\n"
FREES = "static void *clears(void *unused) { if (treadle_input_bool(\"clear\")) { free(block); freed = 1; } return unused; }\n"
# What is declared, how it is used, the kind of the finding, words of its message.
WAYS = {
    "store": ("static int data; static _Atomic(int *) shared = &data;\n" + CLEARS, "*shared = 1;", "null-dereference", "null pointer"),
    "load": ("static int data; static _Atomic(int *) shared = &data;\n" + CLEARS, "other = *shared;", "null-dereference", "null pointer"),
    "atomic": ("static atomic_int data; static _Atomic(atomic_int *) shared = &data;\n" + CLEARS, "atomic_fetch_add(shared, 1);",
               "null-dereference", "null pointer"),
    "copy": ("struct big { long a[6]; }; static struct big data, to; static _Atomic(struct big *) shared = &data;\n" + CLEARS, "to = *shared;",
             "null-dereference", "null pointer"),
    "division": ("static atomic_int shared = 1;\n" + CLEARS, "int d = shared; treadle_observe(\"q\", 10 % d);", "crash", "SIGFPE"),
    "trap": ("static atomic_int shared = 1;\n" + CLEARS, "if (shared == 0) __builtin_trap();", "crash", "SIGILL"),
    "freed": ("static int *block; static atomic_int freed;\n__attribute__((constructor)) static void make(void) { block = malloc(4); }\n" + FREES,
              "if (freed) *block = 1;", "use-after-free", "writes to freed memory"),
    "twice": ("static int *block; static atomic_int freed;\n__attribute__((constructor)) static void make(void) { block = malloc(4); }\n" + FREES,
              "if (freed) free(block);", "use-after-free", "twice"),
}

# Threads that fail behind each other, with stores under way: 16 executions for 9 paths when a crash cuts the others off.
BOTH_FAIL = """#include <pthread.h>
#include <stdatomic.h>
#include <treadle/treadle.h>
static atomic_int x;
static int y;
static void *second(void *unused) {
  int r0, r1;
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  atomic_store_explicit(&x, 2, memory_order_release);
  r0 = y;
  r1 = y;
  if (r0 != r1) __builtin_trap();
  r0 = treadle_input_range("i0", -1, 2);
  if (r1 != 2) atomic_store_explicit(&x, r0 + 2, memory_order_relaxed);
  return unused;
}
int main(void) {
  pthread_t t;
  int r0, r1 = 0;
  pthread_create(&t, 0, second, 0);
  r0 = treadle_input_range("i1", -1, 1);
  if (r0 != 0) r0 = treadle_input_range("i2", -1, 1);
  if (r0 != 1) r0 = atomic_load_explicit(&x, memory_order_acquire);
  atomic_store_explicit(&x, 1, memory_order_release);
  if (r0 != 0) FAIL;
  r0 = atomic_load_explicit(&x, memory_order_relaxed);
  if (r0 != 2) FAIL;
  if (r0 != 0) r1 = atomic_load_explicit(&x, memory_order_relaxed);
  if (r0 == r1) FAIL;
  pthread_join(t, 0);
  return 0;
}
"""


class Crashes(Case):
    def write(self, text, name="program.c"):
        path = self.work / name
        path.write_text(text)
        return str(path)

    def explored(self, source, *words):
        result = json.loads(self.treadle("check", "--json", "-", "--strategy", "mpc", "--keep-going", *words, source, status=1))
        self.assertEqual(result["redundant"], 0, words)
        return result

    def test_no_path_twice_whatever_crashes(self):
        for way, (head, use, kind, words) in WAYS.items():
            source = self.write(THREADS % f"{head}static void *uses(void *unused) {{ {use} return unused; }}")
            line = next(i for i, text in enumerate(pathlib.Path(source).read_text().splitlines(), 1) if " *uses(" in text)
            for how in ([], ["--races", "explore"], ["--model", "tso", "--races", "explore"], ["--model", "pso"], ["--carrier", "fork"]):
                with self.subTest(way=way, how=how):
                    result = self.explored(source, *how)
                    [finding] = [f for f in result["findings"] if f["kind"] != "data-race"]
                    self.assertEqual((finding["kind"], finding["location"]["line"], finding["confirmed"]), (kind, line, True))
                    self.assertIn(words, finding["message"])
                    # clear or not, and when `uses` looks; times what `counts` sees.
                    self.assertEqual((result["paths"], result["executions"]), (12, 12))
            for carrier in ("reset", "fork", "kernel"):
                self.assertIn(kind, self.treadle("replay", "--carrier", carrier, finding["witness"], status=1))

    def test_a_crash_takes_as_many_executions_as_an_abort(self):
        for model in ("sc", "tso", "pso"):
            counts = set()
            for fail in ("__builtin_trap()", "__builtin_abort()"):
                result = self.explored(self.write(BOTH_FAIL), "--model", model, "--races", "explore", "--cflags", f"-O0 '-DFAIL={fail}'")
                counts.add((result["paths"], result["executions"]))
            [(paths, executions)] = counts
            self.assertEqual(paths, executions)

    def test_who_is_about_to_fail_does_so_before_main_ends_the_program(self):
        for fail in ("assert(x < 1)", "if (x > 0) __builtin_trap()", "if (x > 0) abort()"):
            result = self.explored(self.write("""#include <assert.h>
              #include <pthread.h>
              #include <stdatomic.h>
              #include <stdlib.h>
              #include <treadle/treadle.h>
              static atomic_int x;
              static void *checks(void *unused) { FAIL; return unused; }
              static void *adds(void *unused) { x = x + 1; return unused; }
              int main(void) {
                pthread_t a, b;
                if (treadle_input_bool("go") == 0) return 0;
                pthread_create(&a, 0, checks, 0);
                pthread_create(&b, 0, adds, 0);
                return 0;
              }""".replace("FAIL", fail)))
            kinds = [f["kind"] for f in result["findings"] if f["kind"] != "misuse"]
            self.assertEqual(kinds, ["crash" if "trap" in fail else "assertion"])
            self.assertEqual((result["paths"], result["executions"]), (4, 4))

    def test_the_report_is_that_of_a_search_that_knows_no_patience(self):
        head, use, kind, _ = WAYS["store"]
        source = self.write(THREADS % f"{head}static void deep(void) {{ {use} }}\nstatic void *uses(void *unused) {{ deep(); return unused; }}")
        found = []
        for how in (["--strategy", "mpc"], ["--strategy", "optimal", "--inputs", "clear=1"]):
            [finding] = json.loads(self.treadle("check", "--json", "-", "--cflags", "-O0", *how, source, status=1))["findings"]
            found.append((finding["kind"], finding["message"], finding["location"], [t.get("stack") for t in finding["threads"]]))
        self.assertEqual(found[0], found[1])

    def test_who_overflows_the_stack_or_crashes_inside_a_library_ends_it_at_once(self):
        head = "#include <string.h>\nstatic char data[9]; static _Atomic(char *) shared = data;\n" + CLEARS
        source = self.write(THREADS % (head + "static void *uses(void *unused) { other = (int)strlen(shared); return unused; }"))
        self.assertIn("null-dereference", [f["kind"] for f in self.explored(source)["findings"]])
        deep = ("static atomic_int shared = 1;\n" + CLEARS + "static int fall(volatile int n) { volatile char room[4096]; room[0] = 1; "
                "return fall(n + 1) + room[0]; }\nstatic void *uses(void *unused) { if (shared == 0) other = fall(0); return unused; }")
        self.assertIn("crash", [f["kind"] for f in self.explored(self.write(THREADS % deep))["findings"]])


# One thread hands to a function of the C library what another one sets.
HANDED_OVER = """#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <treadle/treadle.h>
static char text[8] = "abc", room[16] = "x";
static _Atomic(char *) shared;
static volatile long out;
static void *sets(void *unused) { shared = %s; return unused; }
static void *uses(void *unused) { char *p = shared; %s; return unused; }
int main(void) {
  %s;
  pthread_t t[2];
  pthread_create(&t[0], 0, uses, 0);
  pthread_create(&t[1], 0, sets, 0);
  for (int i = 0; i < 2; ++i) pthread_join(t[i], 0);
  return 0;
}
"""
USES = ["out = strlen(p)", "out = strnlen(p, 9)", "strcpy(room, p)", "strncpy(room, p, 3)", "strcat(room, p)", "out = strcmp(p, room)",
        "out = strcmp(room, p)", "out = strncmp(p, room, 2)", "out = strcasecmp(room, p)", "out = strchr(p, 'c') != 0",
        "out = memchr(p, 'c', 4) != 0", "out = strstr(p, room) != 0", "out = strdup(p) != 0", "puts(p)", "strcpy(p, room)", "strcat(p, room)",
        "out = memcmp(p, room, 3)", "memcpy(room, p, 3)", "memset(p, 0, 3)", "out = atoi(p)", "out = strtol(p, 0, 10)"]
# What is set first, and by the other thread: not always the text.
POINTERS = {"null at first": ("text", "", "null-dereference"), "null later": ("0", "shared = text", "null-dereference"),
            "by an input": ("text", "shared = treadle_input_bool(\"there\") ? text : 0", "null-dereference"),
            "nowhere": ("(char *)0x7000000123", "shared = text", "crash")}


class CrashesInTheLibrary(Case):
    def explored(self, pointer, use, *words):
        other, first, kind = POINTERS[pointer]
        path = self.work / "program.c"
        path.write_text(HANDED_OVER % (other, use, first))
        return json.loads(self.treadle("check", "--json", "-", "--strategy", "mpc", "--keep-going", "--cflags", "-O1 -fno-builtin", *words, str(path), status=1)), kind

    def expect(self, pointer, use, *words):
        with self.subTest(pointer=pointer, use=use, words=words):
            result, kind = self.explored(pointer, use, *words)
            self.assertEqual([(f["kind"], f["confirmed"]) for f in result["findings"]], [(kind, True)])
            self.assertEqual(result["verdict"], "bugs")
            self.assertRegex(result["covers"], "by 2 paths(; free of data races[^;]*)?$")  # and nothing about what was not as it should have been
            return result

    def test_whatever_looks_at_or_writes_to_what_is_not_there(self):
        for use in USES:
            for pointer in POINTERS:
                self.expect(pointer, use)

    def test_with_each_carrier_and_the_witness_too(self):
        for carrier in ("reset", "fork", "kernel"):
            for use in ("out = strlen(p)", "out = memcmp(p, room, 3)", "strcpy(p, room)"):
                for pointer in POINTERS:
                    result = self.expect(pointer, use, "--carrier", carrier)
                    [finding] = result["findings"]
                    self.assertIn(finding["kind"], self.treadle("replay", "--carrier", carrier, finding["witness"], status=1))

    def test_when_plain_accesses_and_store_buffers_are_explored(self):
        for how in (["--races", "explore"], ["--model", "tso"], ["--model", "pso", "--races", "explore"]):
            for use in ("out = strlen(p)", "out = strcmp(room, p)", "strcpy(p, room)"):
                self.expect("null at first", use, *how)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Programs written for KLEE and CREST compile and are explored unchanged, with their own headers or with ours."""
import json
import subprocess
import unittest

from inputs import TREADLE, Case

SIGN = """#include <klee/klee.h>
int get_sign(int x) {
  if (x == 0) return 0;
  if (x < 0) return -1;
  return 1;
}
int main() {
  int a;
  klee_make_symbolic(&a, sizeof(a), "a");
  return get_sign(a);
}
"""

# Every name of KLEE's. What prints, advises or hands back must not make values of its argument ways of their own.
EVERYTHING_OF_KLEE = """#include <stdlib.h>
#include "klee/klee.h"
int main(void) {
  int x = klee_int("x"), y = klee_range(0, 1000, "y"), z;
  klee_make_symbolic(&z, sizeof z, 0);
  klee_assume(x > 5);
  klee_warning("w"), klee_warning_once("w"), klee_stack_trace();
  klee_print_expr("x is", x, y, z + 1), klee_print_range("y", y);
  klee_prefer_cex(&z, z == 77), klee_posix_prefer_cex(&z, z > 7), klee_mark_global(&z);
  klee_set_forking(1), klee_open_merge(), klee_close_merge();
  if (klee_is_symbolic((uintptr_t)x) || klee_is_replay()) klee_abort();
  long long wide = klee_get_valuell((long long)x * 3) + klee_get_valuel(y) + klee_get_value_i64(z);
  klee_get_valuef(1.5f), klee_get_valued(2.5);
  char *block = (char *)malloc(10);
  if (klee_get_obj_size(block) != 10 || klee_get_errno() == 12345) klee_abort();
  klee_check_memory_access(block, 10), klee_check_memory_access(&wide, sizeof wide);
  free(block);
  klee_assert(klee_choose(3) < 3);
  if (klee_get_value_i32(x) == 12) klee_silent_exit(0);
  if (wide == 12345) klee_report_error(__FILE__, __LINE__, "wide", "user.err");
  return 0;
}
"""

CREST = """#include <crest.h>
#include <assert.h>
int main(void) {
  char c; unsigned char uc; short s; unsigned short us; int i; unsigned u; long l; unsigned long ul; long long ll; unsigned long long ull;
  CREST_char(c); CREST_unsigned_char(uc); CREST_short(s); CREST_unsigned_short(us); CREST_int(i); CREST_unsigned_int(u);
  CREST_long(l); CREST_unsigned_long(ul); CREST_long_long(ll); CREST_unsigned_long_long(ull);
  assert(!(c == 1 && uc == 2 && s == 3 && us == 4 && i == 5 && u == 6 && l == 7 && ul == 8 && ll == 9 && ull == 10));
  return 0;
}
"""

# As crestc leaves it.
INSTRUMENTED = """#include <crest.h>
int main(void) {
  int a;
  __CrestInit();
  __CrestInt(&a);
  __CrestLoad(1, (unsigned long)&a, (long long)a);
  __CrestLoad(2, 0, 7);
  __CrestApply2(3, 12, (long long)(a == 7));
  if (a == 7) { __CrestBranch(4, 1, 1); return 1; }
  __CrestBranch(5, 2, 0);
  __CrestStore(6, (unsigned long)&a), __CrestClearStack(7), __CrestApply1(8, 19, -a), __CrestCall(9, 1), __CrestReturn(10);
  __CrestHandleReturn(11, a);
  return 0;
}
"""

THREADS = """#include <pthread.h>
#include <klee/klee.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;
static void *add(void *amount) {
  pthread_mutex_lock(&lock);
  if (sum < 3) sum += *(int *)amount;
  pthread_mutex_unlock(&lock);
  return 0;
}
int main(void) {
  int amounts[2] = {klee_range(0, 10, "first"), klee_range(0, 10, "second")};
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, add, &amounts[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  klee_assert(sum != 11);
  return 0;
}
"""


class HeadersOfOthers(Case):
    def write(self, text, name="program.c"):
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return str(path)

    def explored(self, source, *words, status=0):
        return json.loads(self.treadle("check", "--json", "-", "--strategy", "mpc", *words, source, status=status))

    def is_complete(self, result, paths, left_out=0):
        self.assertEqual((result["paths"], result["executions"], result["redundant"]), (paths, paths + left_out, 0), result["covers"])
        self.assertNotIn(";", result["covers"].split("; free of data races")[0])

    def test_klees_first_example(self):
        self.is_complete(self.explored(self.write(SIGN)), 3)
        self.assertEqual(json.loads(self.treadle("check", "--json", "-", self.write(SIGN)))["verdict"], "clean")

    def test_every_name_of_klee_in_c_and_in_cpp(self):
        for name in ("all.c", "all.cpp"):
            result = self.explored(self.write(EVERYTHING_OF_KLEE, name), "--cflags", "-Wall -Wextra -Werror -pedantic", status=1)
            [finding] = result["findings"]
            line = EVERYTHING_OF_KLEE[:EVERYTHING_OF_KLEE.index("klee_report_error")].count("\n") + 1
            self.assertEqual((finding["kind"], finding["location"]["line"]), ("assertion", line), name)
            self.assertIn("wide", finding["message"])
            # x is 12, the error, the end; and the assumption fails.
            self.is_complete(result, 3, left_out=1)

    def test_every_type_of_crest(self):
        for name in ("all.c", "all.cpp"):
            result = self.explored(self.write(CREST, name), "--cflags", "-Wall -Wextra -Werror", status=1)
            [finding] = result["findings"]
            self.assertEqual([i["value"] for i in finding["inputs"]], list(range(1, 11)), name)
            self.assertEqual(finding["inputs"][9]["name"], "CREST_unsigned_long_long")
            self.is_complete(result, 11)

    def test_a_program_that_crestc_has_instrumented(self):
        self.is_complete(self.explored(self.write(INSTRUMENTED)), 2)

    def test_threads_and_inputs(self):
        result = self.explored(self.write(THREADS), status=1)
        [finding] = result["findings"]
        self.assertEqual((finding["kind"], finding["confirmed"]), ("assertion", True))
        self.assertIn("sum != 11", finding["message"])
        self.assertEqual(result["redundant"], 0)
        self.assertIn("assertion", self.treadle("replay", finding["witness"], status=1))

    def test_the_users_own_header_comes_first(self):
        self.write("#define MINE 3\n", "mine/klee/klee.h")
        self.write("#define MINE 3\n", "mine/crest.h")
        source = self.write("#include <klee/klee.h>\n#include \"crest.h\"\nint main(void) { return MINE - 3; }\n")
        for flag in ("-I", "-isystem ", "-idirafter "):
            self.treadle("cc", *f"{flag}{self.work}/mine".split(), source, "-o", str(self.work / "program"))
        self.write("#define MINE 3\n", "klee/klee.h")
        self.treadle("cc", self.write("#include \"klee/klee.h\"\nint main(void) { return MINE - 3; }\n"), "-o", str(self.work / "program"))

    def test_the_programs_own_functions_come_first(self):
        result = self.explored(self.write("""#include <klee/klee.h>
          int klee_int(const char *name) { return name[0]; }
          int32_t klee_get_value_i32(int32_t x) { return x & 1; }
          int main(void) { int x; klee_make_symbolic(&x, sizeof x, "x"); klee_assert(klee_get_value_i32(x) < 2); return klee_int("a") != 'a'; }
          """))
        self.assertEqual((result["findings"], result["paths"]), ([], 1))

    def test_memory_that_is_not_there(self):
        source = self.write("#include <klee/klee.h>\n#include <stdlib.h>\nint main(void) {\n  char *p = malloc(4);\n"
                            "  klee_check_memory_access(p, klee_range(0, 9, \"n\"));\n  free(p);\n  return 0;\n}\n")
        [finding] = self.explored(source, status=1)["findings"]
        self.assertEqual((finding["kind"], finding["location"]["line"]), ("crash", 5))
        self.assertGreater(finding["inputs"][0]["value"], 4)

    def test_objects_at_fixed_places(self):
        result = self.explored(self.write("""#include <klee/klee.h>
          int main(void) {
            volatile int *port = (int *)0x123450010;
            klee_define_fixed_object((void *)port, sizeof *port);
            klee_define_fixed_object((void *)(port + 1), sizeof *port);
            port[1] = klee_int("x");
            klee_assert(port[0] == 0);
            return port[1] == 5;
          }"""))
        self.assertEqual((result["findings"], result["paths"]), ([], 1))
        run = subprocess.run([TREADLE, "check", self.write("#include <klee/klee.h>\nint a; int main(void) { return (int)klee_get_obj_size(&a); }\n")],
                             capture_output=True, text=True, timeout=120, cwd=self.work)
        self.assertEqual(run.returncode, 2, run.stdout)
        self.assertIn("klee_get_obj_size", run.stderr)

    def test_they_are_recorded_and_run_natively_too(self):
        for text in (EVERYTHING_OF_KLEE, CREST, INSTRUMENTED, THREADS, SIGN):
            source, program = self.write(text), str(self.work / "recorded")
            self.treadle("cc", "--record", source, "-o", program)
            subprocess.run([TREADLE, "record", "--out", str(self.work / "run"), program], capture_output=True, timeout=60, cwd=self.work)
            self.treadle("cc", source, "-o", program)
            self.assertIn(subprocess.run([program], capture_output=True, timeout=60).returncode, (0, 1, 255, -6), text)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""What code without hooks does with inputs: it is found, or the verdict says that not everything was asked. Never `clean` for a program that fails."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

TREADLE = os.environ["TREADLE"]

HEAD = """#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <treadle/treadle.h>
"""


class Libraries(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.work = pathlib.Path(self.folder.name)

    def check(self, text, *words, name="program.c", arguments=()):
        (self.work / name).write_text((HEAD if name.endswith(".c") else "") + text)
        command = [TREADLE, "check", "--json", "-", "--strategy", "mpc", "--max-time", "3s", *words, name, *(["--", *arguments] if arguments else [])]
        run = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=self.work)
        self.assertIn(run.returncode, (0, 1), run.stdout + run.stderr)
        return json.loads(run.stdout)

    def not_claimed(self, text, *words, **how):
        result = self.check(text, *words, **how)
        self.assertTrue(result["findings"] or result["verdict"] == "incomplete", (text, result["covers"]))
        return result

    def test_memory_that_library_functions_look_at(self):
        for body in ("int n = atoi(v[1]); assert(n != 73);", "long n = strtol(v[1], 0, 10); assert(n != 73);",
                     "double n = strtod(v[1], 0); assert(n != 2);", "char b[9]; snprintf(b, sizeof b, \"[%s]\", v[1]); assert(b[1] != '7' || b[2] != ']');",
                     "int n = 0; sscanf(v[1], \"%d\", &n); assert(n != 73);", "int n = printf(\"%s\\n\", v[1]); assert(n != 2);",
                     "char *t = strtok(v[1], \",\"); assert(!t || t[0] != 'x');", "char *d = strdup(v[1]); assert(d[0] != 'q' || d[1] != 'r'); free(d);"):
            self.not_claimed(f"int main(int c, char **v) {{ {body} return 0; }}", "--symbolic-arg", "1", arguments=["00"])

    def test_what_they_put_into_order_or_somewhere_else(self):
        for body in ("int a[2] = {treadle_input_int(\"a\"), 5}; qsort(a, 2, sizeof *a, less); assert(a[0] != -7);",
                     "time_t t = treadle_input_int(\"t\"); struct tm m; gmtime_r(&t, &m); assert(m.tm_year != 99);",
                     "FILE *f = tmpfile(); int a = treadle_input_int(\"a\"), b = 0; fwrite(&a, 4, 1, f); rewind(f); fread(&b, 4, 1, f); fclose(f); assert(b != 77);",
                     "FILE *f = tmpfile(); int a = treadle_input_int(\"a\"), b = 0; fprintf(f, \"%d\", a); rewind(f); fscanf(f, \"%d\", &b); fclose(f); assert(b != 77);",
                     "static char a[6000], b[6000]; a[5999] = (char)treadle_input_byte(\"a\"); copy(b, a, 6000); assert(b[5999] != 77);"):
            self.not_claimed(f"""static int less(const void *a, const void *b) {{ return *(const int *)a < *(const int *)b ? -1 : *(const int *)a > *(const int *)b; }}
static void copy(void *to, const void *from, size_t n) {{ memcpy(to, from, n); }}
int main(void) {{ {body} (void)less; (void)copy; return 0; }}""")

    def test_what_is_printed_is_gone(self):
        result = self.check("""int main(void) {
  int a = treadle_input_int("a");
  printf("%d\\n", a);
  fprintf(stderr, "%d %s\\n", a, a > 3 ? "more" : "less");
  return 0;
}""")
        self.assertEqual((result["verdict"], len(result["path_list"]["paths"])), ("clean", 2), result["covers"])

    def test_standard_input_by_functions_that_parse(self):
        for body in ("int x; if (scanf(\"%d\", &x) == 1) assert(x != 37);",
                     "int x = 0, y = 0; if (scanf(\"%d\", &x) == 1 && x == 3) { y = treadle_input_int(\"y\"); assert(y != 5); }",
                     "char *l = 0; size_t n = 0; ssize_t r = getline(&l, &n, stdin); assert(r != 2 || l[0] != 'k'); free(l);",
                     "int c = getchar_unlocked(); int i = treadle_input_int(\"i\"); assert(c != 'x' || i != 3);"):
            self.not_claimed(f"int main(void) {{ {body} return 0; }}", "--symbolic-stdin", "2")
        self.not_claimed("#include <iostream>\n#include <cassert>\nint main() { int n = 0; std::cin >> n; assert(n != 73); }", "--symbolic-stdin", "2",
                         name="program.cpp")

    def test_of_a_file_only_what_was_read_counts(self):
        (self.work / "in.txt").write_text("hello world\n")
        result = self.check("""int main(void) {
  FILE *f = fopen("in.txt", "r");
  int a = fgetc(f), b = fgetc(f);
  fclose(f);
  assert(a != '%' || b != 'P');
  return 0;
}""", "--symbolic-file", "in.txt")
        self.assertEqual((len(result["findings"]), len(result["path_list"]["paths"])), (1, 3), result["covers"])
        self.assertNotIn(";", result["covers"])
        for body in ("int n = 0; FILE *f = fopen(\"in.txt\", \"r\"); fscanf(f, \"%d\", &n); fclose(f); assert(n != 4);",
                     "char *p = mmap(0, 12, PROT_READ, MAP_PRIVATE, open(\"in.txt\", O_RDONLY), 0); assert(p[0] != 'q');"):
            self.not_claimed(f"int main(void) {{ {body} return 0; }}", "--symbolic-file", "in.txt")

    def test_a_block_takes_its_inputs_along_when_it_moves(self):
        result = self.check("""static int *p;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *grows(void *unused) {
  pthread_mutex_lock(&m);
  p = realloc(p, 64);
  p[3] = 4;
  pthread_mutex_unlock(&m);
  return unused;
}
int main(void) {
  p = malloc(8);
  p[0] = treadle_input_int("a");
  p[1] = 5;
  pthread_t t;
  pthread_create(&t, 0, grows, 0);
  pthread_mutex_lock(&m);
  if (p[0] == 3) p[1] = 6;
  pthread_mutex_unlock(&m);
  pthread_join(t, 0);
  assert(p[1] != 6 || p[0] == 3);
  assert(p[0] != 77);
  free(p);
  return 0;
}""")
        self.assertEqual([finding["inputs"][0]["value"] for finding in result["findings"]], [77], result["covers"])
        self.assertNotIn(";", result["covers"])

    def test_a_program_that_begins_with_a_thread_of_the_library_is_explored_beyond_it(self):
        for body, found, paths in (("assert(k != 3);", 1, 2), ("try { if (k == 3) throw 4; } catch (...) {}", 0, 2)):
            result = self.check(f"""#include <cassert>
#include <thread>
#include <treadle/treadle.h>
int main() {{
  std::thread t([] {{ int k = treadle_input_int("k"); {body} }});
  t.join();
}}
""", name="program.cpp")
            self.assertEqual((len(result["findings"]), len(result["path_list"]["paths"])), (found, paths), result["covers"])
            self.assertNotIn("without a recorded store", result["covers"])

    def test_memory_that_nobody_has_written_may_be_looked_at(self):
        self.assertEqual(self.check("int main(void) { char *p = malloc(8); int r = p[2] == treadle_input_int(\"i\"); free(p); return r ? 1 : 0; }")["verdict"], "clean")


if __name__ == "__main__":
    unittest.main()

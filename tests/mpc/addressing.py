# SPDX-License-Identifier: Apache-2.0
"""What inputs and shared values select by an index or a pointer is explored: every way, every failure, and nothing else is claimed."""
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
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <treadle/treadle.h>
"""


class Addressing(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.work = pathlib.Path(self.folder.name)

    def check(self, body, *words, arguments=(), complete=True):
        """-> (paths, {(kind, text of the line)}) of a program whose lines with a failure differ."""
        text = HEAD + body
        (self.work / "program.c").write_text(text)
        command = [TREADLE, "check", "--json", "-", "--strategy", "mpc", *words, "program.c", *(["--", *arguments] if arguments else [])]
        run = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=self.work)
        self.assertIn(run.returncode, (0, 1), run.stdout + run.stderr)
        result = json.loads(run.stdout)
        self.assertEqual(not result["open"] if "open" in result else "; " not in result["covers"].split("; free of data races")[0], complete, result["covers"])
        lines = text.splitlines()
        return len(result["path_list"]["paths"]), {(f["kind"], lines[f["location"]["line"] - 1].strip()) for f in result["findings"]}

    def test_an_element_chosen_by_an_input(self):
        paths, found = self.check("""static int t[8] = {5, 3, 8, 1, 9, 2, 7, 4};
int main(void) {
  int i = treadle_input_range("i", 0, 7);
  int v = t[i];
  assert(v != 7);
  assert(v != 4);
  return 0;
}""")
        self.assertEqual((paths, found), (8, {("assertion", "assert(v != 7);"), ("assertion", "assert(v != 4);")}))

    def test_one_behind_the_end_of_a_block(self):
        for access, last in (("int v = a[i];", "assert(v != 9);"), ("a[i] = 1;", "assert(a[3] != 1);")):
            paths, found = self.check(f"""int main(void) {{
  int *a = malloc(4 * sizeof(int));
  for (int k = 0; k < 4; k++) a[k] = k * k;
  int i = treadle_input_range("i", 0, 4);
  {access}
  {last}
  free(a);
  return 0;
}}""")
            self.assertEqual(paths, 5, access)
            self.assertEqual({line for _, line in found}, {access, last})

    def test_an_object_chosen_by_a_pointer(self):
        paths, found = self.check("""static int x = 1, y = 2, z = 3;
int main(void) {
  int *p[3] = {&x, &y, &z};
  int i = treadle_input_range("i", 0, 2);
  *p[i] = 10;
  assert(y != 10);
  assert(x + y + z != 13);
  return 0;
}""")
        self.assertEqual((paths, found), (3, {("assertion", "assert(y != 10);"), ("assertion", "assert(x + y + z != 13);")}))

    def test_a_function_chosen_from_a_table(self):
        paths, found = self.check("""static int id(int a) { return a; }
static int twice(int a) { return a * 2; }
static int fails(int a) {
  assert(a != 7);
  return a;
}
static int (*const table[])(int) = {id, twice, fails};
int main(void) {
  int i = treadle_input_range("i", 0, 2), a = treadle_input_int("a");
  int r = table[i](a);
  assert(i != 1 || r != 84);
  return 0;
}""")
        self.assertIn(("assertion", "assert(a != 7);"), found)
        self.assertIn(("assertion", "assert(i != 1 || r != 84);"), found)
        self.assertEqual(len(found), 2)

    def test_an_index_that_another_thread_writes(self):
        for model in ("sc", "tso", "pso"):
            for jobs in ("1", "2"):
                paths, found = self.check("""static atomic_int at;
static int t[4] = {1, 2, 3, 4};
static void *sets(void *unused) {
  int n = treadle_input_range("n", 0, 3);
  atomic_store(&at, n);
  return unused;
}
int main(void) {
  pthread_t a;
  pthread_create(&a, 0, sets, 0);
  int v = t[atomic_load(&at)];
  pthread_join(a, 0);
  assert(v != 4);
  return 0;
}""", "--model", model, "--jobs", jobs)
                self.assertEqual((paths, found), (4, {("assertion", "assert(v != 4);")}), (model, jobs))

    def test_elements_that_several_threads_choose(self):
        paths, found = self.check("""static int t[3];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *adds(void *unused) {
  int i = treadle_input_range("i", 0, 2);
  pthread_mutex_lock(&m);
  t[i]++;
  pthread_mutex_unlock(&m);
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, adds, 0);
  pthread_create(&b, 0, adds, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  int j = treadle_input_range("j", 0, 2);
  assert(t[j] < 2);
  return 0;
}""")
        self.assertEqual((paths, found), (27, {("assertion", "assert(t[j] < 2);")}))

    def test_members_through_pointers(self):
        _, found = self.check("""struct node { int a; short b[3]; struct node *next; };
static struct node u = {1, {2, 3, 4}, 0}, v = {5, {6, 7, 8}, &u};
int main(void) {
  struct node *p = treadle_input_bool("which") ? &u : &v;
  int k = treadle_input_range("k", 0, 2);
  if (treadle_input_bool("on") && p->next) p = p->next;
  assert(p->b[k] != 7);
  assert(p->b[k] != 4);
  return 0;
}""")
        self.assertEqual(found, {("assertion", "assert(p->b[k] != 7);"), ("assertion", "assert(p->b[k] != 4);")})

    def test_a_table_made_of_a_switch(self):
        for optimised in ("-O0", "-O2"):
            _, found = self.check("""static int chosen(int i) {
  switch (i) { case 0: return 3; case 1: return 5; case 2: return 1; case 3: return 9; case 4: return 2; case 7: return 44; default: return 0; }
}
int main(void) {
  int r = chosen(treadle_input_int("i"));
  assert(r != 44);
  assert(r != 9);
  assert(r != 6);
  return 0;
}""", "--cflags", optimised)
            self.assertEqual(found, {("assertion", "assert(r != 44);"), ("assertion", "assert(r != 9);")}, optimised)

    def test_a_table_of_two_dimensions(self):
        paths, found = self.check("""static int m[3][4];
int main(void) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++) m[i][j] = i * 4 + j;
  int i = treadle_input_range("i", 0, 2), j = treadle_input_range("j", 0, 3);
  assert(m[i][j] != 6);
  assert(m[i][j] != 11);
  return 0;
}""")
        self.assertEqual((paths, found), (12, {("assertion", "assert(m[i][j] != 6);"), ("assertion", "assert(m[i][j] != 11);")}))

    def test_texts_from_outside(self):
        body = """int main(int c, char **v) {
  char b[8] = {0};
  if (c > 1) memcpy(b, v[1], 4);
  else if (!fgets(b, 5, stdin)) return 0;
  if (b[0] == 'a' && b[1] == 'b') assert(c == -1);
  int h = 0;
  for (char *p = b; *p; p++) h += *p == 'x';
  assert(h != 3);
  return 0;
}"""
        wanted = {("assertion", "if (b[0] == 'a' && b[1] == 'b') assert(c == -1);"), ("assertion", "assert(h != 3);")}
        self.assertEqual(self.check(body, "--symbolic-stdin", "4")[1], wanted)
        self.assertEqual(self.check(body, "--symbolic-arg", "1", arguments=["qqqq"])[1], wanted)
        (self.work / "data").write_text("qqqq")
        from_file = body.replace("if (!fgets(b, 5, stdin)) return 0;", 'if (read(open("data", O_RDONLY), b, 4) != 4) return 0;')
        self.assertEqual(self.check(from_file, "--symbolic-file", "data")[1], wanted)

    def test_what_library_functions_look_at_is_a_way_of_its_own(self):
        paths, found = self.check("""static char text[8];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *writes(void *unused) {
  pthread_mutex_lock(&m);
  text[0] = 'a', text[1] = 'b';
  pthread_mutex_unlock(&m);
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, writes, 0);
  pthread_mutex_lock(&m);
  int differs = strcmp(text, "ab");
  pthread_mutex_unlock(&m);
  pthread_join(t, 0);
  assert(differs);
  return 0;
}""")
        self.assertEqual((paths, found), (2, {("assertion", "assert(differs);")}))
        # Three bytes that may be anything have too many values.
        self.check("int main(void) { char b[4] = {0}; return fgets(b, 4, stdin) && !strcmp(b, \"ab\"); }", "--symbolic-stdin", "3",
                   "--max-executions", "300", complete=False)

    def test_more_than_64_values_are_told(self):
        paths, found = self.check("""static unsigned char t[256];
int main(void) {
  for (int i = 0; i < 256; i++) t[i] = (unsigned char)(i ^ 0x5a);
  assert(t[treadle_input_byte("i")] != 0xff);
  return 0;
}""", complete=False)
        self.assertEqual(paths, 64)
        self.assertEqual(found, set())


if __name__ == "__main__":
    unittest.main()

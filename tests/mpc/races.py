# SPDX-License-Identifier: Apache-2.0
"""Data races that no execution along a path has to come across: what one execution implies finds them, as `optimal` does."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

TREADLE = os.environ["TREADLE"]

HEAD = """#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t tokens;
static int p, q, r;
static atomic_int x, y;
#define LOAD(what, order) atomic_load_explicit(&what, memory_order_##order)
#define STORE(what, value, order) atomic_store_explicit(&what, value, memory_order_##order)
#define FENCE(order) atomic_thread_fence(memory_order_##order)
static void touch(pthread_mutex_t *which) { pthread_mutex_lock(which), pthread_mutex_unlock(which); }
"""

MAIN = """
int main(void) {
  pthread_t a, b;
  sem_init(&tokens, 0, 1);
  pthread_create(&a, 0, one, 0), pthread_create(&b, 0, two, 0);
  pthread_join(a, 0), pthread_join(b, 0), sem_destroy(&tokens);
  return 0;
}
"""


def program(one, two, more=""):
    return f"{HEAD}{more}static void *one(void *u) {{ {one} return u; }}\nstatic void *two(void *u) {{ {two} return u; }}\n{MAIN}"


class Base(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.work = pathlib.Path(self.folder.name)

    def result(self, text, *command):
        (self.work / "program.c").write_text(text)
        run = subprocess.run([TREADLE, *command, "--json", "-", "program.c"], capture_output=True, text=True, timeout=300, cwd=self.work)
        self.assertIn(run.returncode, (0, 1), run.stdout + run.stderr)
        return json.loads(run.stdout)

    def races(self, text, strategy, model):
        result = self.result(text, "check", "--strategy", strategy, "--model", model, "--keep-going")
        self.assertEqual({f["kind"] for f in result["findings"]} - {"data-race"}, set())
        self.assertTrue(result["findings"] or result["verdict"] == "clean", result["covers"])
        return sorted(f["message"].split(",")[0].split(":")[0] for f in result["findings"])

    def agree(self, races, one, two, more="", models=("sc", "tso", "pso")):
        """On how many places there are races."""
        for model in models:
            found = {strategy: self.races(program(one, two, more), strategy, model) for strategy in ("optimal", "mpc")}
            self.assertEqual((found["optimal"], len(found["mpc"])), (found["mpc"], races), model)


class RacesOfPaths(Base):
    def test_a_plain_store_does_not_wait_for_the_store_buffer(self):
        self.agree(1, "STORE(x, 1, relaxed); p = 1;", "if (LOAD(x, relaxed)) p = 2;")
        self.agree(0, "STORE(x, 1, relaxed); p = 1; STORE(y, 1, release);", "if (LOAD(y, acquire)) p = 2;")

    def test_a_plain_store_does_not_go_into_the_store_buffer(self):
        self.agree(1, "q = 1; p = 1; touch(&m);", "touch(&m); r = 5; touch(&m2); p = 2;")
        self.agree(0, "q = 1; touch(&m);", "touch(&m); r = 5; touch(&m2); p = 2;")

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
#define ADD(what, value, order) atomic_fetch_add_explicit(&what, value, memory_order_##order)
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

    def agree(self, races, one, two, more="", other="optimal"):
        """On how many places there are races."""
        for model in ("sc", "tso", "pso"):
            found = {strategy: self.races(program(one, two, more), strategy, model) for strategy in (other, "mpc")}
            self.assertEqual((found[other], len(found["mpc"])), (found["mpc"], races), model)


class RacesOfPaths(Base):
    def test_a_plain_store_does_not_wait_for_the_store_buffer(self):
        self.agree(1, "STORE(x, 1, relaxed); p = 1;", "if (LOAD(x, relaxed)) p = 2;")
        self.agree(0, "STORE(x, 1, relaxed); p = 1; STORE(y, 1, release);", "if (LOAD(y, acquire)) p = 2;")

    def test_a_plain_store_does_not_go_into_the_store_buffer(self):
        self.agree(1, "q = 1; p = 1; touch(&m);", "touch(&m); r = 5; touch(&m2); p = 2;")
        self.agree(0, "q = 1; touch(&m);", "touch(&m); r = 5; touch(&m2); p = 2;")

    def test_nothing_orders_who_sees_a_relaxed_store(self):
        self.agree(1, "p = 1; STORE(x, 1, relaxed); touch(&m);", "if (LOAD(x, relaxed) == 1) { touch(&m); p = 2; }")
        self.agree(1, "p = 1; STORE(x, 1, relaxed); touch(&m);", "if (LOAD(x, acquire) == 1) { touch(&m); p = 2; }")
        self.agree(1, "p = 1; STORE(x, 1, release); touch(&m);", "if (LOAD(x, relaxed) == 1) { touch(&m); p = 2; }")
        self.agree(0, "p = 1; STORE(x, 1, release); touch(&m);", "if (LOAD(x, acquire) == 1) { touch(&m); p = 2; }")
        self.agree(0, "p = 1; touch(&m); STORE(x, 1, relaxed);", "if (LOAD(x, relaxed) == 1) { touch(&m); p = 2; }")
        self.agree(1, "p = 1; touch(&m); STORE(x, 1, relaxed);", "if (LOAD(x, relaxed) == 1) { p = 2; touch(&m); }")

    def test_fences_order(self):
        self.agree(0, "p = 1; FENCE(release); STORE(x, 1, relaxed);", "if (LOAD(x, relaxed) == 1) { FENCE(acquire); p = 2; }")
        self.agree(1, "FENCE(release); p = 1; STORE(x, 1, relaxed);", "if (LOAD(x, relaxed) == 1) { FENCE(acquire); p = 2; }")
        self.agree(1, "p = 1; FENCE(release); STORE(x, 1, relaxed);", "FENCE(acquire); if (LOAD(x, relaxed) == 1) p = 2;")

    def test_read_modify_writes_pass_on_what_was_released(self):
        one, two = "p = 1; STORE(x, 1, release);", "pthread_t t; pthread_create(&t, 0, other, 0); if (LOAD(x, acquire) == 2) p = 2; pthread_join(t, 0);"
        other = "static void *other(void *u) { int was = 1; %s; return u; }\n"
        self.agree(0, one, two, other % "atomic_compare_exchange_strong_explicit(&x, &was, 2, memory_order_relaxed, memory_order_relaxed)")
        self.agree(1, one, two, other % "if (LOAD(x, relaxed) == was) STORE(x, 2, release)")
        self.agree(0, one, two, other % "if (LOAD(x, acquire) == was) STORE(x, 2, release)")
        self.agree(0, "p = 1; STORE(x, 1, release);", "atomic_fetch_add_explicit(&x, 4, memory_order_relaxed); if (LOAD(x, acquire) == 5) p = 2;")
        self.agree(1, "p = 1; STORE(x, 1, release); STORE(x, 2, relaxed);", "if (LOAD(x, acquire) == 2) p = 2;")

    def test_nothing_orders_who_does_not_get_a_lock(self):
        self.agree(1, "p = 1; pthread_mutex_lock(&m); pthread_mutex_unlock(&m);", "if (pthread_mutex_trylock(&m)) p = 2; else pthread_mutex_unlock(&m);")
        self.agree(1, "p = 1; sem_wait(&tokens); sem_post(&tokens);", "if (sem_trywait(&tokens)) p = 2; else sem_post(&tokens);")
        self.agree(0, "sem_wait(&tokens); p = 1; sem_post(&tokens);", "sem_wait(&tokens); p = 2; sem_post(&tokens);")

    def test_a_signal_does_not_order(self):
        wait = "pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);"
        for races, one in ((1, "p = 1; pthread_cond_signal(&c);"), (0, "p = 1; pthread_mutex_lock(&m); pthread_cond_signal(&c); pthread_mutex_unlock(&m);")):
            text = program(one, wait + "p = 2;")
            for model in ("sc", "tso"):
                found = [self.result(text, "check", "--strategy", s, "--model", model, "--keep-going")["findings"] for s in ("optimal", "mpc")]
                kinds = [sorted(f["kind"] for f in one_search) for one_search in found]
                self.assertEqual(kinds[0], kinds[1])
                self.assertEqual(kinds[1].count("data-race"), races)

    def test_a_lock_within_an_atomic_section(self):
        more = "extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);"
        within, section = "pthread_mutex_lock(&m); p = 2; pthread_mutex_unlock(&m);", "__VERIFIER_atomic_begin(); %s __VERIFIER_atomic_end();"
        self.agree(1, within, "touch(&m);" + section % "p = 1; touch(&m);", more)
        self.agree(1, within, section % "p = 1; touch(&m);", more, "dpor")
        self.agree(0, within, section % "touch(&m); p = 1; touch(&m);", more, "dpor")
        self.agree(1, within, section % "touch(&m); p = 1;", more, "dpor")
        self.agree(1, "p = 2; touch(&m);", section % "touch(&m); p = 1;", more, "dpor")

    def test_are_foreseen(self):
        one, two = "p = 1; STORE(x, 1, %s); touch(&m);", "if (LOAD(x, acquire) == 1) { touch(&m); p = 2; }"
        for model in ("sc", "tso", "pso"):
            for order, races in (("relaxed", 1), ("release", 0)):
                result = self.result(program(one % order, two), "predict", "--model", model)
                self.assertEqual([f["kind"] for f in result["findings"]], ["data-race"] * races)
                self.assertEqual((result["verdict"], result.get("unconfirmed", [])), ("bugs" if races else "clean", []), result["covers"])

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generated programs, a seed each, with few plain accesses among much that may or may not order them: locks, atomics of any order, fences,
semaphores, ... `mpc` asks what a few executions imply, and finds a data race exactly where `optimal` comes across one. Where there are atomic
sections, which may have to wait for a lock, so do dpor and, where there is time for them, all schedules.

  same_races.py --treadle PATH --work DIR [--first SEED] [--programs N] [--models sc,tso] [--jobs N]
The program of a seed is always the same.
"""
import argparse
import concurrent.futures
import json
import pathlib
import random
import subprocess
import sys

MODELS = ("sc", "tso", "pso")
SECONDS = 20  # for one search
LARGEST = 4000  # executions; larger programs are left out
TOGETHER = 25  # programs in one file

HEAD = r"""#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#define LOAD(what, order) atomic_load_explicit(&what, memory_order_##order)
#define STORE(what, value, order) atomic_store_explicit(&what, value, memory_order_##order)
#define ADD(what, value, order) atomic_fetch_add_explicit(&what, value, memory_order_##order)
#define FENCE(order) atomic_thread_fence(memory_order_##order)
__attribute__((unused)) static int swap(atomic_int* what, int was, int to, memory_order order, memory_order else_order) {
  return atomic_compare_exchange_strong_explicit(what, &was, to, order, else_order);
}
__attribute__((unused)) static int value_of(sem_t* semaphore) {
  int value;
  sem_getvalue(semaphore, &value);
  return value;
}
"""


class Program:
    def __init__(self, seed):
        self.seed, self.random, self.bad = seed, random.Random(seed), []
        self.threads = 3 if self.chance(0.25) else 2
        self.declared = ["static int p@, q@;", "static atomic_int x@, y@;", "static pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER;"]
        self.before, self.after = [], []
        self.others = [self.semaphore, self.reader, self.spin, self.cond, self.meeting, self.section]
        self.others = self.random.sample(self.others, 1) if self.chance(0.4) else []
        self.made, self.sections = set(), False
        bodies = self.told() if self.chance(0.7) else self.scattered("p@")
        self.text = self.render(bodies)

    def chance(self, probability):
        return self.random.random() < probability

    def choice(self, *what):
        return self.random.choice(what)

    def scattered(self, what):
        bodies = [self.body(self.random.randint(1, 3 if self.threads == 3 else 4), 2) for _ in range(self.threads)]
        for number, thread in enumerate(self.random.sample(range(self.threads), 2)):
            self.put(bodies[thread], self.access(what, number == 0))
        return bodies

    def access(self, what, writes):
        return f"{what} = 1;" if writes or self.chance(0.6) else f"if ({what} == 3) {{ {self.step(0)} }}"

    def told(self):
        """One thread tells another one of its access, maybe by a third."""
        def some():
            return self.body(self.random.choices((0, 1, 2), (5, 3, 1))[0], self.choice(0, 0, 1))

        def order(*weaker):
            return self.choice("relaxed", "relaxed", *weaker)
        tell, hear = self.random.choices((
            lambda: (f"STORE(x@, 7, {order('release', 'seq_cst')});", f"if (LOAD(x@, {order('acquire', 'seq_cst')}) == 7) {{"),
            lambda: (f"ADD(x@, 5, {order('release', 'acq_rel')});", f"if (LOAD(x@, {order('acquire')}) > 4) {{"),
            lambda: (f"STORE(x@, 7, {order('release')});", f"if (ADD(x@, 3, {order('acquire', 'release', 'acq_rel')}) == 7) {{"),
            lambda: (["pthread_mutex_lock(&m@);", some(), "pthread_mutex_unlock(&m@);"], "if (pthread_mutex_trylock(&m@) || (pthread_mutex_unlock(&m@), 0)) {"),
        ), (4, 2, 2, 1))[0]()
        accesses = [self.access("p@", True), self.access("p@", False)]
        self.random.shuffle(accesses)
        teller = [*some(), accesses[0], *some(), tell, *some()]
        hearer = [*some(), [hear, [*some(), accesses[1], *some()], "}"], *some()]
        if self.threads == 2:
            return self.random.sample([teller, hearer], 2)
        between = self.body(self.random.randint(1, 2), 1)
        if hear.startswith("if (LOAD") and self.chance(0.7):
            between = [[hear, [*some(), self.choice(f"STORE(y@, 9, {order('release')});", f"ADD(y@, 9, {order('acq_rel')});")], "}"]]
            hearer[-1 - next(i for i, step in enumerate(reversed(hearer)) if isinstance(step, list) and step[0] == hear)][0] = \
                f"if (LOAD(y@, {order('acquire')}) == 9) {{"
        return self.random.sample([teller, hearer, between], 3)

    def put(self, body, access):
        """Anywhere, more often within what depends on something."""
        blocks = [step for step in body if isinstance(step, list)]
        if blocks and self.chance(0.6):
            return self.put(self.random.choice(blocks)[1], access)
        body.insert(self.random.randint(0, len(body)), access)

    def body(self, steps, depth=0):
        return [self.step(depth) for _ in range(steps)]

    def step(self, depth):
        which, k = self.choice("x@", "x@", "y@"), self.random.randint(1, 2)
        load, store, both = self.choice("relaxed", "relaxed", "acquire", "seq_cst"), self.choice("relaxed", "relaxed", "release", "seq_cst"), \
            self.choice("relaxed", "acquire", "release", "acq_rel", "seq_cst")
        kinds = [
            (4, lambda: f"STORE({which}, {k}, {store});"),
            (1, lambda: f"ADD({which}, 1, {both});"),
            (1, lambda: f"FENCE({self.choice('acquire', 'release', 'acq_rel', 'seq_cst')});"),
            (3, lambda: "pthread_mutex_lock(&m@); pthread_mutex_unlock(&m@);"),
        ]
        if depth:
            kinds += [(1, other) for other in self.others]
            kinds += [
                (4, lambda: [f"if (LOAD({which}, {load}) == {k}) {{", self.body(self.random.randint(0, 2), depth - 1), "}"]),
                (1, lambda: [f"if (ADD({which}, 1, {both}) == {k}) {{", self.body(self.random.randint(0, 1), depth - 1), "}"]),
                (1, lambda: [f"if (swap(&{which}, {k - 1}, {k + 1}, memory_order_{both}, memory_order_{self.choice('relaxed', 'acquire')})) {{",
                             self.body(self.random.randint(0, 1), depth - 1), "}"]),
                (2, lambda: ["pthread_mutex_lock(&m@);", self.body(self.random.randint(0, 1), 0), "pthread_mutex_unlock(&m@);"]),
                (1, lambda: ["if (pthread_mutex_trylock(&m@)) {", self.body(self.random.randint(0, 1), 0), "} else { pthread_mutex_unlock(&m@); }"]),
            ]
        return self.random.choices([make for _, make in kinds], [weight for weight, _ in kinds])[0]()

    def need(self, declared, before="", after=""):
        if declared not in self.made:
            self.made.add(declared)
            self.declared.append(declared)
            self.before.append(before)
            self.after.append(after)

    def semaphore(self):
        self.need("static sem_t tokens@;", f"sem_init(&tokens@, 0, {self.random.randint(0, 1)});", "sem_destroy(&tokens@);")
        return self.choice("sem_post(&tokens@);", "sem_post(&tokens@);", "sem_wait(&tokens@);", ["if (sem_trywait(&tokens@)) {", self.body(1), "}"],
                           ["if (value_of(&tokens@) == 1) {", self.body(1), "}"])

    def reader(self):
        self.need("static pthread_rwlock_t rw@ = PTHREAD_RWLOCK_INITIALIZER;")
        how = self.choice("rd", "wr")
        if self.chance(0.3):
            return [f"if (pthread_rwlock_try{how}lock(&rw@)) {{", self.body(1), "} else { pthread_rwlock_unlock(&rw@); }"]
        return [f"pthread_rwlock_{how}lock(&rw@);", self.body(self.random.randint(0, 1)), "pthread_rwlock_unlock(&rw@);"]

    def spin(self):
        self.need("static pthread_spinlock_t spin@;", "pthread_spin_init(&spin@, 0);", "pthread_spin_destroy(&spin@);")
        if self.chance(0.3):
            return ["if (pthread_spin_trylock(&spin@)) {", self.body(1), "} else { pthread_spin_unlock(&spin@); }"]
        return ["pthread_spin_lock(&spin@);", self.body(self.random.randint(0, 1)), "pthread_spin_unlock(&spin@);"]

    def cond(self):
        self.need("static pthread_cond_t c@ = PTHREAD_COND_INITIALIZER;")
        signal = f"pthread_cond_{self.choice('signal', 'broadcast')}(&c@);"
        return self.choice(signal, f"pthread_mutex_lock(&m@); {signal} pthread_mutex_unlock(&m@);",
                           "pthread_mutex_lock(&m@); pthread_cond_wait(&c@, &m@); pthread_mutex_unlock(&m@);")

    def meeting(self):
        self.need("static pthread_barrier_t meet@;", "pthread_barrier_init(&meet@, 0, 2);", "pthread_barrier_destroy(&meet@);")
        return "pthread_barrier_wait(&meet@);"

    def section(self):
        self.need("extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);")
        self.sections = True
        lock = ["pthread_mutex_lock(&m@); pthread_mutex_unlock(&m@);"]
        return ["__VERIFIER_atomic_begin();", self.choice([], [], lock), "__VERIFIER_atomic_end();"]

    def render(self, bodies):
        def lines(body):
            for step in body:
                if isinstance(step, list):
                    yield step[0]
                    yield from ("  " + line for line in lines(step[1]))
                    yield step[2]
                else:
                    yield step
        ids = range(self.threads)
        text = [*self.declared]
        for i, body in enumerate(bodies):
            text += [f"static void* thread@_{i}(void* unused) {{", *("  " + line for line in lines(body)), "  return unused;", "}"]
        text += ["static int program_@(void) {", f"  pthread_t t[{self.threads}];", *("  " + line for line in self.before if line),
                 *(f"  pthread_create(&t[{i}], 0, thread@_{i}, 0);" for i in ids), *(f"  pthread_join(t[{i}], 0);" for i in ids),
                 *("  " + line for line in self.after if line), "  return 0;", "}"]
        return "\n".join(text).replace("@", str(self.seed)) + "\n"


def file_of(programs):
    cases = "".join(f"    case {p.seed}: return program_{p.seed}();\n" for p in programs)
    return HEAD + "\n".join(p.text for p in programs) + \
        f"int main(int count, char** words) {{\n  switch (count > 1 ? atoi(words[1]) : {programs[0].seed}) {{\n{cases}  }}\n  return 2;\n}}\n"


class Batch:
    def __init__(self, options, programs):
        self.options, self.programs, self.compared, self.racy, self.left_out, self.incomplete = options, programs, 0, 0, 0, 0
        self.folder = options.work.resolve() / f"{programs[0].seed}-{programs[-1].seed}"
        self.folder.mkdir(parents=True, exist_ok=True)
        for program in programs:
            program.path = self.folder / f"seed_{program.seed}.c"
            program.path.write_text(file_of([program]))

    def judge_all(self):
        source = self.folder / "batch.c"
        source.write_text(file_of(self.programs))
        for name, more in (("plain", []), ("symbolic", ["--symbolic"])):
            command = [self.options.treadle, "cc", *more, "-std=gnu17", "-g", "-O0", source, "-o", self.folder / name, "-pthread"]
            built = subprocess.run(command, capture_output=True, text=True)
            if built.returncode:
                sys.exit(f"{source} does not compile:\n{built.stderr[-3000:]}")
        for model in self.options.models:
            self.judge(model)
        return self

    def judge(self, model):
        truth, found = self.search("optimal", model), self.search("mpc", model)
        for program in self.programs:
            expected, told = truth[program.seed], found[program.seed]
            if isinstance(expected, str) or isinstance(told, str):
                program.bad.append(f"{model}: {expected if isinstance(expected, str) else told}")
                continue
            if expected["verdict"] == "incomplete" or self.kinds(expected) - {"data-race"}:
                if expected["verdict"] == "incomplete":
                    self.left_out += 1
                    continue
            self.compared += 1
            self.racy += "data-race" in self.kinds(expected)
            self.incomplete += told["verdict"] == "incomplete"
            if "data-race" in self.kinds(expected) ^ self.kinds(told):
                program.bad.append(f"{model}: found {sorted(self.kinds(told))} instead of {sorted(self.kinds(expected))} ({told['covers']})")
            elif told["verdict"] == "incomplete" or "not looked for" in told["covers"]:
                program.bad.append(f"{model}: {told['covers']}")
            elif self.places(expected) != self.places(told):
                program.bad.append(f"{model}: races at {self.places(told)} instead of {self.places(expected)}")
        with_sections = [p for p in self.programs if p.sections and isinstance(truth[p.seed], dict)]
        for strategy in ("dpor", "exhaustive") if with_sections else ():
            shown = self.search(strategy, model, with_sections)
            for program in with_sections:
                expected, told = truth[program.seed], shown[program.seed]
                if isinstance(told, str):
                    program.bad.append(f"{model}: {told}")
                elif expected["verdict"] != "incomplete" and set(self.places(told)) - set(self.places(expected)):
                    program.bad.append(f"{model}: {strategy} finds races at {self.places(told)}, optimal at {self.places(expected)}")

    @staticmethod
    def kinds(report):
        return {finding["kind"] for finding in report["findings"]}

    @staticmethod
    def places(report):
        """The variables that there are races on."""
        return sorted({finding["message"].split("`")[1] for finding in report["findings"] if finding["kind"] == "data-race"})

    def search(self, strategy, model, programs=None):
        programs = programs or self.programs
        (self.folder / "cases").write_text("".join(f"{p.seed}\n" for p in programs))
        told = self.run(strategy, model, len(programs), ["--cases", "cases"], [])
        reports = {}
        if isinstance(told, dict):
            reports = {int(test["name"]): test | {"findings": [told["findings"][i] for i in test["findings"]]}
                       for test in told["tests"] if not test["problem"]}
        for program in programs:
            if program.seed not in reports:
                reports[program.seed] = self.run(strategy, model, 1, [], ["--", str(program.seed)])
        return reports

    def run(self, strategy, model, count, options, arguments):
        """A report, or what went wrong."""
        command = [self.options.treadle, "check", "--json", "-", "--keep-going", "--as-found", "--tests", "off", "--out", "out", "--strategy", strategy,
                   "--model", model, "--max-time", f"{SECONDS * count}s", "--max-executions", str(LARGEST), *options,
                   "symbolic" if strategy == "mpc" else "plain", *arguments]
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=2 * SECONDS * count + 30, cwd=self.folder)
        except subprocess.TimeoutExpired:
            return f"{strategy} has not ended after {2 * SECONDS * count + 30} s"
        return json.loads(run.stdout) if run.returncode in (0, 1) else f"{strategy}: status {run.returncode}: {run.stdout[-300:]}{run.stderr[-600:]}"


def parsed():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--treadle", required=True, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--programs", type=int, default=50)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--models", type=lambda text: text.split(","), default=MODELS)
    return parser.parse_args()


def main():
    options = parsed()
    programs = [Program(seed) for seed in range(options.first, options.first + options.programs)]
    batches = [Batch(options, programs[i:i + TOGETHER]) for i in range(0, len(programs), TOGETHER)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for done in concurrent.futures.as_completed([pool.submit(batch.judge_all) for batch in batches]):
            for program in done.result().programs:
                for what in program.bad:
                    print(f"seed {program.seed} {what}\n    {program.path}", flush=True)
    compared, racy, mismatches = (sum(b.compared for b in batches), sum(b.racy for b in batches), sum(len(p.bad) for p in programs))
    print(f"{len(programs)} programs, {compared} comparisons, {racy} with a data race, {sum(b.left_out for b in batches)} left out as too large, "
          f"{sum(b.incomplete for b in batches)} incomplete, {mismatches} mismatches")
    return 1 if mismatches or not racy else 0


if __name__ == "__main__":
    sys.exit(main())

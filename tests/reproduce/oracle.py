# SPDX-License-Identifier: Apache-2.0
"""What a machine did can be done: random programs run natively, with delays, and fail at their end. Each recording must be reproduced, with all
threads on their ways to the end of the run; `unreachable` would be wrong, whatever the machine's order was."""
import argparse
import pathlib
import random
import shutil
import subprocess
import sys


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.plain = self.random.random() < 0.3
        self.variables = ["x", "y", "z"][: self.random.randint(1, 3)]
        self.threads = self.random.randint(2, 3)

    def value(self):
        return self.random.choice(["0", "1", "2", "r", "r + 1", "get(%s)" % self.random.choice(self.variables)])

    def condition(self):
        name = self.random.choice(self.variables)
        return self.random.choice([f"get({name}) == {self.random.randint(0, 2)}", f"get({name}) > r", f"r % 2 == 0", f"get({name}) != get({self.random.choice(self.variables)})"])

    def statements(self, depth, room):
        lines = []
        for _ in range(self.random.randint(1, room)):
            kind = self.random.random()
            name = self.random.choice(self.variables)
            if kind < 0.3:
                lines.append(f"set({name}, {self.value()});")
            elif kind < 0.45:
                lines.append(f"r = get({name});")
            elif kind < 0.6 and depth < 2:
                lines.append(f"if ({self.condition()}) {{ {self.statements(depth + 1, 2)} }} else {{ {self.statements(depth + 1, 2)} }}")
            elif kind < 0.7 and depth < 2:
                lines.append(f"for (int i{depth} = 0; i{depth} < {self.random.randint(1, 2)} + r % 2; i{depth}++) {{ {self.statements(depth + 1, 2)} }}")
            elif kind < 0.78 and depth == 0:
                lines.append(f"pthread_mutex_lock(&m); {self.statements(2, 2)} pthread_mutex_unlock(&m);")
            elif kind < 0.84:
                lines.append("r = helper(r);")
            elif kind < 0.88 and depth == 0:
                lines.append("while (!get(go)) { }")
            elif kind < 0.92:
                lines.append("if (pthread_mutex_trylock(&n) == 0) { r += 2; pthread_mutex_unlock(&n); }")
            else:
                lines.append(f"usleep({self.random.randint(1, 300)});")
        return " ".join(lines)

    def text(self):
        get = "v" if self.plain else "atomic_load_explicit(&v, memory_order_relaxed)"
        put = "v = (n)" if self.plain else "atomic_store_explicit(&v, (n), memory_order_relaxed)"
        kind = "int" if self.plain else "atomic_int"
        bodies = [f"static void* work{i}(void* none) {{ int r = {i}; {self.statements(0, 6)} results[{i}] = r; return none; }}" for i in range(self.threads)]
        create = " ".join(f"pthread_create(&t[{i}], 0, work{i}, 0); {'usleep(%d);' % self.random.randint(1, 200) if self.random.random() < 0.5 else ''}"
                          for i in range(self.threads))
        return f"""#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
static {kind} x, y, z;
static atomic_int go;
static int results[{self.threads}];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
#define get(v) {get.replace("v", "(v)") if self.plain else get}
#define set(v, n) {put}
__attribute__((noinline)) static int helper(int r) {{ if (get(x) > 1) usleep(50); return r % 3 == 0 ? r + get(y) : r - 1; }}
{chr(10).join(bodies)}
int main(void) {{
  pthread_t t[{self.threads}];
  {create}
  atomic_store(&go, 1);
  for (int i = 0; i < {self.threads}; i++) pthread_join(t[i], 0);
  int sum = 0;
  for (int i = 0; i < {self.threads}; i++) sum += results[i];
  assert(sum == 1000);
  return 0;
}}
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--treadle", required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--seeds", required=True)
    parser.add_argument("--budget", default="120s")
    options = parser.parse_args()
    first, last = map(int, options.seeds.split("-"))
    shutil.rmtree(options.work, ignore_errors=True)
    options.work.mkdir(parents=True)
    wrong = given_up = 0
    for seed in range(first, last + 1):
        source = options.work / f"p{seed}.c"
        source.write_text(Program(seed).text())
        recording = options.work / f"p{seed}.recording"
        run = lambda *words: subprocess.run([options.treadle, *map(str, words)], cwd=options.work, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=600)
        recorded = run("record", "--recording", recording, "--hang-after", "120s", source)
        if recorded.returncode != 1:
            print(f"seed {seed}: not recorded: {recorded.stdout}{recorded.stderr}")
            wrong += 1
            continue
        done = run("reproduce", "--max-time", options.budget, recording)
        last_line = [line for line in done.stdout.splitlines() if "eproduced under" in line or "unreachable" in line]
        if done.returncode == 2 and "not reproduced" in done.stdout:
            given_up += 1
        elif done.returncode != 1:
            wrong += 1
        if done.returncode != 1:
            print(f"seed {seed}: status {done.returncode}: {' '.join(last_line)} {done.stderr}")
    print(f"{last - first + 1} recordings, {given_up} given up, {wrong} wrong")
    return 1 if wrong or given_up * 10 > last - first + 1 else 0


sys.exit(main())

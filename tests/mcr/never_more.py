#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where a strategy has no rules for what a program does, it must fall back on what `optimal` does, and neither lose something nor run more.

Small programs are generated, a seed each, that use what `value` has no rules of its own for: descriptors, signals, cancellation, clocks, ...
For each, under each model and treatment of races, value, rf, se-mcr and mcr-s+ find what `optimal` finds, in at most as many executions;
mpc what `value` finds, in at most as many. And dpor, and whatever part of all schedules there is time for, show nothing that `optimal` has not.

  never_more.py --treadle PATH --work DIR [--first SEED] [--programs N] [--kinds A,B] [--models sc,tso] [--races A,B] [--strategies A,B] [--jobs N]
The program of a seed is always the same; --kinds takes those seeds whose first kind is named.
"""
import argparse
import collections
import concurrent.futures
import json
import pathlib
import random
import subprocess
import sys

INCLUDE = pathlib.Path(__file__).resolve().parent.parent.parent / "include"
MODELS = ("sc", "tso", "pso")
RACES = ("explore", "ignore", "stop")
STRATEGIES = ("value", "rf", "se-mcr", "mcr-s+", "mpc", "dpor", "exhaustive")
DOUBTS = ("dpor", "exhaustive")  # of them, those that `optimal` is held against
SECONDS = 20  # for one search
LARGEST = 2000  # executions; larger programs are left out
MOST_SCHEDULES = 60000
TOGETHER = 10  # programs in one file

HEAD = r"""#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <treadle/treadle.h>
__attribute__((unused)) static int result(long n, int value) { return n > 0 ? value : n == 0 ? -1000 : -errno; }
__attribute__((unused)) static int put(int to, char byte) { return result(write(to, &byte, 1), 1); }
__attribute__((unused)) static int get(int from) {
  char byte = 0;
  const long n = read(from, &byte, 1);
  return result(n, byte);
}
__attribute__((unused)) static int add(int to, uint64_t more) { return result(write(to, &more, 8), 1); }
__attribute__((unused)) static int take(int from) {
  uint64_t sum = 0;
  const long n = read(from, &sum, 8);
  return result(n, (int)sum);
}
__attribute__((unused)) static int ready(int from, int milliseconds) {
  struct pollfd one = {from, POLLIN, 0};
  return poll(&one, 1, milliseconds);
}
__attribute__((unused)) static int64_t now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000000000 + time.tv_nsec;
}
__attribute__((unused)) static const struct timespec* after(clockid_t clock, struct timespec* time) {
  clock_gettime(clock, time);
  time->tv_sec++;
  return time;
}
__attribute__((unused)) static void init_mutex(pthread_mutex_t* mutex, int type, int robust) {
  pthread_mutexattr_t how;
  pthread_mutexattr_init(&how);
  pthread_mutexattr_settype(&how, type);
  pthread_mutexattr_setrobust(&how, robust);
  pthread_mutex_init(mutex, &how);
  pthread_mutexattr_destroy(&how);
}
__attribute__((unused)) static void set_signals(int how, int signal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  pthread_sigmask(how, &set, 0);
}
__attribute__((unused)) static int wait_for(int signal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  int got = 0;
  sigwait(&set, &got);
  return got;
}
__attribute__((unused)) static int is_pending(int signal) {
  sigset_t set;
  sigpending(&set);
  return sigismember(&set, signal);
}
__attribute__((unused)) static int* volatile nowhere;
"""


class Sketch:
    """A program being made. In its text, @ stands for its number; role 0 is main, between starting the others and joining them."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.threads = 3 if self.random.random() < 0.12 else 2
        self.declared = ["static atomic_int x@, y@;", "static int p@, q@;", "static pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER;"]
        self.before, self.after, self.names = [], [], 0
        self.bodies = [[] for _ in range(self.threads + 1)]
        self.part, self.last = [[] for _ in self.bodies], "return 0;"

    def declare(self, *texts):
        self.declared += texts

    def do(self, role, *texts):
        self.part[role] += texts

    def see(self, role, *expressions):
        for expression in expressions:
            self.names += 1
            self.do(role, f'treadle_observe("{role}.{self.names}", {expression});')

    def name(self, word):
        self.names += 1
        return f"{word}{self.names}"

    def threads_in_any_order(self):
        return self.random.sample(range(1, self.threads + 1), self.threads)

    def number(self):
        return self.random.randint(1, 2)

    def chance(self, probability):
        return self.random.random() < probability

    def choice(self, *what):
        return self.random.choice(what)

    def weave(self):
        """What was begun since the last time comes between what there was; the order of each stays."""
        for body, part in zip(self.bodies, self.part):
            places = sorted(self.random.randint(0, len(body)) for _ in part)
            for done, (place, text) in enumerate(zip(places, part)):
                body.insert(place + done, text)
            part.clear()

    def text(self, number):
        joins = [f"if (joinable@[{i}]) {{ pthread_join(t@[{i}], &end); treadle_observe(\"{i}.end\", end != 0); }}" for i in range(1, self.threads + 1)]
        starts = [f"joinable@[{i}] = 1, pthread_create(&t@[{i}], 0, thread@_{i}, 0);" for i in range(1, self.threads + 1)]
        lines = ["static pthread_t t@[4];", "static int joinable@[4];", *self.declared]
        for i, body in enumerate(self.bodies[1:], 1):
            lines += [f"static void* thread@_{i}(void* unused) {{", *("  " + text for text in body), "  return unused;", "}"]
        main = ["void* end = 0;", *self.before, *starts, *self.bodies[0], *joins, *self.after, self.last]
        lines += ["static int program_@(void) {", *("  " + text for text in main), "}"]
        return "\n".join(lines).replace("@", str(number)) + "\n"


def ordinary(p):
    """What every rule is made for: atomics, plain variables, a lock."""
    for role in (*range(1, p.threads + 1), *([0] if p.chance(0.3) else [])):
        for _ in range(p.random.choices((0, 1, 2, 3, 4), (1, 3, 6, 5, 2) if p.threads == 2 else (2, 6, 2, 0, 0))[0]):
            access(p, role)


def access(p, role):
    x, k = p.choice("x@", "x@", "y@"), p.number()
    p.random.choices((
        lambda: p.do(role, f"{x} = {k};"),
        lambda: p.see(role, x),
        lambda: p.see(role, f"atomic_fetch_add(&{x}, {k})"),
        lambda: p.see(role, f"({{ int was = {k - 1}; atomic_compare_exchange_strong(&{x}, &was, {k}); }})"),
        lambda: p.do(role, f"atomic_store_explicit(&{x}, {k}, memory_order_relaxed);"),
        lambda: p.do(role, f"p@ = {k};"),
        lambda: p.see(role, "p@"),
        lambda: p.see(role, f"({{ pthread_mutex_lock(&m@); int was = q@; q@ = was * 2 + {k}; pthread_mutex_unlock(&m@); was; }})"),
        lambda: p.do(role, f"if ({x} == {k}) y@ = {p.number()};"),
    ), (4, 4, 2, 1, 2, 2, 2, 2, 1))[0]()


def pipe(p):
    a, b, *_ = p.threads_in_any_order()
    p.declare("static int pipe@[2];")
    p.before.append("pipe(pipe@);")
    p.after.append("close(pipe@[0]), close(pipe@[1]);")
    p.do(a, "put(pipe@[1], 1);")
    if p.chance(0.6):
        p.do(p.choice(0, a, b), "put(pipe@[1], 2);")
    p.see(p.choice(0, b), *["get(pipe@[0])"] * p.choice(1, 1, 2))


def pipe_polled(p):
    a, b, *_ = p.threads_in_any_order()
    p.declare("static int polled@[2];")
    p.before.append("pipe2(polled@, O_NONBLOCK);")
    p.after.append("close(polled@[0]), close(polled@[1]);")
    p.do(a, "put(polled@[1], 3);")
    p.see(b, p.choice("get(polled@[0])", "ready(polled@[0], 10)", "ready(polled@[0], 10) > 0 ? get(polled@[0]) : 0", "ready(polled@[0], 0)"))
    if p.chance(0.3):
        p.see(0, p.choice("get(polled@[0])", "ready(polled@[0], -1)", "put(polled@[1], 4)"))


def events(p):
    a, b, *_ = p.threads_in_any_order()
    p.declare("static int events@;")
    p.before.append(f"events@ = eventfd({p.choice(0, 0, 1)}, {p.choice('0', 'EFD_NONBLOCK', 'EFD_SEMAPHORE', 'EFD_SEMAPHORE | EFD_NONBLOCK')});")
    p.after.append("close(events@);")
    p.do(a, f"add(events@, {p.number()});")
    if p.chance(0.5):
        p.do(p.choice(0, b), f"add(events@, {p.number()});")
    p.see(p.choice(0, b), "take(events@)")


def sockets(p):
    a, b, *_ = p.threads_in_any_order()
    p.declare("static int ends@[2];")
    p.before.append(f"socketpair(AF_UNIX, {p.choice('SOCK_STREAM', 'SOCK_DGRAM', 'SOCK_SEQPACKET')}, 0, ends@);")
    p.after.append("close(ends@[0]), close(ends@[1]);")
    p.do(a, p.choice('send(ends@[0], "1", 1, 0);', "put(ends@[0], '1');"))
    if p.chance(0.5):
        p.do(p.choice(0, b), "put(ends@[0], '2');")
    p.see(p.choice(0, b), p.choice("get(ends@[1])", "({ char c = 0; long n = recv(ends@[1], &c, 1, MSG_DONTWAIT); result(n, c); })"))
    if p.chance(0.2):
        p.do(a, "shutdown(ends@[0], SHUT_WR);")


def handler(p):
    a = p.threads_in_any_order()[0]
    what = p.choice("atomic_fetch_add(&handled@, 1);", "handled@ = x@;", "x@ = 2, handled@++;")
    p.declare("static atomic_int handled@;", f"static void handler@(int number) {{ (void)number; {what} }}", "static pthread_t main@;")
    p.before.append("struct sigaction action = {.sa_handler = handler@}; sigaction(SIGUSR1, &action, 0); main@ = pthread_self();")
    p.do(*((0, f"pthread_kill(t@[{a}], SIGUSR1);") if p.chance(0.7) else (a, "pthread_kill(main@, SIGUSR1);")))
    if p.chance(0.3):
        p.do(a, "set_signals(SIG_BLOCK, SIGUSR1);", "set_signals(SIG_UNBLOCK, SIGUSR1);")
    if p.chance(0.3):
        p.see(a, p.choice("ready(-1, 10)", "usleep(5)"))
    p.see(p.choice(0, a), "handled@")
    p.after.append('treadle_observe("handled", handled@);')


def awaited(p):
    a, b, *_ = p.threads_in_any_order()
    p.before.append("set_signals(SIG_BLOCK, SIGUSR2);")
    if p.chance(0.6):
        p.see(a, "wait_for(SIGUSR2)")
        p.do(0, f"pthread_kill(t@[{a}], SIGUSR2);")
    else:
        p.see(0, "wait_for(SIGUSR2)")
        p.do(a, "kill(getpid(), SIGUSR2);")
    if p.chance(0.3):
        p.see(b, "is_pending(SIGUSR2)")


def cancel(p):
    a, b, *_ = p.threads_in_any_order()
    p.declare("static atomic_int cleaned@;", "static sem_t never@;", "static void clean@(void* by) { (void)by; cleaned@ = x@ + 1; }")
    p.before.append("sem_init(&never@, 0, 0);")
    p.after.append('sem_destroy(&never@); treadle_observe("cleaned", cleaned@);')
    p.do(0, f"pthread_cancel(t@[{a}]);")
    p.do(a, "pthread_cleanup_push(clean@, 0);")
    if p.chance(0.2):
        p.do(a, "pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, 0);", "pthread_testcancel();", "pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, 0);")
    p.do(a, p.choice("pthread_testcancel();", "pthread_testcancel();", "usleep(1);", "sem_wait(&never@);"), f"pthread_cleanup_pop({p.choice(0, 1)});")
    if p.chance(0.3):
        p.see(b, "cleaned@")


def clock(p):
    for role in p.threads_in_any_order()[:p.choice(1, 2)]:
        which, name = p.choice("CLOCK_MONOTONIC", "CLOCK_REALTIME"), p.name("early")
        p.declare(f"static __thread int64_t {name}@;")
        p.do(role, f"{name}@ = now({which});")
        if p.chance(0.4):
            p.do(role, p.choice("usleep(5);", "nanosleep(&(struct timespec){0, 100}, 0);", "sched_yield();"))
        p.see(role, f"now({which}) {p.choice('-', '>')} {name}@")


def sleep(p):
    for role in p.threads_in_any_order()[:p.choice(1, 2)]:
        p.do(role, p.choice("usleep(5);", "nanosleep(&(struct timespec){0, 100}, 0);", "sched_yield();"))
        access(p, role)


def timed_semaphore(p):
    a, b, *_ = p.threads_in_any_order()
    p.declare("static sem_t tokens@;")
    p.before.append("sem_init(&tokens@, 0, 0);")
    p.after.append("sem_destroy(&tokens@);")
    wait = p.choice("sem_timedwait(&tokens@, after(CLOCK_REALTIME, &(struct timespec){0}))",
                    "sem_clockwait(&tokens@, CLOCK_MONOTONIC, after(CLOCK_MONOTONIC, &(struct timespec){0}))")
    p.see(a, f"{wait} ? errno : 0")
    if p.chance(0.8):
        p.do(p.choice(0, b), "sem_post(&tokens@);")


def timed_condition(p):
    a, b, *_ = p.threads_in_any_order()
    p.declare("static pthread_mutex_t guard@ = PTHREAD_MUTEX_INITIALIZER;", "static pthread_cond_t rung@ = PTHREAD_COND_INITIALIZER;", "static int flag@;")
    wait = p.choice("pthread_cond_timedwait(&rung@, &guard@, after(CLOCK_REALTIME, &(struct timespec){0}))",
                    "pthread_cond_clockwait(&rung@, &guard@, CLOCK_MONOTONIC, after(CLOCK_MONOTONIC, &(struct timespec){0}))")
    p.see(a, f"({{ pthread_mutex_lock(&guard@); int late = flag@ ? 0 : {wait}; late = late * 2 + flag@; pthread_mutex_unlock(&guard@); late; }})")
    p.do(b, "pthread_mutex_lock(&guard@); flag@ = 1; pthread_cond_signal(&rung@); pthread_mutex_unlock(&guard@);")


def timed_lock(p):
    a, b, *_ = p.threads_in_any_order()
    p.declare("static pthread_mutex_t late@ = PTHREAD_MUTEX_INITIALIZER;")
    wait = p.choice("pthread_mutex_timedlock(&late@, after(CLOCK_REALTIME, &(struct timespec){0}))",
                    "pthread_mutex_clocklock(&late@, CLOCK_MONOTONIC, after(CLOCK_MONOTONIC, &(struct timespec){0}))")
    p.see(a, f"({{ int no = {wait}; if (!no) pthread_mutex_unlock(&late@); no; }})")
    p.do(b, "pthread_mutex_lock(&late@);", "pthread_mutex_unlock(&late@);")


def join(p):
    a = p.threads_in_any_order()[0]
    how = p.choice("pthread_tryjoin_np(t@[%d], 0)", "pthread_timedjoin_np(t@[%d], 0, after(CLOCK_REALTIME, &(struct timespec){0}))") % a
    p.see(0, f"({{ int no = {how}; if (!no) joinable@[{a}] = 0; no; }})")


def detach(p):
    a = p.threads_in_any_order()[0]
    p.do(0, f"pthread_detach(t@[{a}]), joinable@[{a}] = 0;")
    p.last = "pthread_exit(0);" if p.chance(0.8) else "return 0;"  # the latter is misuse if it still runs


def errorcheck(p):
    p.declare("static pthread_mutex_t strict@;")
    p.before.append("init_mutex(&strict@, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);")
    p.after.append("pthread_mutex_destroy(&strict@);")
    lock, unlock = "pthread_mutex_lock(&strict@)", "pthread_mutex_unlock(&strict@)"
    for role in p.threads_in_any_order()[:2]:
        p.see(role, *p.choice((lock, lock, unlock), (lock, unlock, unlock), (unlock,), (lock, unlock),
                              ("({ int no = pthread_mutex_trylock(&strict@); if (!no) pthread_mutex_unlock(&strict@); no; })",)))


def robust(p):
    a, b, *_ = p.threads_in_any_order()
    p.declare("static pthread_mutex_t heir@;")
    p.before.append("init_mutex(&heir@, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);")
    mend = "if (no == EOWNERDEAD) pthread_mutex_consistent(&heir@);"
    for role, text in ((b, mend if p.chance(0.7) else ""), (0, mend)):
        p.see(role, f"({{ int no = pthread_mutex_lock(&heir@); {text} if (no != ENOTRECOVERABLE) pthread_mutex_unlock(&heir@); no; }})")
    p.do(a, "pthread_mutex_lock(&heir@);")
    # Whoever died last leaves it behind as well.
    p.after.append(f"{{ int no = pthread_mutex_lock(&heir@); {mend} if (no != ENOTRECOVERABLE) pthread_mutex_unlock(&heir@); pthread_mutex_destroy(&heir@); }}")


def sixteen_bytes(p):
    p.declare("static _Alignas(16) __int128 wide@;")
    for role in p.threads_in_any_order()[:2]:
        both = f"(((__int128)({p.number()}) << 64) | {p.number()})"
        seen = "({ __int128 was = %s; (int)(was >> 64) * 10 + (int)was; })"
        p.random.choice((
            lambda: p.do(role, f"__atomic_store_n(&wide@, {both}, __ATOMIC_SEQ_CST);"),
            lambda: p.see(role, seen % "__atomic_load_n(&wide@, __ATOMIC_SEQ_CST)"),
            lambda: p.see(role, seen % f"__atomic_exchange_n(&wide@, {both}, __ATOMIC_SEQ_CST)"),
            lambda: p.see(role, seen % f"__atomic_fetch_add(&wide@, {both}, __ATOMIC_SEQ_CST)"),
            lambda: p.see(role, f"({{ __int128 was = 0; __atomic_compare_exchange_n(&wide@, &was, {both}, 0, 5, 5); }})")))()
    p.see(0, "({ __int128 was = __atomic_load_n(&wide@, __ATOMIC_SEQ_CST); (int)(was >> 64) * 10 + (int)was; })")


def big_block(p):
    p.declare("static char* big@;")
    p.before.append("big@ = malloc(100000); memset(big@, 0, 100000);")
    p.after.append("free(big@);")
    for role in p.threads_in_any_order()[:2]:
        places = f"{p.choice(0, 70000)}"
        p.random.choice((
            lambda: p.do(role, f"big@[{places}] = {p.number()};"),
            lambda: p.see(role, f"big@[{places}]"),
            lambda: p.do(role, f"memset(big@, {p.number()}, 100000);"),
            lambda: p.do(role, "memcpy(big@ + 50000, big@, 30000);"),
            lambda: p.see(role, f"({{ char* mine = malloc(100000); memset(mine, 3, 100000); int one = mine[9] + big@[{places}]; free(mine); one; }})")))()


def big_range(p):
    size = p.choice(4095, 4096, 4097, 6000)
    p.declare("static char range@[6000];")
    a, b, *_ = p.threads_in_any_order()
    p.see(a, f"({{ char copy[{size}]; memcpy(copy, range@, {size}); copy[100] * 10 + copy[{size - 1}]; }})")
    p.do(b, p.choice(f"range@[{size - 1}] = 1;", "range@[100] = 2;", f"memset(range@, 3, {size});", "range@[100] = 1; range@[5999] = 1;"))


def heap(p):
    a, b, *_ = p.threads_in_any_order()
    p.declare("static atomic_int given@;", "static int* block@;")
    p.before.append("block@ = malloc(4 * sizeof *block@);")
    p.do(a, "if (!atomic_exchange(&given@, 1)) free(block@);")
    p.do(b, p.choice("if (given@) block@[0] = 1;", "if (given@) free(block@);", "if (!atomic_exchange(&given@, 1)) { block@[4] = 1; free(block@); }",
                     "if (given@) y@ = block@[1];", "if (!atomic_exchange(&given@, 1)) free(block@ + 1);"))


def fails(p):
    a, b, *_ = p.threads_in_any_order()
    k = p.number()
    p.do(a, f"{p.choice('x@', 'y@')} = {k};")
    p.do(b, p.choice(f"assert(x@ != {k});", f"if (y@ == {k}) assert(x@ == 0);", f"assert(x@ + y@ != {k});"))


def ends(p):
    a, b, *_ = p.threads_in_any_order()
    p.do(a, "x@ = 1;")
    p.do(p.choice(0, b), f"if (x@ == 1) {p.choice('raise(SIGILL)', 'abort()', '*nowhere = 1', '__builtin_trap()')};")


def exits(p):
    a, b, *_ = p.threads_in_any_order()
    p.do(a, "x@ = 1;")
    p.do(b, p.choice("if (x@ == 1) exit(0);", "exit(0);", "if (x@) pthread_exit((void*)1);", "if (x@ == 1) _exit(0);"))


def barrier(p):
    p.declare("static pthread_barrier_t pairs@;")
    p.before.append("pthread_barrier_init(&pairs@, 0, 2);")
    p.after.append("pthread_barrier_destroy(&pairs@);")
    for role in range(1, p.threads + 1):
        p.see(role, "pthread_barrier_wait(&pairs@)")
    if p.threads == 3:
        p.see(0, "pthread_barrier_wait(&pairs@)")


KINDS = {kind.__name__: kind for kind in (
    pipe, pipe_polled, events, sockets, handler, awaited, cancel, clock, sleep, timed_semaphore, timed_condition, timed_lock, join, detach, errorcheck,
    robust, sixteen_bytes, big_block, big_range, heap, fails, ends, exits, barrier)}


class Program:
    def __init__(self, seed):
        self.seed, sketch = seed, Sketch(seed)
        self.kinds = [list(KINDS)[seed % len(KINDS)]]
        if sketch.chance(0.45):
            self.kinds += sketch.random.sample([k for k in KINDS if k not in self.kinds], 1)
        for make in (*(KINDS[k] for k in self.kinds), ordinary):
            make(sketch)
            sketch.weave()
        self.text = sketch.text(seed)
        self.most, self.racy = 0, None  # None: nobody has looked
        self.bad = {}  # where, by strategy and what is wrong

    def tell(self):
        for (strategy, what), where in self.bad.items():
            print(f"seed {self.seed} ({', '.join(self.kinds)}) {strategy} {' '.join(where)}: {what}")
        if self.bad:
            print(f"    {self.path}", flush=True)


def file_of(programs):
    cases = "".join(f"    case {p.seed}: return program_{p.seed}();\n" for p in programs)
    main = f"int main(int count, char** words) {{\n  switch (count > 1 ? atoi(words[1]) : {programs[0].seed}) {{\n{cases}  }}\n  return 2;\n}}\n"
    return HEAD + "\n".join(p.text for p in programs) + main


def kinds_of(report):
    return sorted({finding["kind"] for finding in report["findings"]})


def outcomes_of(report):
    return {json.dumps(outcome, sort_keys=True) for outcome in report["outcomes"] or []}


class Batch:
    """Programs of one file, each of them checked in every way."""

    def __init__(self, options, programs):
        self.options, self.programs, self.compared, self.left_out, self.incomplete = options, programs, 0, 0, 0
        self.folder = options.work.resolve() / f"{programs[0].seed}-{programs[-1].seed}"
        self.folder.mkdir(parents=True, exist_ok=True)
        for program in programs:
            program.path = self.folder / f"seed_{program.seed}.c"
            program.path.write_text(file_of([program]))

    def build(self):
        source = self.folder / "batch.c"
        source.write_text(file_of(self.programs))
        for name, more in (("plain", []), ("symbolic", ["--symbolic"])):
            command = [self.options.treadle, "cc", *more, "-std=gnu17", "-g", "-O1", "-mcx16", f"-I{INCLUDE}", source, "-o", self.folder / name, "-pthread"]
            built = subprocess.run(command, capture_output=True, text=True)
            if built.returncode:
                sys.exit(f"{source} does not compile:\n{built.stderr[-3000:]}")

    def search(self, strategy, model, races, programs):
        """A report for each, by seed: of all in one process, and of who has none then in one of its own."""
        (self.folder / "cases").write_text("".join(f"{p.seed}\n" for p in programs))
        _, told = self.run(strategy, model, races, len(programs), ["--cases", "cases"], [])
        reports = {int(test["name"]): test | {"findings": [told["findings"][i] for i in test["findings"]]} for test in told.get("tests", [])}
        reports = {seed: test for seed, test in reports.items() if not test["problem"]}
        for program in programs:
            if program.seed not in reports:
                trouble, report = self.run(strategy, model, races, 1, [], ["--", str(program.seed)])
                reports[program.seed] = report or {"trouble": trouble}
        return reports

    def run(self, strategy, model, races, count, options, arguments):
        command = [self.options.treadle, "check", "--json", "-", "--outcomes", "--keep-going", "--as-found", "--tests", "off", "--out", "out",
                   "--strategy", strategy, "--model", model, "--races", races, "--max-time", f"{SECONDS * count}s", "--max-executions", str(MOST_SCHEDULES if strategy == "exhaustive" else LARGEST),
                   *options, "symbolic" if strategy == "mpc" else "plain", *arguments]
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=2 * SECONDS * count + 30, cwd=self.folder)
        except subprocess.TimeoutExpired:
            return f"has not ended after {2 * SECONDS * count + 30} s", {}
        if run.returncode not in (0, 1):
            return f"status {run.returncode}: {run.stdout[-300:]}{run.stderr[-600:]}", {}
        return "", json.loads(run.stdout)

    def judge_all(self):
        self.build()
        for model in self.options.models:
            for races in self.options.races:
                self.judge(model, races)
        return self

    def judge(self, model, races):
        truth, programs = self.search("optimal", model, races, self.programs), []
        for program in self.programs:
            if (report := truth[program.seed]).get("trouble"):
                self.complain(program, "optimal", model, races, report["trouble"])
                continue
            if races != "ignore":
                program.racy = program.racy or "data-race" in kinds_of(report)
            if "nondeterminism" in kinds_of(report):
                self.complain(program, "optimal", model, races, "nondeterminism in a program that has none")
            elif report["verdict"] == "incomplete" or (races == "stop" and "data-race" in kinds_of(report)):
                self.left_out += 1
            else:
                program.most = max(program.most, report["executions"])
                programs.append(program)
        by = {strategy: self.search(strategy, model, races, programs) for strategy in self.options.strategies if programs}
        for strategy, reports in by.items():
            above = by.get("value", truth) if strategy == "mpc" else truth
            for program in programs:
                self.compare(program, strategy, model, races, reports[program.seed], above[program.seed])

    def compare(self, program, strategy, model, races, report, above):
        self.compared += 1
        self.incomplete += report.get("verdict") == "incomplete"
        if report.get("trouble") or above.get("trouble"):
            return self.complain(program, strategy, model, races, report.get("trouble") or "nothing to compare with")
        if strategy in DOUBTS:
            return self.doubt(program, strategy, model, races, report, above)
        bad, kinds = [], kinds_of(above)
        if strategy != "mpc" and report["verdict"] != above["verdict"]:
            bad.append(f"verdict {report['verdict']} instead of {above['verdict']} ({report['covers']})")
        # Where plain accesses are steps, mpc tells the races of the executions that it makes.
        shown = kinds_of(report) + (["data-race"] if strategy == "mpc" and races == "explore" and "data-race" in kinds else [])
        if sorted(set(shown)) != kinds:
            bad.append(f"found {kinds_of(report)} instead of {kinds}")
        missing, surplus = outcomes_of(above) - outcomes_of(report), outcomes_of(report) - outcomes_of(above)
        if strategy != "mpc" and (surplus or missing) and set(kinds) <= {"data-race"} and not (races == "ignore" and program.racy is not False):
            bad.append(f"outcomes: {len(missing)} missing {sorted(missing)[:1]}, {len(surplus)} surplus {sorted(surplus)[:1]} of {len(outcomes_of(above))}")
        # What races is not determined by the order of the steps: what was foreseen of it may be wrong, and is run then.
        if report["executions"] > above["executions"] and not (races == "ignore" and program.racy is not False):
            bad.append(f"{report['executions']} executions instead of at most {above['executions']}")
        if bad:
            self.complain(program, strategy, model, races, "; ".join(bad))

    def doubt(self, program, strategy, model, races, report, optimal):
        """Where plain accesses are no steps, what they lead to depends on which schedules are run."""
        kinds, missing = set(kinds_of(report)) - set(kinds_of(optimal)), outcomes_of(report) - outcomes_of(optimal)
        if races == "ignore" and program.racy is not False:
            missing = set()
        if kinds or (missing and set(kinds_of(report)) <= {"data-race"}):
            self.complain(program, "optimal", model, races, f"{strategy} shows {sorted(kinds)}, {len(missing)} outcomes more {sorted(missing)[:1]}")

    def complain(self, program, strategy, model, races, what):
        program.bad.setdefault((strategy, what), []).append(f"{model}/{races}")


def programs_of(options):
    programs, seed = [], options.first
    while len(programs) < options.programs:
        if list(KINDS)[seed % len(KINDS)] in options.kinds:
            programs.append(Program(seed))
        seed += 1
    return programs


def show_table(programs):
    """Whether each kind had something to be compared at all."""
    count, several, bad = (collections.Counter() for _ in range(3))
    for program in programs:
        for kind in program.kinds:
            count[kind] += 1
            several[kind] += program.most > 1
            bad[kind] += bool(program.bad)
    print(f"{'kind':16} programs  several executions  mismatching")
    for kind in count:
        print(f"{kind:16} {count[kind]:8}  {several[kind]:18}  {bad[kind]:11}")
    return [kind for kind in count if count[kind] > 2 and not several[kind]]


def parsed():
    def names(known):
        return lambda text: [name for name in text.split(",") if name in known or sys.exit(f"there is no {name}, only {', '.join(known)}")]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--treadle", required=True, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--programs", type=int, default=48)
    parser.add_argument("--jobs", type=int, default=2)
    for name, known in (("kinds", tuple(KINDS)), ("models", MODELS), ("races", RACES), ("strategies", STRATEGIES)):
        parser.add_argument("--" + name, type=names(known), default=known)
    return parser.parse_args()


def main():
    options = parsed()
    programs = programs_of(options)
    batches = [Batch(options, programs[i:i + TOGETHER]) for i in range(0, len(programs), TOGETHER)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for done in concurrent.futures.as_completed([pool.submit(batch.judge_all) for batch in batches]):
            for program in done.result().programs:
                program.tell()
    vacuous = show_table(programs)
    if vacuous:
        print("no program with several executions:", ", ".join(vacuous))
    compared, mismatches = sum(b.compared for b in batches), sum(len(where) for p in programs for where in p.bad.values())
    print(f"left out as too large, or as racy where races stop it: {sum(b.left_out for b in batches)}; incomplete: {sum(b.incomplete for b in batches)}")
    print(f"{len(programs)} programs, {compared} comparisons, {mismatches} mismatches")
    return 1 if mismatches or vacuous or not compared else 0


if __name__ == "__main__":
    sys.exit(main())

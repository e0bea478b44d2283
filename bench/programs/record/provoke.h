// SPDX-License-Identifier: Apache-2.0
// How the failures of this folder are provoked when the programs run natively. Nothing here adds a branch, so that a recording of a build
// with -DALIGN, -DSHUFFLE, -DTSO_MACHINE or -DPSO_MACHINE also belongs to the build without it.
#pragma once

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Where a delay makes the failure likely. -DDELAY=MICROSECONDS.
#ifdef DELAY
#define linger(times) usleep(DELAY*(times))
#else
#define linger(times) ((void)0)
#endif

// A shared variable of the programs that race on purpose: relaxed atomics are what plain variables are to the processor, and the compiler
// leaves them alone. -DPLAIN: plain variables.
#ifdef PLAIN
typedef int shared;
#define get(x) (x)
#define set(x, value) ((x) = (value))
#else
typedef atomic_int shared;
#define get(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define set(x, value) atomic_store_explicit(&(x), (value), memory_order_relaxed)
#endif

// -DALIGN: threads that come here within a millisecond go on at the same moment, with a store buffer that takes a while to drain because
// the other thread has the lines.
#ifdef ALIGN
static struct {
  char mine[2][32];
} contended[24] __attribute__((aligned(64)));

#define align(me)                                                                                                            \
  ({                                                                                                                         \
    uint64_t t_, low_, high_;                                                                                                \
    __asm__ volatile(                                                                                                        \
        "rdtsc\n\tshlq $32, %%rdx\n\torq %%rdx, %%rax\n\tshrq $21, %%rax\n\taddq $2, %%rax\n\tmovq %%rax, %0\n"              \
        "1:\tpause\n\trdtsc\n\tshlq $32, %%rdx\n\torq %%rdx, %%rax\n\tshrq $21, %%rax\n\tcmpq %0, %%rax\n\tjb 1b"            \
        : "=&r"(t_), "=&a"(low_), "=&d"(high_)                                                                               \
        :                                                                                                                    \
        : "memory", "cc");                                                                                                   \
    char* to_ = contended[0].mine[me];                                                                                       \
    uint64_t count_ = sizeof contended / sizeof contended[0];                                                                \
    __asm__ volatile("1:\tmovb $1, (%0)\n\taddq $64, %0\n\tdecq %1\n\tjnz 1b" : "+r"(to_), "+r"(count_) : : "memory", "cc"); \
  })
#else
#define align(me) ((void)0)
#endif

// A system call without a call: no path ends there.
#if defined SHUFFLE || defined TSO_MACHINE || defined PSO_MACHINE
#include <sys/syscall.h>
#include <time.h>
#define pause_without_a_call(microseconds)                                                                \
  ({                                                                                                      \
    const struct timespec while_ = {0, (microseconds) * 1000L};                                           \
    long number_ = SYS_nanosleep;                                                                         \
    __asm__ volatile("syscall" : "+a"(number_) : "D"(&while_), "S"(NULL) : "rcx", "r11", "memory", "cc"); \
  })
#endif

// -DSHUFFLE=MICROSECONDS: threads that come here stand still for a while, none of them as long as the other and none as long as in another
// run. On a machine with much to do, or with one core, they would follow one another in every run.
#ifdef SHUFFLE
#define shuffle() pause_without_a_call((__builtin_ia32_rdtsc() * 0x9e3779b97f4a7c15u >> 32) % SHUFFLE)
#else
#define shuffle() ((void)0)
#endif

// -DTSO_MACHINE=MICROSECONDS: for machines that run one instruction at a time, where no store waits in a buffer. The program does itself
// what a store buffer may do: what is set is seen so much later.
#ifdef TSO_MACHINE
#define until_the_buffer_drains() pause_without_a_call(TSO_MACHINE)
#define set_then_get(x, value, y) \
  ({                              \
    const int early_ = get(y);    \
    until_the_buffer_drains();    \
    set(x, value);                \
    early_;                       \
  })
#else
#define set_then_get(x, value, y) \
  ({                              \
    set(x, value);                \
    fence();                      \
    get(y);                       \
  })
#endif

typedef void* body(void*);

enum { most_threads = 16 };
static pthread_t threads[most_threads];
static int numbers[most_threads];
static int started;

static inline int number_of(void* argument) { return *(int*)argument; }

static inline void start(body* run) {
  numbers[started] = started;
  pthread_create(&threads[started], NULL, run, &numbers[started]);
  started++;
}

static inline void join_all(void) {
  for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
}

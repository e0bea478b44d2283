// SPDX-License-Identifier: Apache-2.0
// What all programs of this folder share. They are written after the descriptions, figures and tables of the maximal causality papers
// (docs/fidelity.md), where shared variables are neither atomic nor volatile: look at them with `--races explore`.
#pragma once

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

// A shared variable, read and written by get and set. -DATOMIC: a relaxed atomic instead, for tools that stop at a data race.
#ifdef ATOMIC
typedef atomic_int shared;
#define get(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define set(x, value) atomic_store_explicit(&(x), value, memory_order_relaxed)
#else
typedef int shared;
#define get(x) (x)
#define set(x, value) ((x) = (value))
#endif

// What the papers call an error. -DQUIET: nothing fails, so that the whole state space is counted; the same reads are made.
#ifdef QUIET
#define claim(condition) ((void)!(condition))
#else
#define claim(condition) assert(condition)
#endif

// The papers' loops that wait give up after SPIN + 2 looks: `while (…) if (tired(n)) break;`. -DUNBOUNDED: they wait until it is their
// turn.
#ifndef SPIN
#define SPIN 1
#endif
#ifdef UNBOUNDED
#define tired(looks) ((void)(looks), 0)
#else
#define tired(looks) ((looks)++ > SPIN)
#endif

typedef void *body(void *);

enum { most_threads = 16 };
static pthread_t threads[most_threads];
static int numbers[most_threads];
static int started;

static inline void start(body *run) {
  numbers[started] = started;
  pthread_create(&threads[started], NULL, run, &numbers[started]);
  started++;
}

static inline void join_all(void) {
  for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
}

// All that most of these programs do.
static inline int run_both(body *one, body *other) {
  start(one);
  start(other);
  join_all();
  return 0;
}

static inline int number_of(void *argument) { return *(int *)argument; }

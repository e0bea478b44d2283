// SPDX-License-Identifier: Apache-2.0
// What the programs of this folder share. They are written after the descriptions, figures and tables of the papers on predictive analysis
// (docs/fidelity.md), and state in their first lines what one passing run implies:
//
//   // predict: [-DFLAG…] [--option value…] : kind,kind      these kinds are found, all of them confirmed, and no others
//   // predict: [-DFLAG…] [--option value…] : nothing
//   // predict: … : unconfirmed:kind                          listed, but not shown by a run
//   // predict: … : atomicity triples=24/8/8/4                candidates: all, after creation and joining, after locks, real
//
// Threads are joined in the order in which they were started: the first run is one thread after the other, as far as they do not wait.
#pragma once

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <treadle/treadle.h>

enum { most_threads = 32 };
static pthread_t threads[most_threads];
static int started;

/// The number of the thread, from 0, is its argument.
static inline void start(void *(*run)(void *)) {
  pthread_create(&threads[started], NULL, run, (void *)(intptr_t)started);
  started++;
}

static inline void join_all(void) {
  for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
}

static inline int number_of(void *argument) { return (int)(intptr_t)argument; }

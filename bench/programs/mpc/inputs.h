// SPDX-License-Identifier: Apache-2.0
// What the programs of this folder share. They are written after the figures, tables and descriptions of the paper on maximal path
// causality (docs/fidelity.md), and state in their first lines what a search over all their inputs and schedules shows:
//
//   // mpc: [-DFLAG…] [--option value…] : kind,kind paths=N       these kinds are found, all confirmed, and no others
//   // mpc: [-DFLAG…] [--option value…] : nothing paths=N
//   // mpc: … : kind paths=N executions=E found-by=F              no more than E executions, the first finding in the F-th or earlier
//   // mpc: … : kind paths=N i=3 j=2                              the first finding's witness has these values of inputs
//   // mpc-s1: …                                                  the same for the faster, incomplete way
//   // long-mpc: …                                                not in the quick tests
//
// A path is, for each thread, the sequence of the outcomes of those branches that depend on inputs or on what the thread has read. A run
// that ends with an error counts as the same path as one in which the other threads come further before it.
//
// All are meant for --races explore, as in the paper: plain accesses are steps, and what they see of each other is explored.
#pragma once

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <treadle/treadle.h>

enum { most_threads = 16 };
static pthread_t threads[most_threads];

/// The number of the thread, from 0, is its argument.
static inline void start(int number, void *(*run)(void *)) { pthread_create(&threads[number], NULL, run, (void *)(intptr_t)number); }

/// How many there are is no variable of the program: no branch depends on what is read.
static inline void join_all(int count) {
  for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
}

static inline int number_of(void *argument) { return (int)(intptr_t)argument; }

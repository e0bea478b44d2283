// SPDX-License-Identifier: Apache-2.0
// What all programs of this folder share: starting numbered threads and waiting for them, and how strong the memory orders are that an
// algorithm leaves open. Only what GenMC and Nidhugg understand as well.
#pragma once

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

// -DORDER=memory_order_relaxed, or -DWEAK (release and acquire, where threads hand plain data over): the same algorithm with stores that
// TSO and PSO may delay.
#ifdef WEAK
#define STORE_ORDER memory_order_release
#define LOAD_ORDER memory_order_acquire
#elif defined(ORDER)
#define STORE_ORDER ORDER
#define LOAD_ORDER ORDER
#else
#define STORE_ORDER memory_order_seq_cst
#define LOAD_ORDER memory_order_seq_cst
#endif
#define LOAD(x) atomic_load_explicit(&(x), LOAD_ORDER)
#define STORE(x, value) atomic_store_explicit(&(x), value, STORE_ORDER)

// -DFENCE: what makes such an algorithm right again where a store must be seen before a later load.
#ifdef FENCE
#define STORE_BEFORE_LOAD() atomic_thread_fence(memory_order_seq_cst)
#else
#define STORE_BEFORE_LOAD() ((void)0)
#endif

enum { most_threads = 32 };
static int numbers[most_threads];
static pthread_t threads[most_threads];
static int started;

static void start(void *(*body)(void *), int count) {
  for (int i = 0; i < count; i++, started++) {
    numbers[started] = i;
    pthread_create(&threads[started], NULL, body, &numbers[started]);
  }
}

static void join_all(void) {
  for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
}

static inline int number_of(void *argument) { return *(int *)argument; }

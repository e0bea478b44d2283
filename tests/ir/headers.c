/* SPDX-License-Identifier: Apache-2.0 */
#include <complex.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tgmath.h>
#include <threads.h>
#include <time.h>

static _Atomic(struct { long a, b; }) wide;
static atomic_flag busy = ATOMIC_FLAG_INIT;
static thread_local int mine;
static mtx_t mutex;
static jmp_buf place;

double norm(double complex z) { return creal(z * conj(z)); }

int locked(int x) {
  while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire)) thrd_yield();
  mtx_lock(&mutex);
  int result = x + mine++;
  mtx_unlock(&mutex);
  atomic_flag_clear_explicit(&busy, memory_order_release);
  wide = wide;
  return result;
}

int formatted(char* to, size_t room, const char* format, ...) {
  va_list list;
  va_start(list, format);
  int n = setjmp(place) ? -1 : vsnprintf(to, room, format, list);
  va_end(list);
  return errno ? -1 : n;
}

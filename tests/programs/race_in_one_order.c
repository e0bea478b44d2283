// SPDX-License-Identifier: Apache-2.0
// x is written before one synchronisation and after another. Whether these writes race is decided by the order of the two, which changes
// nothing that any thread reads: executions told apart by values only are not enough.
// CHECK: strategy=optimal flags="-DMUTEX" verdict=bugs kinds=data-race
// CHECK: strategy=optimal flags="-DMUTEX -DFIXED" verdict=clean
// CHECK: strategy=value flags="-DMUTEX" verdict=bugs kinds=data-race
// CHECK: strategy=value flags="-DMUTEX -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=value flags="-DMUTEX -DFIXED" verdict=clean
// CHECK: strategy=rf flags="-DMUTEX" verdict=bugs kinds=data-race
// CHECK: strategy=rf flags="-DMUTEX -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=rf flags="-DMUTEX -DFIXED" verdict=clean
// CHECK: strategy=optimal flags="-DSPINLOCK" verdict=bugs kinds=data-race
// CHECK: strategy=optimal flags="-DSPINLOCK -DFIXED" verdict=clean
// CHECK: strategy=value flags="-DSPINLOCK" verdict=bugs kinds=data-race
// CHECK: strategy=value flags="-DSPINLOCK -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=value flags="-DSPINLOCK -DFIXED" verdict=clean
// CHECK: strategy=rf flags="-DSPINLOCK" verdict=bugs kinds=data-race
// CHECK: strategy=rf flags="-DSPINLOCK -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=rf flags="-DSPINLOCK -DFIXED" verdict=clean
// CHECK: strategy=optimal flags="-DRWLOCK" verdict=bugs kinds=data-race
// CHECK: strategy=optimal flags="-DRWLOCK -DFIXED" verdict=clean
// CHECK: strategy=value flags="-DRWLOCK" verdict=bugs kinds=data-race
// CHECK: strategy=value flags="-DRWLOCK -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=value flags="-DRWLOCK -DFIXED" verdict=clean
// CHECK: strategy=rf flags="-DRWLOCK" verdict=bugs kinds=data-race
// CHECK: strategy=rf flags="-DRWLOCK -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=rf flags="-DRWLOCK -DFIXED" verdict=clean
// CHECK: strategy=optimal flags="-DEXCLUSIVE" verdict=bugs kinds=data-race
// CHECK: strategy=optimal flags="-DEXCLUSIVE -DFIXED" verdict=clean
// CHECK: strategy=value flags="-DEXCLUSIVE" verdict=bugs kinds=data-race
// CHECK: strategy=value flags="-DEXCLUSIVE -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=value flags="-DEXCLUSIVE -DFIXED" verdict=clean
// CHECK: strategy=rf flags="-DEXCLUSIVE" verdict=bugs kinds=data-race
// CHECK: strategy=rf flags="-DEXCLUSIVE -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=rf flags="-DEXCLUSIVE -DFIXED" verdict=clean
// CHECK: strategy=optimal flags="-DSEMAPHORE" verdict=bugs kinds=data-race
// CHECK: strategy=optimal flags="-DSEMAPHORE -DFIXED" verdict=clean
// CHECK: strategy=value flags="-DSEMAPHORE" verdict=bugs kinds=data-race
// CHECK: strategy=value flags="-DSEMAPHORE -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=value flags="-DSEMAPHORE -DFIXED" verdict=clean
// CHECK: strategy=rf flags="-DSEMAPHORE" verdict=bugs kinds=data-race
// CHECK: strategy=rf flags="-DSEMAPHORE -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=rf flags="-DSEMAPHORE -DFIXED" verdict=clean
// CHECK: strategy=optimal flags="-DCONDITION" verdict=bugs kinds=data-race
// CHECK: strategy=optimal flags="-DCONDITION -DFIXED" verdict=clean
// CHECK: strategy=value flags="-DCONDITION" verdict=bugs kinds=data-race
// CHECK: strategy=value flags="-DCONDITION -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=value flags="-DCONDITION -DFIXED" verdict=clean
// CHECK: strategy=rf flags="-DCONDITION" verdict=bugs kinds=data-race
// CHECK: strategy=rf flags="-DCONDITION -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=rf flags="-DCONDITION -DFIXED" verdict=clean
// CHECK: strategy=optimal flags="-DBARRIER" verdict=bugs kinds=data-race
// CHECK: strategy=optimal flags="-DBARRIER -DFIXED" verdict=clean
// CHECK: strategy=value flags="-DBARRIER" verdict=bugs kinds=data-race
// CHECK: strategy=value flags="-DBARRIER -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=value flags="-DBARRIER -DFIXED" verdict=clean
// CHECK: strategy=rf flags="-DBARRIER" verdict=bugs kinds=data-race
// CHECK: strategy=rf flags="-DBARRIER -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=rf flags="-DBARRIER -DFIXED" verdict=clean
// CHECK: strategy=optimal flags="-DFLAG" verdict=bugs kinds=data-race
// CHECK: strategy=optimal flags="-DFLAG -DFIXED" verdict=clean
// CHECK: strategy=value flags="-DFLAG" verdict=bugs kinds=data-race
// CHECK: strategy=value flags="-DFLAG -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=value flags="-DFLAG -DFIXED" verdict=clean
// CHECK: strategy=rf flags="-DFLAG" verdict=bugs kinds=data-race
// CHECK: strategy=rf flags="-DFLAG -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=rf flags="-DFLAG -DFIXED" verdict=clean
// CHECK: strategy=optimal flags="-DFENCES" verdict=bugs kinds=data-race
// CHECK: strategy=optimal flags="-DFENCES -DFIXED" verdict=clean
// CHECK: strategy=value flags="-DFENCES" verdict=bugs kinds=data-race
// CHECK: strategy=value flags="-DFENCES -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=value flags="-DFENCES -DFIXED" verdict=clean
// CHECK: strategy=rf flags="-DFENCES" verdict=bugs kinds=data-race
// CHECK: strategy=rf flags="-DFENCES -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=rf flags="-DFENCES -DFIXED" verdict=clean
// CHECK: strategy=optimal flags="-DSEQUENCE" verdict=bugs kinds=data-race
// CHECK: strategy=optimal flags="-DSEQUENCE -DFIXED" verdict=clean
// CHECK: strategy=value flags="-DSEQUENCE" verdict=bugs kinds=data-race
// CHECK: strategy=value flags="-DSEQUENCE -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=value flags="-DSEQUENCE -DFIXED" verdict=clean
// CHECK: strategy=rf flags="-DSEQUENCE" verdict=bugs kinds=data-race
// CHECK: strategy=rf flags="-DSEQUENCE -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=rf flags="-DSEQUENCE -DFIXED" verdict=clean
// CHECK: strategy=value model=tso flags="-DFLAG" verdict=bugs kinds=data-race
// CHECK: strategy=value model=tso flags="-DFLAG -DFIXED" verdict=clean
// CHECK: strategy=value model=pso flags="-DFLAG" verdict=bugs kinds=data-race
// CHECK: strategy=value model=pso flags="-DFLAG -DFIXED" verdict=clean
// CHECK: strategy=value model=tso flags="-DFENCES" verdict=bugs kinds=data-race
// CHECK: strategy=value model=tso flags="-DFENCES -DFIXED" verdict=clean
// CHECK: strategy=value model=pso flags="-DFENCES" verdict=bugs kinds=data-race
// CHECK: strategy=value model=pso flags="-DFENCES -DFIXED" verdict=clean
// CHECK: strategy=value model=tso flags="-DSEQUENCE" verdict=bugs kinds=data-race
// CHECK: strategy=value model=tso flags="-DSEQUENCE -DFIXED" verdict=clean
// CHECK: strategy=value model=pso flags="-DSEQUENCE" verdict=bugs kinds=data-race
// CHECK: strategy=value model=pso flags="-DSEQUENCE -DFIXED" verdict=clean
// CHECK: strategy=value races=explore flags="-DMUTEX" verdict=bugs kinds=data-race
// CHECK: strategy=value races=explore flags="-DMUTEX -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=value races=explore flags="-DMUTEX -DFIXED" verdict=clean
// CHECK: strategy=value races=explore flags="-DSPINLOCK" verdict=bugs kinds=data-race
// CHECK: strategy=value races=explore flags="-DSPINLOCK -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=value races=explore flags="-DSPINLOCK -DFIXED" verdict=clean
// CHECK: strategy=value races=explore flags="-DRWLOCK" verdict=bugs kinds=data-race
// CHECK: strategy=value races=explore flags="-DRWLOCK -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=value races=explore flags="-DRWLOCK -DFIXED" verdict=clean
// CHECK: strategy=value races=explore flags="-DEXCLUSIVE" verdict=bugs kinds=data-race
// CHECK: strategy=value races=explore flags="-DEXCLUSIVE -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=value races=explore flags="-DEXCLUSIVE -DFIXED" verdict=clean
// CHECK: strategy=value races=explore flags="-DSEMAPHORE" verdict=bugs kinds=data-race
// CHECK: strategy=value races=explore flags="-DSEMAPHORE -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=value races=explore flags="-DSEMAPHORE -DFIXED" verdict=clean
// CHECK: strategy=value races=explore flags="-DCONDITION" verdict=bugs kinds=data-race
// CHECK: strategy=value races=explore flags="-DCONDITION -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=value races=explore flags="-DCONDITION -DFIXED" verdict=clean
// CHECK: strategy=value races=explore flags="-DBARRIER" verdict=bugs kinds=data-race
// CHECK: strategy=value races=explore flags="-DBARRIER -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=value races=explore flags="-DBARRIER -DFIXED" verdict=clean
// CHECK: strategy=value races=explore flags="-DFLAG" verdict=bugs kinds=data-race
// CHECK: strategy=value races=explore flags="-DFLAG -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=value races=explore flags="-DFLAG -DFIXED" verdict=clean
// CHECK: strategy=value races=explore flags="-DFENCES" verdict=bugs kinds=data-race
// CHECK: strategy=value races=explore flags="-DFENCES -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=value races=explore flags="-DFENCES -DFIXED" verdict=clean
// CHECK: strategy=value races=explore flags="-DSEQUENCE" verdict=bugs kinds=data-race
// CHECK: strategy=value races=explore flags="-DSEQUENCE -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=value races=explore flags="-DSEQUENCE -DFIXED" verdict=clean
// CHECK: strategy=value races=explore model=tso flags="-DMUTEX" verdict=bugs kinds=data-race
// CHECK: strategy=value races=explore model=tso flags="-DMUTEX -DFIXED" verdict=clean
// CHECK: strategy=value races=explore model=pso flags="-DMUTEX" verdict=bugs kinds=data-race
// CHECK: strategy=value races=explore model=pso flags="-DMUTEX -DFIXED" verdict=clean
// CHECK: strategy=value races=explore model=tso flags="-DFLAG" verdict=bugs kinds=data-race
// CHECK: strategy=value races=explore model=tso flags="-DFLAG -DFIXED" verdict=clean
// CHECK: strategy=value races=explore model=pso flags="-DFLAG" verdict=bugs kinds=data-race
// CHECK: strategy=value races=explore model=pso flags="-DFLAG -DFIXED" verdict=clean
// CHECK: strategy=value races=explore model=tso flags="-DFENCES" verdict=bugs kinds=data-race
// CHECK: strategy=value races=explore model=tso flags="-DFENCES -DFIXED" verdict=clean
// CHECK: strategy=value races=explore model=pso flags="-DFENCES" verdict=bugs kinds=data-race
// CHECK: strategy=value races=explore model=pso flags="-DFENCES -DFIXED" verdict=clean
// CHECK: strategy=value races=explore model=tso flags="-DSEQUENCE" verdict=bugs kinds=data-race
// CHECK: strategy=value races=explore model=tso flags="-DSEQUENCE -DFIXED" verdict=clean
// CHECK: strategy=value races=explore model=pso flags="-DSEQUENCE" verdict=bugs kinds=data-race
// CHECK: strategy=value races=explore model=pso flags="-DSEQUENCE -DFIXED" verdict=clean
// CHECK: strategy=rf races=explore flags="-DMUTEX" verdict=bugs kinds=data-race
// CHECK: strategy=rf races=explore flags="-DMUTEX -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=rf races=explore flags="-DMUTEX -DFIXED" verdict=clean
// CHECK: strategy=rf races=explore flags="-DSEMAPHORE" verdict=bugs kinds=data-race
// CHECK: strategy=rf races=explore flags="-DSEMAPHORE -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=rf races=explore flags="-DSEMAPHORE -DFIXED" verdict=clean
// CHECK: strategy=rf races=explore flags="-DFLAG" verdict=bugs kinds=data-race
// CHECK: strategy=rf races=explore flags="-DFLAG -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=rf races=explore flags="-DFLAG -DFIXED" verdict=clean
// CHECK: strategy=mcr races=explore flags="-DMUTEX" verdict=bugs kinds=data-race
// CHECK: strategy=mcr races=explore flags="-DMUTEX -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=mcr races=explore flags="-DMUTEX -DFIXED" verdict=clean
// CHECK: strategy=mcr races=explore flags="-DSEMAPHORE" verdict=bugs kinds=data-race
// CHECK: strategy=mcr races=explore flags="-DSEMAPHORE -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=mcr races=explore flags="-DSEMAPHORE -DFIXED" verdict=clean
// CHECK: strategy=mcr races=explore flags="-DFLAG" verdict=bugs kinds=data-race
// CHECK: strategy=mcr races=explore flags="-DFLAG -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=mcr races=explore flags="-DFLAG -DFIXED" verdict=clean
// CHECK: strategy=mcr-s+ races=explore flags="-DMUTEX" verdict=bugs kinds=data-race
// CHECK: strategy=mcr-s+ races=explore flags="-DMUTEX -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=mcr-s+ races=explore flags="-DMUTEX -DFIXED" verdict=clean
// CHECK: strategy=mcr-s+ races=explore flags="-DSEMAPHORE" verdict=bugs kinds=data-race
// CHECK: strategy=mcr-s+ races=explore flags="-DSEMAPHORE -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=mcr-s+ races=explore flags="-DSEMAPHORE -DFIXED" verdict=clean
// CHECK: strategy=mcr-s+ races=explore flags="-DFLAG" verdict=bugs kinds=data-race
// CHECK: strategy=mcr-s+ races=explore flags="-DFLAG -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=mcr-s+ races=explore flags="-DFLAG -DFIXED" verdict=clean
// CHECK: strategy=se-mcr races=explore flags="-DMUTEX" verdict=bugs kinds=data-race
// CHECK: strategy=se-mcr races=explore flags="-DMUTEX -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=se-mcr races=explore flags="-DMUTEX -DFIXED" verdict=clean
// CHECK: strategy=se-mcr races=explore flags="-DSEMAPHORE" verdict=bugs kinds=data-race
// CHECK: strategy=se-mcr races=explore flags="-DSEMAPHORE -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=se-mcr races=explore flags="-DSEMAPHORE -DFIXED" verdict=clean
// CHECK: strategy=se-mcr races=explore flags="-DFLAG" verdict=bugs kinds=data-race
// CHECK: strategy=se-mcr races=explore flags="-DFLAG -DMIRRORED" verdict=bugs kinds=data-race
// CHECK: strategy=se-mcr races=explore flags="-DFLAG -DFIXED" verdict=clean
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static int x;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spinlock;
static pthread_barrier_t barrier;
static sem_t semaphore;
static int ready;
static atomic_int flag;

#if defined(MUTEX) || defined(SPINLOCK) || defined(RWLOCK) || defined(EXCLUSIVE)

static void enter(int writes) {
#if defined(MUTEX)
  pthread_mutex_lock(&mutex);
#elif defined(SPINLOCK)
  pthread_spin_lock(&spinlock);
#elif defined(RWLOCK)
  writes ? pthread_rwlock_wrlock(&rwlock) : pthread_rwlock_rdlock(&rwlock);
#else
  __VERIFIER_atomic_begin();
#endif
}

static void leave(void) {
#if defined(MUTEX)
  pthread_mutex_unlock(&mutex);
#elif defined(SPINLOCK)
  pthread_spin_unlock(&spinlock);
#elif defined(RWLOCK)
  pthread_rwlock_unlock(&rwlock);
#else
  __VERIFIER_atomic_end();
#endif
}

static void *before(void *unused) {
#ifndef FIXED
  x = 1;
#endif
  enter(1);
#ifdef FIXED
  x = 1;
#endif
  leave();
  return NULL;
}

static void *other(void *unused) { return NULL; }

static void *after(void *unused) {
#ifdef FIXED
  enter(1);
  x = 1;
  leave();
#else
  enter(0);
  leave();
  x = 1;
#endif
  return NULL;
}

#elif defined(SEMAPHORE)  // either of two posts lets it pass

static void *before(void *unused) {
  x = 1;
  sem_post(&semaphore);
  return NULL;
}
static void *other(void *unused) {
#ifndef FIXED
  sem_post(&semaphore);
#endif
  return NULL;
}
static void *after(void *unused) {
  sem_wait(&semaphore);
  x = 1;
  return NULL;
}

#elif defined(CONDITION)  // either of two says that it is time

static void say(void) {
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
}
static void *before(void *unused) {
  x = 1;
  say();
  return NULL;
}
static void *other(void *unused) {
#ifndef FIXED
  say();
#endif
  return NULL;
}
static void *after(void *unused) {
  pthread_mutex_lock(&mutex);
  while (!ready) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  x = 1;
  return NULL;
}

#elif defined(BARRIER)  // of two: who meets whom, when there are four

static void *before(void *unused) {
  x = 1;
  pthread_barrier_wait(&barrier);
  return NULL;
}
static void *other(void *unused) {
#ifndef FIXED
  pthread_barrier_wait(&barrier);
#endif
  return NULL;
}
static void *after(void *unused) {
  pthread_barrier_wait(&barrier);
  x = 1;
  return NULL;
}

#else  // either of two sets the flag

static void *before(void *unused) {
  x = 1;
#if defined(FENCES)
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
#elif defined(SEQUENCE)
  atomic_fetch_or_explicit(&flag, 1, memory_order_release);
#else
  atomic_store_explicit(&flag, 1, memory_order_release);
#endif
  return NULL;
}
static void *other(void *unused) {
#ifndef FIXED
#ifdef SEQUENCE  // continues the release sequence when it comes second
  atomic_fetch_or_explicit(&flag, 1, memory_order_relaxed);
#else
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
#endif
#endif
  return NULL;
}
static void *after(void *unused) {
#ifdef FENCES
  if (!atomic_load_explicit(&flag, memory_order_relaxed)) return NULL;
  atomic_thread_fence(memory_order_acquire);
#else
  if (!atomic_load_explicit(&flag, memory_order_acquire)) return NULL;
#endif
  x = 1;
  return NULL;
}

#endif

int main(void) {
  void *(*all[])(void *) = {before, other, after};
  pthread_t threads[3];
  pthread_spin_init(&spinlock, PTHREAD_PROCESS_PRIVATE);
  pthread_barrier_init(&barrier, NULL, 2);
  sem_init(&semaphore, 0, 0);
#ifdef MIRRORED
  for (int i = 2; i >= 0; --i) pthread_create(&threads[i], NULL, all[i], NULL);
#else
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, all[i], NULL);
#endif
#if defined(BARRIER) && !defined(FIXED)
  pthread_barrier_wait(&barrier);
#endif
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  sem_destroy(&semaphore);
  pthread_barrier_destroy(&barrier);
  pthread_spin_destroy(&spinlock);
  return 0;
}

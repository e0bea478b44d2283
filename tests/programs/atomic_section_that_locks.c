// SPDX-License-Identifier: Apache-2.0
// A section that takes a lock: it comes behind the release of that lock, begins before it and has to wait, or comes before the acquisition.
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race
// CHECK: strategy=dpor verdict=bugs kinds=data-race
// CHECK: strategy=optimal verdict=bugs kinds=data-race
// CHECK: strategy=optimal races=ignore verdict=clean executions=3
// CHECK: strategy=optimal races=explore verdict=bugs kinds=data-race executions=4
// CHECK: strategy=value verdict=bugs kinds=data-race
// CHECK: strategy=value races=explore verdict=bugs kinds=data-race
// CHECK: strategy=rf verdict=bugs kinds=data-race
// CHECK: strategy=optimal flags=-DMIRRORED verdict=bugs kinds=data-race
// CHECK: strategy=value flags=-DMIRRORED verdict=bugs kinds=data-race
// CHECK: strategy=exhaustive flags=-DFIXED verdict=clean
// CHECK: strategy=dpor flags=-DFIXED verdict=clean
// CHECK: strategy=optimal flags=-DFIXED verdict=clean executions=3
// CHECK: strategy=value flags=-DFIXED verdict=clean executions=1
// CHECK: strategy=exhaustive flags=-DSEMAPHORE verdict=bugs kinds=data-race
// CHECK: strategy=optimal flags=-DSEMAPHORE verdict=bugs kinds=data-race
// CHECK: strategy=value flags=-DSEMAPHORE verdict=bugs kinds=data-race
// CHECK: strategy=optimal flags="-DSEMAPHORE -DFIXED" verdict=clean executions=3
// CHECK: strategy=exhaustive flags=-DRWLOCK verdict=bugs kinds=data-race
// CHECK: strategy=optimal flags=-DRWLOCK verdict=bugs kinds=data-race
// CHECK: strategy=value flags=-DRWLOCK verdict=bugs kinds=data-race
// CHECK: strategy=optimal flags="-DRWLOCK -DFIXED" verdict=clean executions=3
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static int x;

#if defined(SEMAPHORE)
static sem_t semaphore;
#define ENTER sem_wait(&semaphore)
#define LEAVE sem_post(&semaphore)
#elif defined(RWLOCK)
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
#define ENTER pthread_rwlock_wrlock(&lock)
#define LEAVE pthread_rwlock_unlock(&lock)
#else
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define ENTER pthread_mutex_lock(&lock)
#define LEAVE pthread_mutex_unlock(&lock)
#endif

static void *one(void *unused) {
#ifndef FIXED
  x = 1;
#endif
  ENTER;
#ifdef FIXED
  x = 1;
#endif
  LEAVE;
  return NULL;
}

static void *two(void *unused) {
  __VERIFIER_atomic_begin();
  ENTER;
#ifdef FIXED
  x = 2;
#endif
  LEAVE;
#ifndef FIXED
  x = 2;
#endif
  __VERIFIER_atomic_end();
  return NULL;
}

int main(void) {
#ifdef SEMAPHORE
  sem_init(&semaphore, 0, 1);
#endif
#ifdef MIRRORED
  void *(*const all[])(void *) = {two, one};
#else
  void *(*const all[])(void *) = {one, two};
#endif
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, all[i], NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
#ifdef SEMAPHORE
  sem_destroy(&semaphore);
#endif
  return 0;
}

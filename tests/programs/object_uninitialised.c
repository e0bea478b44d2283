// SPDX-License-Identifier: Apache-2.0
// Each kind of object used without initialisation, in memory that holds something else.
// CHECK: strategy=exhaustive verdict=bugs kinds=misuse flags=-DMUTEX message="a mutex is used that was never initialised" executions=1
// CHECK: strategy=exhaustive verdict=clean flags="-DMUTEX -DFIXED" executions=1
// CHECK: strategy=exhaustive verdict=bugs kinds=misuse flags=-DCOND message="a condition variable is used that was never initialised" executions=1
// CHECK: strategy=exhaustive verdict=clean flags="-DCOND -DFIXED" executions=1
// CHECK: strategy=exhaustive verdict=bugs kinds=misuse flags=-DRWLOCK message="a readers-writer lock is used that was never initialised" executions=1
// CHECK: strategy=exhaustive verdict=clean flags="-DRWLOCK -DFIXED" executions=1
// CHECK: strategy=exhaustive verdict=bugs kinds=misuse flags=-DSEM message="a semaphore is used that was never initialised" executions=1
// CHECK: strategy=exhaustive verdict=clean flags="-DSEM -DFIXED" executions=1
// CHECK: strategy=exhaustive verdict=bugs kinds=misuse flags=-DBARRIER message="a barrier is used that was never initialised" executions=1
// CHECK: strategy=exhaustive verdict=clean flags="-DBARRIER -DFIXED" executions=1
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

#if defined(MUTEX)
typedef pthread_mutex_t object;
#define INIT(o) pthread_mutex_init(o, NULL)
#define USE(o) (pthread_mutex_lock(o), pthread_mutex_unlock(o))
#define DESTROY(o) pthread_mutex_destroy(o)
#elif defined(COND)
typedef pthread_cond_t object;
#define INIT(o) pthread_cond_init(o, NULL)
#define USE(o) pthread_cond_signal(o)
#define DESTROY(o) pthread_cond_destroy(o)
#elif defined(RWLOCK)
typedef pthread_rwlock_t object;
#define INIT(o) pthread_rwlock_init(o, NULL)
#define USE(o) (pthread_rwlock_rdlock(o), pthread_rwlock_unlock(o))
#define DESTROY(o) pthread_rwlock_destroy(o)
#elif defined(SEM)
typedef sem_t object;
#define INIT(o) sem_init(o, 0, 0)
#define USE(o) (sem_post(o), sem_wait(o))
#define DESTROY(o) sem_destroy(o)
#else
typedef pthread_barrier_t object;
#define INIT(o) pthread_barrier_init(o, NULL, 1)
#define USE(o) pthread_barrier_wait(o)
#define DESTROY(o) pthread_barrier_destroy(o)
#endif

int main(void) {
  object *o = malloc(sizeof *o);
  memset(o, 0x5a, sizeof *o);
#ifdef FIXED
  INIT(o);
#endif
  USE(o);
#ifdef FIXED
  DESTROY(o);
#endif
  free(o);
  return 0;
}

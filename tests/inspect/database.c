// SPDX-License-Identifier: Apache-2.0
// The seed's Fig. 3: operations of one class may run concurrently, those of different classes may not. One mutex guards both counts and is
// held while a thread waits for the other class to leave, which needs that very mutex in order to leave.
// FIXED: a mutex for each class, and a semaphore for the exclusion, since who comes first need not be who goes last
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

#ifndef EACH
#define EACH 1 /* threads of each class */
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int a_count, b_count;
static int a_records, b_records; /* touched by operations of one class, read by the other */

#ifdef FIXED
static pthread_mutex_t b_mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t lock;
#define B_MUTEX b_mutex
#define EXCLUDE(l) sem_wait(l)
#define ADMIT(l) sem_post(l)
#else
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define B_MUTEX mutex
#define EXCLUDE(l) pthread_mutex_lock(l)
#define ADMIT(l) pthread_mutex_unlock(l)
#endif

static void *class_a(void *seen) {
  pthread_mutex_lock(&mutex);
  a_count++;
  if (a_count == 1) EXCLUDE(&lock);  // @a-waits
  pthread_mutex_unlock(&mutex);
  *(int *)seen = b_records;    /* performing class A operation */
  pthread_mutex_lock(&mutex);  // @a-leaves
  a_records++;
  a_count--;
  if (a_count == 0) ADMIT(&lock);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static void *class_b(void *seen) {
  pthread_mutex_lock(&B_MUTEX);
  b_count++;
  if (b_count == 1) EXCLUDE(&lock);  // @b-waits
  pthread_mutex_unlock(&B_MUTEX);
  *(int *)seen = a_records;      /* performing class B operation */
  pthread_mutex_lock(&B_MUTEX);  // @b-leaves
  b_records++;
  b_count--;
  if (b_count == 0) ADMIT(&lock);
  pthread_mutex_unlock(&B_MUTEX);
  return NULL;
}

int main(void) {
  pthread_t a[EACH], b[EACH];
  int seen[2 * EACH];
#ifdef FIXED
  sem_init(&lock, 0, 1);
#endif
  for (int i = 0; i < EACH; i++) pthread_create(&a[i], NULL, class_a, &seen[i]);
  for (int i = 0; i < EACH; i++) pthread_create(&b[i], NULL, class_b, &seen[EACH + i]);
  for (int i = 0; i < EACH; i++) pthread_join(a[i], NULL);
  for (int i = 0; i < EACH; i++) pthread_join(b[i], NULL);
#ifdef FIXED
  sem_destroy(&lock);
#endif
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Mutexes and a condition variable, and a result that depends on the order.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static int order[6], used;

static void *work(void *number) {
  int *mine = malloc(sizeof *mine);
  *mine = (int)(long)number;
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&lock);
    order[used++] = *mine;
    pthread_cond_broadcast(&turned);
    pthread_mutex_unlock(&lock);
  }
  return mine;
}

int main(void) {
  pthread_t threads[3];
  for (long i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, (void *)(i + 1));
  pthread_mutex_lock(&lock);
  while (used < 4) pthread_cond_wait(&turned, &lock);
  pthread_mutex_unlock(&lock);
  int sum = 0;
  for (int i = 0; i < 3; i++) {
    void *result;
    pthread_join(threads[i], &result);
    sum = sum * 10 + *(int *)result;
    free(result);
  }
  return sum != 123;
}

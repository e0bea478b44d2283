// SPDX-License-Identifier: Apache-2.0
// Fig. 1 of Wang, Kundu, Ganai and Gupta: Symbolic Predictive Analysis for Concurrent Programs (FM 2009).
#include <assert.h>
#include <pthread.h>
int x, y;
pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
static void* one(void* p) {
  int a = x;
  pthread_mutex_lock(&l);
  x = 2 + a;
  pthread_mutex_unlock(&l);
  y = 1 + a;
  pthread_mutex_lock(&l);
  x = 1 + a;
  pthread_mutex_unlock(&l);
  return p;
}
static void* two(void* p) {
  int b = 0;
  pthread_mutex_lock(&l);
  if (x > b) assert(y == 1);
  pthread_mutex_unlock(&l);
  return p;
}
int main(void) {
  pthread_t t[2];
  pthread_create(t, 0, one, 0);
  pthread_create(t + 1, 0, two, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
}

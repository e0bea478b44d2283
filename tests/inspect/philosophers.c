// SPDX-License-Identifier: Apache-2.0
// The seed's Fig. 7: two philosophers reach for fork 1, then for fork 2, each fork with a mutex, a condition variable and an owner.
#include <pthread.h>
#include <stddef.h>

struct fork {
  pthread_mutex_t lock;
  pthread_cond_t free;
  int owner;
};

static struct fork forks[2] = {{PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0},
                               {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0}};

static void take(struct fork *f, int id) {
  pthread_mutex_lock(&f->lock);
  while (f->owner != 0) pthread_cond_wait(&f->free, &f->lock);
  f->owner = id;
  pthread_mutex_unlock(&f->lock);
}

static void put_down(struct fork *f) {
  pthread_mutex_lock(&f->lock);
  f->owner = 0;
  pthread_mutex_unlock(&f->lock);
  pthread_cond_signal(&f->free);
}

static void *dine(void *argument) {
  int id = (int)(long)argument;
  take(&forks[0], id);
  take(&forks[1], id);
  put_down(&forks[0]);
  put_down(&forks[1]);
  return NULL;
}

int main(void) {
  pthread_t philosophers[2];
  for (long i = 0; i < 2; i++) pthread_create(&philosophers[i], NULL, dine, (void *)(i + 1));
  for (int i = 0; i < 2; i++) pthread_join(philosophers[i], NULL);
  return 0;
}

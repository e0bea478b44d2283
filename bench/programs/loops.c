// SPDX-License-Identifier: Apache-2.0
// Loop-heavy C in two threads, each on its own data behind pointers: a sieve, a matrix product, a histogram.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { SIEVE = 200000, SIDE = 96 };

struct work {
  int rounds;
  unsigned char *sieve;
  double *a, *b, *c;
  unsigned histogram[256];
  unsigned long result;
};

static void sieve(struct work *w) {
  memset(w->sieve, 1, SIEVE);
  for (unsigned i = 2; i * i < SIEVE; i++)
    if (w->sieve[i])
      for (unsigned j = i * i; j < SIEVE; j += i) w->sieve[j] = 0;
  for (unsigned i = 2; i < SIEVE; i++) w->result += w->sieve[i];
}

static void multiply(struct work *w) {
  for (int i = 0; i < SIDE; i++)
    for (int j = 0; j < SIDE; j++) {
      double sum = 0;
      for (int k = 0; k < SIDE; k++) sum += w->a[i * SIDE + k] * w->b[k * SIDE + j];
      w->c[i * SIDE + j] = sum;
    }
  w->result += (unsigned long)w->c[SIDE * SIDE - 1];
}

static void count(struct work *w) {
  for (unsigned i = 0; i < SIEVE; i++) w->histogram[(i * 2654435761u) >> 24]++;
  w->result += w->histogram[7];
}

static void *work(void *argument) {
  struct work *w = argument;
  for (int i = 0; i < w->rounds; i++) {
    sieve(w);
    multiply(w);
    count(w);
  }
  return NULL;
}

static struct work *make(int rounds) {
  struct work *w = calloc(1, sizeof *w);
  w->rounds = rounds;
  w->sieve = malloc(SIEVE);
  w->a = malloc(SIDE * SIDE * sizeof(double));
  w->b = malloc(SIDE * SIDE * sizeof(double));
  w->c = malloc(SIDE * SIDE * sizeof(double));
  for (int i = 0; i < SIDE * SIDE; i++) w->a[i] = w->b[i] = i % 7;
  return w;
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 1;
  struct work *first = make(rounds), *second = make(rounds);
  pthread_t a, b;
  pthread_create(&a, NULL, work, first);
  pthread_create(&b, NULL, work, second);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return first->result != second->result;
}

// SPDX-License-Identifier: Apache-2.0
// Threads that read, write and move what the program was given: the bytes and the places of its arguments show in every trace.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char **given;
static char *copy;

static void *change(void *with) {
  pthread_mutex_lock(&lock);
  if (given[1]) {
    given[1][0] = (char)(given[1][0] + *(char *)with);
    given[0] = given[1];
    copy = strdup(given[1]);
  }
  pthread_mutex_unlock(&lock);
  return with;
}

int main(int argc, char **argv) {
  given = argv;
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, change, i == 0 || argc < 2 ? "!" : argv[1] + 1);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  int sum = copy ? copy[0] : 0;
  if (argc > 1) argv[1] = NULL;
  return sum % 64;
}

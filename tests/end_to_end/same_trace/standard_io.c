// SPDX-License-Identifier: Apache-2.0
// Buffered output, formatted input, and a lock around both.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char text[256];

static void *work(void *number) {
  char line[64];
  int back = -1;
  snprintf(line, sizeof line, "thread %ld\n", (long)number);
  pthread_mutex_lock(&lock);
  strcat(text, line);
  printf("%s %zu bytes so far\n", line, strlen(text));
  fprintf(stderr, "%.3f\n", 1.0 / (double)((long)number + 1));
  pthread_mutex_unlock(&lock);
  sscanf(line, "thread %d", &back);
  return (void *)(long)back;
}

int main(void) {
  pthread_t threads[3];
  long sum = 0;
  setvbuf(stdout, NULL, _IOFBF, 4096);
  for (long i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, (void *)i);
  for (int i = 0; i < 3; i++) {
    void *result;
    pthread_join(threads[i], &result);
    sum += (long)result;
  }
  puts(text);
  return sum != 3;
}

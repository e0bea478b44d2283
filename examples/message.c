// SPDX-License-Identifier: Apache-2.0
// A mailbox with a condition variable. It works nearly always; when the sender is quicker the signal is lost and the receiver waits
// for ever.
//   treadle check examples/message.c
//   treadle check --cflags -DFIXED examples/message.c
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static const char *letter;

static void *receive(void *unused) {
  pthread_mutex_lock(&lock);
#ifdef FIXED
  while (letter == NULL) pthread_cond_wait(&arrived, &lock);
#else
  pthread_cond_wait(&arrived, &lock);
#endif
  puts(letter);
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void *send(void *unused) {
  pthread_mutex_lock(&lock);
  letter = "hello";
  pthread_cond_signal(&arrived);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, receive, NULL);
  pthread_create(&b, NULL, send, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

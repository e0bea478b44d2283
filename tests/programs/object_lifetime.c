// SPDX-License-Identifier: Apache-2.0
// The ways in which the lifetime of a synchronisation object goes wrong.
// CHECK: strategy=exhaustive verdict=bugs kinds=misuse flags=-DBUG=1 message="used after it was destroyed" executions=1
// CHECK: strategy=exhaustive verdict=bugs kinds=misuse flags=-DBUG=2 message="destroyed while threads use it" executions=1
// CHECK: strategy=exhaustive verdict=bugs kinds=misuse flags=-DBUG=3 message="initialised again while in use" executions=1
// CHECK: strategy=exhaustive verdict=bugs kinds=misuse flags=-DBUG=4 message="not destroyed at exit" executions=1
// CHECK: strategy=exhaustive verdict=clean flags=-DBUG=0 executions=1
#include <pthread.h>
#include <stddef.h>

int main(void) {
  static pthread_mutex_t lock;
  pthread_mutex_init(&lock, NULL);
  pthread_mutex_lock(&lock);
  if (BUG == 2) pthread_mutex_destroy(&lock);
  if (BUG == 3) pthread_mutex_init(&lock, NULL);
  if (BUG != 2 && BUG != 3) pthread_mutex_unlock(&lock);
  if (BUG != 2 && BUG != 4) pthread_mutex_destroy(&lock);
  if (BUG == 1) pthread_mutex_lock(&lock);
  return 0;
}

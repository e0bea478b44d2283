// SPDX-License-Identifier: Apache-2.0
// Message queues and semaphores that the kernel keeps for several processes: waiting for them would block all threads at once.
#include <mqueue.h>
#include <sys/msg.h>
#include <sys/sem.h>

#include <cstdarg>

#include "runtime/real.h"
#include "runtime/scheduler.h"

using namespace treadle;

extern "C" {

mqd_t mq_open(const char* name, int flags, ...) noexcept {
  if (!native()) unsupported("the program uses message queues (mq_open), which are meant for several processes", TREADLE_PC());
  va_list list;
  va_start(list, flags);
  const mode_t mode = va_arg(list, mode_t);
  mq_attr* attributes = va_arg(list, mq_attr*);
  va_end(list);
  return TREADLE_REAL(mq_open)(name, flags, mode, attributes);
}

int msgget(key_t key, int flags) noexcept {
  if (!native()) unsupported("the program uses message queues (msgget), which are meant for several processes", TREADLE_PC());
  return TREADLE_REAL(msgget)(key, flags);
}

int semget(key_t key, int count, int flags) noexcept {
  if (!native()) unsupported("the program uses System V semaphores (semget), which are meant for several processes", TREADLE_PC());
  return TREADLE_REAL(semget)(key, count, flags);
}

}  // extern "C"

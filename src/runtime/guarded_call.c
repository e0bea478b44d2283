/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/guarded_call.h"

struct Afterwards {
  void (*call)(void*, int);
  void* argument;
  int returned;
};

static void run(struct Afterwards* afterwards) { afterwards->call(afterwards->argument, afterwards->returned); }

__attribute__((visibility("hidden"))) void treadle_guarded_call(void (*function)(void), void (*afterwards)(void*, int), void* argument) {
  __attribute__((cleanup(run))) struct Afterwards on_leaving = {afterwards, argument, 0};
  function();
  on_leaving.returned = 1;
}

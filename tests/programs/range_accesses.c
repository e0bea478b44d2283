// SPDX-License-Identifier: Apache-2.0
// memcpy and the string functions read and write ranges: a race in their middle is a race.
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race flags="-DWORK=memcpy(copy,shared,64)" executions=19
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race flags="-DWORK=memset(shared,0,64)" executions=19
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race flags="-DWORK=strcpy(copy,shared)" executions=19
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race flags="-DWORK=strlen(shared)" executions=19
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race flags="-DWORK=memmove(shared+8,shared,32)" executions=19
// CHECK: strategy=exhaustive verdict=clean flags="-DWORK=memcpy(copy,shared+32,32)" executions=19
#include <string.h>

#include "two.h"

static char shared[65] = "0123456789012345678901234567890123456789012345678901234567890123";
__attribute__((unused)) static char copy[128];
static volatile unsigned long sink;

static void *ranger(void *unused) {
  sink = (unsigned long)(WORK);
  return NULL;
}

static void *byte(void *unused) {
  shared[20] = 'x';
  return NULL;
}

int main(void) {
  run_two(ranger, byte);
  return 0;
}

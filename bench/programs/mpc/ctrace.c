// SPDX-License-Identifier: Apache-2.0
// Table 3, in the manner of the tracing library ctrace: it is switched on by the first that needs it and its table of threads grows
// by one for each that says hello, all without a lock. ctrace1: two switch it on, and what one has entered is lost. ctrace2
// (-DSECOND): a message at a level that is an input is written while another thread switches tracing off. -DFIXED: with a lock.
// mpc: : assertion
// mpc: -DSECOND : assertion
// mpc: -DFIXED : nothing
// mpc: -DFIXED -DSECOND : nothing
#include "inputs.h"

enum { room = 4 };

static int is_on, entries, table[room], file_open, level;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void enter(void) {
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
}

static void leave(void) {
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
}

static void hello(int who) {
  enter();
  if (!is_on) {
    entries = 0;
    file_open = 1;
    is_on = 1;
  }
  const int at = entries;
  assert(at < room);
  table[at] = who;
  entries = at + 1;
  assert(table[at] == who);
  leave();
}

static void message(int of_level) {
  enter();
  if (is_on && of_level <= level) assert(file_open);
  leave();
}

static void off(void) {
  enter();
  file_open = 0;
  is_on = 0;
  leave();
}

static void *first(void *unused) {
  (void)unused;
  hello(1);
#ifdef SECOND
  message(treadle_input_range("level of the message", 0, 3));
#endif
  return NULL;
}

static void *second(void *unused) {
  (void)unused;
#ifdef SECOND
  off();
#else
  if (treadle_input_bool("traced")) hello(2);
#endif
  return NULL;
}

int main(void) {
  level = treadle_input_range("level", 0, 3);
  start(0, first);
  start(1, second);
  join_all(2);
  (void)lock;
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Derby, as its bug 2861 has it: two sessions use one table's descriptor. Each compiles its statement: it notes which columns the statement
// refers to, asks twice for that note, and takes it away again. Nothing locks the descriptor, so that the second look may find nothing:
// the session then dereferences null. Before that a session counts pages and hits of the cache, on which nothing depends.
// STATISTICS: so many pages are counted for each statement. STATEMENTS: of each session.
// verdict: -DSTATISTICS=1 sc=data-race,null-dereference tso=data-race,null-dereference pso=data-race,null-dereference
// verdict: -DSTATISTICS=1 -DQUIET sc=data-race tso=data-race pso=data-race
// runs: -DSTATISTICS=1 -DQUIET optimal=1280/1280/1408 rf=342/342/342 value=342/342/342 mcr-s+=342/342/342 se-mcr=342/342/342
#include "shared.h"

#ifndef STATISTICS
#define STATISTICS 2
#endif
#ifndef STATEMENTS
#define STATEMENTS 1
#endif

struct columns {
  int first;
};

static struct columns all_columns[2];
static struct columns *_Atomic referenced;  // by the statement that is being compiled
static shared pages, hits, compiled;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

static struct columns *look(void) { return atomic_load_explicit(&referenced, memory_order_relaxed); }
static void note(struct columns *map) { atomic_store_explicit(&referenced, map, memory_order_relaxed); }

static void *session(void *argument) {
  struct columns *mine = &all_columns[number_of(argument)];
  for (int s = 0; s < STATEMENTS; s++) {
    for (int i = 0; i < STATISTICS; i++) {
      set(pages, get(pages) + 1);
      set(hits, get(hits) + 2);
    }
    note(mine);
    if (look() != NULL) {
      struct columns *map = look();
#ifdef QUIET
      if (map == NULL) map = mine;
#endif
      map->first = 1;
    }
    note(NULL);
    pthread_mutex_lock(&log_lock);
    set(compiled, get(compiled) + 1);
    pthread_mutex_unlock(&log_lock);
  }
  return NULL;
}

int main(void) { return run_both(session, session); }

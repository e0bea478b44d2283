// SPDX-License-Identifier: Apache-2.0
// In the manner of aget, which downloads a file in several parts at once: every thread fetches its part piece by piece and adds to the
// number of bytes that are there. When the user interrupts it, the state is saved, to be resumed later; the thread that saves reads the
// parts and the number without holding the lock throughout.
// What fails: the state that is saved contradicts itself. -DFIXED: under the lock. -DDEADLOCK: it saves under the lock and takes the one of
// the log inside, while the others take them the other way round: nothing moves any more. (The server is an array; nothing is fetched.)
// record: -DDELAY=200 : assertion
// record: -DDELAY=200 -DDEADLOCK : hang
// check: --races explore -DPIECES=1
// check: --races explore -DPIECES=1 -DDEADLOCK
#include "provoke.h"

#ifndef PIECES
#define PIECES 3
#endif

enum { parts = 3, piece = 16, size = parts * PIECES * piece };

static char server[size], file[size];
static struct {
  int begin, end, offset;
} part[parts];
static int written;
static int lines;  // of the log
static pthread_mutex_t written_mutex = PTHREAD_MUTEX_INITIALIZER, log_mutex = PTHREAD_MUTEX_INITIALIZER;

static void fetch(int from, int count) {
  for (int i = 0; i < count; i++) file[from + i] = server[from + i];
}

static void* get_part(void* argument) {
  const int me = number_of(argument);
  while (part[me].offset < part[me].end) {
    fetch(part[me].offset, piece);
#ifdef DEADLOCK
    pthread_mutex_lock(&log_mutex);
    lines++;
    linger(1);
#endif
    pthread_mutex_lock(&written_mutex);
    part[me].offset += piece;
    written += piece;
    pthread_mutex_unlock(&written_mutex);
#ifdef DEADLOCK
    pthread_mutex_unlock(&log_mutex);
#endif
    linger(1);
  }
  return NULL;
}

// What aget does in its thread for signals.
static void save(void) {
#if defined FIXED || defined DEADLOCK
  pthread_mutex_lock(&written_mutex);
#endif
  int there = 0;
  for (int i = 0; i < parts; i++) there += part[i].offset - part[i].begin;
  linger(1);
#ifdef DEADLOCK
  pthread_mutex_lock(&log_mutex);
  lines++;
  pthread_mutex_unlock(&log_mutex);
#endif
  const int saved = written;
#if defined FIXED || defined DEADLOCK
  pthread_mutex_unlock(&written_mutex);
#endif
  printf("%d bytes of %d\n", saved, size);
  assert(there == saved);
}

int main(void) {
  memset(server, 'x', sizeof server);
  for (int i = 0; i < parts; i++) {
    part[i].begin = part[i].offset = i * PIECES * piece;
    part[i].end = part[i].begin + PIECES * piece;
    start(get_part);
  }
  linger(1);
  save();
  join_all();
  return 0;
}

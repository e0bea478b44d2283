// SPDX-License-Identifier: Apache-2.0
// A download accelerator (after the seed's description of aget): each worker fetches one segment of a large file, packet by packet, and
// adds what it got to the statistics; another thread waits for Ctrl-C and saves how far the download is, so that it can be resumed later.
// The statistics are locked where they are counted, not where they are saved.
// FINDS: data-race counted saved "`download.bytes_written`"
// FIXED: takes the lock to save
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

enum { WORKERS = 2, PACKET = 512, PACKETS_EACH = 2, SEGMENT = PACKET * PACKETS_EACH, LENGTH = SEGMENT * WORKERS };

/* ---- the server: a file that can be read from any offset, in packets ---- */

static unsigned char byte_at(long offset) { return (unsigned char)(offset * 31 + offset / 255); }

static long fetch(long offset, long most, unsigned char *into) {
  long size = most < PACKET ? most : PACKET;
  for (long i = 0; i < size; i++) into[i] = byte_at(offset + i);
  return size;
}

/* ---- the download ---- */

struct segment {
  long start, end;
  long offset; /* next byte to fetch; owned by its worker until that is joined */
};

static struct {
  pthread_mutex_t lock;
  long bytes_written;
  unsigned char file[LENGTH];
  struct segment segments[WORKERS];
} download;

/* What a later run needs in order to go on. */
struct resume_log {
  char url[64];
  long length;
  long bytes_written;
};

static void write_packet(const unsigned char *packet, long size, long offset) { memcpy(download.file + offset, packet, (size_t)size); }

static void *download_segment(void *argument) {
  struct segment *segment = argument;
  unsigned char packet[PACKET];
  while (segment->offset < segment->end) {
    long size = fetch(segment->offset, segment->end - segment->offset, packet);
    write_packet(packet, size, segment->offset);
    segment->offset += size;

    pthread_mutex_lock(&download.lock);
    download.bytes_written += size;  // @counted
    pthread_mutex_unlock(&download.lock);
  }
  return NULL;
}

/* ---- Ctrl-C ---- */

static sem_t interrupted;
static struct resume_log saved;

static void save_log(const char *url) {
  snprintf(saved.url, sizeof saved.url, "%s", url);
  saved.length = LENGTH;
#ifdef FIXED
  pthread_mutex_lock(&download.lock);
#endif
  saved.bytes_written = download.bytes_written;  // @saved
#ifdef FIXED
  pthread_mutex_unlock(&download.lock);
#endif
}

static void *wait_for_interrupt(void *url) {
  sem_wait(&interrupted);
  save_log(url);
  return NULL;
}

/* ---- main ---- */

static void start(pthread_t *workers) {
  for (int i = 0; i < WORKERS; i++) {
    download.segments[i] = (struct segment){.start = i * SEGMENT, .end = (i + 1) * SEGMENT, .offset = i * SEGMENT};
    pthread_create(&workers[i], NULL, download_segment, &download.segments[i]);
  }
}

static void check_file(void) {
  assert(download.bytes_written == LENGTH);
  for (long i = 0; i < LENGTH; i++) assert(download.file[i] == byte_at(i));
}

int main(void) {
  pthread_t workers[WORKERS], waiter;
  pthread_mutex_init(&download.lock, NULL);
  sem_init(&interrupted, 0, 0);

  pthread_create(&waiter, NULL, wait_for_interrupt, "ftp://example.org/large.iso");
  start(workers);
  sem_post(&interrupted); /* the user loses patience */

  for (int i = 0; i < WORKERS; i++) pthread_join(workers[i], NULL);
  pthread_join(waiter, NULL);
  check_file();
  assert(saved.length == LENGTH && saved.bytes_written % PACKET == 0);

  sem_destroy(&interrupted);
  pthread_mutex_destroy(&download.lock);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// An audio player (after the seed's description of tplay): one thread prefetches blocks of samples into a ring, the other plays them. The
// player starts when enough is buffered, waits when it runs dry, and stops after the last block. Nothing is wrong with it.
// FINDS nothing, and FIXED changes nothing.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 8, BLOCKS_IN_RING = 2, BLOCKS_IN_FILE = 3, ENOUGH_TO_START = 2 };

typedef signed short sample;

/* ---- the file ---- */

struct sound_file {
  long position, length; /* in samples */
};

static sample sample_at(long position) { return (sample)(position * 257 - 4000); }

static long read_samples(struct sound_file *file, sample *into, long most) {
  long n = file->length - file->position;
  if (n > most) n = most;
  for (long i = 0; i < n; i++) into[i] = sample_at(file->position + i);
  file->position += n;
  return n;
}

/* ---- the ring between the two threads ---- */

struct block {
  long samples;
  sample data[BLOCK];
};

struct ring {
  pthread_mutex_t lock;
  pthread_cond_t filled, drained;
  struct block blocks[BLOCKS_IN_RING];
  int first, used;
  int started; /* the player has begun: from now on one block is enough */
  int at_end;  /* nothing more will come */
};

static void ring_init(struct ring *r) {
  memset(r, 0, sizeof *r);
  pthread_mutex_init(&r->lock, NULL);
  pthread_cond_init(&r->filled, NULL);
  pthread_cond_init(&r->drained, NULL);
}

static void ring_destroy(struct ring *r) {
  pthread_cond_destroy(&r->drained);
  pthread_cond_destroy(&r->filled);
  pthread_mutex_destroy(&r->lock);
}

/* A free block, which nobody else touches until it is handed over: filled without the lock. */
static struct block *ring_reserve(struct ring *r) {
  pthread_mutex_lock(&r->lock);
  while (r->used == BLOCKS_IN_RING) pthread_cond_wait(&r->drained, &r->lock);
  struct block *block = &r->blocks[(r->first + r->used) % BLOCKS_IN_RING];
  pthread_mutex_unlock(&r->lock);
  return block;
}

static void ring_commit(struct ring *r) {
  pthread_mutex_lock(&r->lock);
  r->used++;
  pthread_cond_signal(&r->filled);
  pthread_mutex_unlock(&r->lock);
}

static void ring_finish(struct ring *r) {
  pthread_mutex_lock(&r->lock);
  r->at_end = 1;
  pthread_cond_signal(&r->filled);
  pthread_mutex_unlock(&r->lock);
}

static int may_play(const struct ring *r) { return r->at_end || r->used >= (r->started ? 1 : ENOUGH_TO_START); }

/* The next block to play, or NULL after the last one. */
static struct block *ring_peek(struct ring *r) {
  pthread_mutex_lock(&r->lock);
  while (!may_play(r)) pthread_cond_wait(&r->filled, &r->lock);
  r->started = 1;
  struct block *block = r->used > 0 ? &r->blocks[r->first] : NULL;
  pthread_mutex_unlock(&r->lock);
  return block;
}

static void ring_release(struct ring *r) {
  pthread_mutex_lock(&r->lock);
  r->first = (r->first + 1) % BLOCKS_IN_RING;
  r->used--;
  pthread_cond_signal(&r->drained);
  pthread_mutex_unlock(&r->lock);
}

/* ---- the two threads ---- */

struct session {
  struct ring ring;
  struct sound_file file;
  long played; /* owned by the player until it is joined */
};

static void *prefetch(void *argument) {
  struct session *s = argument;
  for (;;) {
    struct block *block = ring_reserve(&s->ring);
    block->samples = read_samples(&s->file, block->data, BLOCK);
    if (block->samples == 0) break;
    ring_commit(&s->ring);
  }
  ring_finish(&s->ring);
  return NULL;
}

static void to_sound_card(struct session *s, const struct block *block) {
  for (long i = 0; i < block->samples; i++) assert(block->data[i] == sample_at(s->played + i));
  s->played += block->samples;
}

static void *play(void *argument) {
  struct session *s = argument;
  for (const struct block *block; (block = ring_peek(&s->ring)) != NULL;) {
    to_sound_card(s, block);
    ring_release(&s->ring);
  }
  return NULL;
}

int main(void) {
  struct session *s = calloc(1, sizeof *s);
  ring_init(&s->ring);
  s->file.length = BLOCK * BLOCKS_IN_FILE - 3;

  pthread_t prefetcher, player;
  pthread_create(&prefetcher, NULL, prefetch, s);
  pthread_create(&player, NULL, play, s);
  pthread_join(prefetcher, NULL);
  pthread_join(player, NULL);
  assert(s->played == s->file.length);

  ring_destroy(&s->ring);
  free(s);
  return 0;
}

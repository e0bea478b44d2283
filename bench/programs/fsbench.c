// SPDX-License-Identifier: Apache-2.0
// Threads allocate a disk block for an inode (the synchronisation idiom of the Frangipani file system, after Flanagan and Godefroid 2005
// and the seed, Inspect, Table 1). Threads t and t + 13 look for a block in the same place, nobody else meets.
// Classes: 1 for THREADS <= 13, then 2^(THREADS - 13): 16: 8, 18: 32, 20: 128, 22: 512, 24: 2048, 26: 8192.
// classes: -DTHREADS=16 sc=8
// classes: -DTHREADS=22 sc=512
// classes: -DTHREADS=24 sc=2048
// classes: -DTHREADS=26 sc=8192
#include <pthread.h>
#include <stddef.h>

#ifndef THREADS
#define THREADS 16
#endif

enum { BLOCKS = 26, INODES = 32 };

static int inode[INODES];
static int busy[BLOCKS];
static pthread_mutex_t inode_lock[INODES] = {[0 ... INODES - 1] = PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t block_lock[BLOCKS] = {[0 ... BLOCKS - 1] = PTHREAD_MUTEX_INITIALIZER};

static int claim(int block) {
  int free = 0;
  pthread_mutex_lock(&block_lock[block]);
  if (!busy[block]) {
    busy[block] = 1;
    free = 1;
  }
  pthread_mutex_unlock(&block_lock[block]);
  return free;
}

static void *allocate(void *argument) {
  const int i = (int)(long)argument % INODES;
  pthread_mutex_lock(&inode_lock[i]);
  if (inode[i] == 0) {
    int block = i * 2 % BLOCKS;
    while (!claim(block)) block = (block + 1) % BLOCKS;
    inode[i] = block + 1;
  }
  pthread_mutex_unlock(&inode_lock[i]);
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, allocate, (void *)i);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  return 0;
}

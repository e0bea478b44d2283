/* SPDX-License-Identifier: Apache-2.0 */
/* A program that follows a recording (`treadle cc --follow`): each block says that it is entered, and the runtime compares that with what
 * the thread did in the recorded run. The ways of all threads stand in a file that the host makes: TreadleFollowHeader, TreadleFollowThread
 * for each thread, then marks of blocks and recorded values, 64 bits each.
 *
 * A thread that is about to enter another block than the one recorded has left its way: it stands still there, and the others go on. One
 * that has come to the end of what was recorded may finish the path on which its record ends, up to its next call (it was somewhere there
 * when the run ended), and then stands still too. When nobody can go on any more, and that is not what was recorded, the execution ends as
 * OFF_THE_PATH. */
#ifndef TREADLE_ABI_FOLLOW_H
#define TREADLE_ABI_FOLLOW_H

#include <stdint.h>

#define TREADLE_ENV_FOLLOW "TREADLE_FOLLOW"        /* environment: the file */
#define TREADLE_FOLLOW_MAGIC 0x574f4c4c4f464454ull /* "TDFOLLOW" */
#define TREADLE_FOLLOW_VERSION 1u

typedef struct {
  uint64_t magic;
  uint32_t version;
  uint32_t threads;
  uint64_t words; /* marks and values, behind the threads */
} TreadleFollowHeader;

#define TREADLE_FOLLOW_ENDS 1u    /* the thread had ended by itself: nothing comes behind the last block */
#define TREADLE_FOLLOW_IN_CALL 2u /* its record ends with a call, which may or may not have returned */
#define TREADLE_FOLLOW_CUT 4u     /* what it did behind the last block was not recorded: it may do anything */
#define TREADLE_FOLLOW_TELLS 8u   /* leaves a PATH event for each block of its way: address = its mark, ON_THE_PATH */

typedef struct {
  uint64_t thread; /* treadle_thread_hash of its path in the spawn tree */
  uint64_t first_block, blocks;
  uint64_t first_tail, tail; /* what it may enter behind the last one; with IN_CALL, the first of them is where the call returns */
  uint64_t first_value, values;
  uint64_t first_gate,
      gates; /* of three words each, in order: behind block `1st`, no step before thread number `2nd` has entered block `3rd` */
  uint32_t flags;
  uint32_t reserved;
} TreadleFollowThread;

/* In the place of a block: a call has returned, and this node (abi/paths.h) comes behind it. */
#define TREADLE_RETURNS_AT 0x80000000u

/* How far a thread is, in PATH events. */
typedef enum {
  TREADLE_ON_THE_PATH,
  TREADLE_PATH_OVER, /* beyond what was recorded */
  TREADLE_PATH_LEFT,
} TreadlePathState;

/* The name of the `ordinal`-th child of the thread of that name; 0 is main's. */
static inline uint64_t treadle_thread_hash(uint64_t parent, uint16_t ordinal) { return (parent ^ ordinal) * 0x9e3779b97f4a7c15ull | 1; }

#ifdef __cplusplus
static_assert(sizeof(TreadleFollowHeader) == 24 && sizeof(TreadleFollowThread) == 80, "layouts are the fence");
extern "C" {
#endif
/* In front of everything else in a block. `piece`, `function` and `block` as in abi/paths.h. */
void __treadle_block_runs(uint64_t piece, uint32_t function, uint32_t block);
#ifdef __cplusplus
}
#endif
#endif

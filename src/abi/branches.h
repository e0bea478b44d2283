/* SPDX-License-Identifier: Apache-2.0 */
/* The section in which the pass leaves all branches of a symbolic build, one piece per compiled file, each aligned to 8 bytes:
 *
 *   TreadleBranchesHeader, then `count` times TreadleBranchWay, then texts, each with a 0 at its end
 *
 * A way is one direction of a branch: a conditional jump has two, a switch one for each case and one for none of them. Each has a byte in
 * the program, 0 until it is taken in an execution; the first time the program calls __treadle_sym_way with the byte's address. */
#ifndef TREADLE_ABI_BRANCHES_H
#define TREADLE_ABI_BRANCHES_H

#include <stdint.h>

#define TREADLE_BRANCHES_SECTION "treadle_branches"
#define TREADLE_BRANCHES_MAGIC 0x41524254u /* "TBRA" */
#define TREADLE_BRANCHES_VERSION 1u

typedef struct {
  uint32_t magic;
  uint32_t version;
  uint32_t bytes; /* of the whole piece, this header included */
  uint32_t count;
  int64_t distance; /* from this header to the byte of the first way; the others follow */
} TreadleBranchesHeader;

/* Also what a note of a branch says in its `part`: which way was taken. */
typedef enum { TREADLE_WAY_FALSE, TREADLE_WAY_TRUE, TREADLE_WAY_CASE, TREADLE_WAY_DEFAULT, TREADLE_WAYS } TreadleWay;

typedef struct {
  uint32_t line, column;
  uint32_t to_line; /* where it leads, in the same file; 0: not known */
  uint32_t way;     /* TreadleWay */
  uint64_t value;   /* of a case */
  uint32_t ordinal; /* which of the branches that its function has at that place, as a macro may leave several there */
  uint32_t unused;
  uint32_t file, function; /* texts: distance from the header */
} TreadleBranchWay;

/* Environment of the program: a file with a TreadleWaysTaken, which all its executions share. The runtime takes the variable out before the
 * program sees it. */
#define TREADLE_ENV_WAYS "TREADLE_WAYS"
#define TREADLE_AT_WAYS 0x20f000000000ull /* below the arena: see the fixed places in shared_block.h */
#define TREADLE_MAX_WAYS 65536u

typedef struct {
  uint32_t is_used;   /* 1: there is a program that writes here */
  uint32_t some_lost; /* 1: there was no room for all */
  uint32_t unused[2];
  uint64_t taken[TREADLE_MAX_WAYS]; /* a hash set of addresses of bytes; 0: free */
} TreadleWaysTaken;

#ifdef __cplusplus
static_assert(sizeof(TreadleBranchesHeader) == 24 && sizeof(TreadleBranchWay) == 40, "section layout is the fence");
#endif
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What instrumented code knows of the race detector: enough to see for itself, without calling a hook, that the thread has made this very
 * access since it last synchronised. Then there is nothing to check, and the access is all that is left to do.
 *
 * Shadow memory has a cell of two words for each granule of 8 bytes: who wrote it last, who read it last. A word: thread 8 | time 24 |
 * bytes 8 | low bits of pc 24 (runtime/race.h). An access to some bytes of a granule is a repeated one when the word agrees with
 * `whole_granule` in thread and time and has all these bytes. */
#ifndef TREADLE_ABI_SHORT_WAY_H
#define TREADLE_ABI_SHORT_WAY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of the thread that runs now. */
typedef struct {
  uint64_t whole_granule; /* the word of a granule all of whose bytes it accesses now; 0: every access has to call its hook */
  uint8_t touched;        /* set by every plain access; taken back by those who want to know */
} TreadleRunning;

extern TreadleRunning __treadle_running;

#define TREADLE_GRANULE 8u
#define TREADLE_SHADOWED_BITS 44u /* of an address; the rest does not count */
#define TREADLE_CELL_SCALE 2u     /* bytes of shadow for one of memory */
#define TREADLE_CELL_WRITE 0u     /* where in a cell the words are */
#define TREADLE_CELL_READ 8u
#define TREADLE_WORD_BYTES_AT 24u /* the lowest bit of the set of bytes */

#ifdef __cplusplus
static_assert(sizeof(TreadleRunning) == 16 && offsetof(TreadleRunning, touched) == 8);
}
#endif
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Recording of control flow: what the pass, the record runtime and the host agree on.
 *
 * 1. The section in which the pass leaves the paths of every function, one piece per compiled file, aligned to 8 bytes:
 *
 *   TreadlePathsHeader, then numbers (LEB128, shortest form) and texts (length, bytes):
 *   source:    name of the compiled file
 *   functions: how many, then for each:
 *     name, flags (TREADLE_FUNCTION_…), blocks: how many, then the source line of each (0 when it has none)
 *     nodes:   how many, then for each: block, flags (TREADLE_NODE_…), bytes of a path number here (0, 1 or 2), of a counted loop's header:
 *              the number of the way through it,
 *              outs: how many, then for each: kind (TreadleOutKind) and
 *                EDGE, CUT, AGAIN: node
 *                CALL: how (TreadleCallHow), function (number in this piece; 0 when unknown), node after it + 1, landing pad's node + 1
 *
 * A node is a basic block or a part of one: a block is cut behind each call that matters. Node 0 is the entry. A path starts at the entry,
 * behind a call, at a landing pad or at the target of a cut, follows edges, and ends with an out that is no edge. The paths of a start are
 * numbered in the order of outs: decoder and pass count them alike, so the numbers need not be stored. So are the ways through a loop.
 *
 * 2. The stream of a thread: path numbers in the order in which the paths ended. From the numbers alone the decoder knows at each moment
 * what comes next: a path number (of 0, 1 or 2 bytes) or a mark.
 *   1 byte:  number + 1                           (1 … 0xf5)
 *   2 bytes: number + 0x100, high byte first      (first byte 1 … 0xf5)
 *   of a path that starts at the header of a counted or packed loop: what the loop did * paths of that start + number, if that is small
 *            enough; else what the loop did, when it is left, and the number alone
 *   what a loop did: 0xf5 + n, then n bytes, low byte first. Counted: how many iterations. Packed: a 1, then for each iteration the number
 *            of its way through the loop, as digits to the base of how many ways there are. A packed loop that goes on for long leaves
 *            several of these, each full but the last; the last stands in the stream while the loop is still at it.
 *   mark:    0xff, then 56 bits, low byte first: a function was entered, or an exception or longjmp landed;
 *            or TREADLE_VALUE_MARK with a kind, followed by 64 bits: what a call that nobody can foresee returned
 * No record begins with a zero byte: what has not been written yet is told from what has. Marks may stand where any record may.
 *
 * 3. Files of a recording that the program writes while it runs: a status page and one file per thread. They are shared mappings, so that
 * what is written there stays when the process is killed. */
#ifndef TREADLE_ABI_PATHS_H
#define TREADLE_ABI_PATHS_H

#include <stddef.h>
#include <stdint.h>

#define TREADLE_PATHS_SECTION "treadle_paths"
#define TREADLE_PATHS_MAGIC 0x48544150u /* "PATH" */
#define TREADLE_PATHS_VERSION 3u

typedef struct {
  uint32_t magic;
  uint32_t version;
  uint64_t bytes; /* of the whole piece, this header included */
  uint64_t hash;  /* of everything behind the header: treadle_bytes_hash */
} TreadlePathsHeader;

#define TREADLE_FUNCTION_LOCAL 1u /* called directly, from this file only: leaves no mark when it is entered */

#define TREADLE_NODE_BEGINS 1u  /* the block begins here */
#define TREADLE_NODE_COUNTED 2u /* header of a loop with one way that can be taken: iterations are counted */
#define TREADLE_NODE_LANDING 4u /* leaves a mark when it is reached: a landing pad, or behind a call that returns twice */
#define TREADLE_NODE_PACKED 8u  /* header of a loop with few ways through it: a digit for each iteration */
#define TREADLE_NODE_LOOP (TREADLE_NODE_COUNTED | TREADLE_NODE_PACKED)
#define TREADLE_NODE_FLAGS 15u

typedef enum {
  TREADLE_OUT_EDGE,
  TREADLE_OUT_CUT,   /* the path ends, and another starts at the node */
  TREADLE_OUT_AGAIN, /* next iteration of a counted or packed loop */
  TREADLE_OUT_CALL,
  TREADLE_OUT_RETURN,
  TREADLE_OUT_RESUME, /* an exception leaves the function */
  TREADLE_OUT_NEVER,  /* unreachable */
  TREADLE_OUT_KINDS
} TreadleOutKind;

typedef enum {
  TREADLE_CALL_UNKNOWN, /* of a library, of another file, or through a pointer: marks tell what was entered */
  TREADLE_CALL_LOCAL,   /* of a function without a mark */
  TREADLE_CALL_MARKED,  /* of a function of this file that leaves a mark */
  TREADLE_CALL_HOWS
} TreadleCallHow;

#define TREADLE_MARK_BYTE 0xffu
#define TREADLE_MOST_PATHS_1 0xf5u   /* numbers of one byte */
#define TREADLE_MOST_PATHS_2 0xf500u /* numbers of two bytes */
#define TREADLE_LOOP_BYTE 0xf5u      /* + how many bytes follow, 1 to 8 */
#define TREADLE_MOST_WAYS 32u        /* through a packed loop */

/* Builds with --record=pt or --record=both also have a section that is not loaded, of entries in any order: where blocks begin, and where
 * they go on behind a call that ended a path (TREADLE_RETURNS_AT + node in the place of the block, abi/follow.h). */
#define TREADLE_BLOCKS_SECTION "treadle_blocks"
typedef struct {
  uint64_t address; /* in the file */
  uint64_t piece;   /* hash */
  uint32_t function;
  uint32_t block;
} TreadleBlockAddress;

/* FNV-1a. */
static inline uint64_t treadle_bytes_hash(const void* bytes, size_t size) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (size_t i = 0; i < size; ++i) hash = (hash ^ ((const uint8_t*)bytes)[i]) * 0x100000001b3ull;
  return hash;
}

/* The mark of a function's node, as the 8 bytes that are stored: low byte TREADLE_MARK_BYTE. */
static inline uint64_t treadle_mark(uint64_t piece_hash, uint32_t function, uint32_t node) {
  uint64_t mixed = piece_hash ^ (((uint64_t)function << 32 | node) + 1) * 0x9e3779b97f4a7c15ull;
  mixed = (mixed ^ mixed >> 31) * 0xff51afd7ed558ccdull;
  mixed ^= mixed >> 33;
  return mixed << 8 | TREADLE_MARK_BYTE;
}

/* In the byte behind TREADLE_MARK_BYTE: what kind of value follows. */
#define TREADLE_VALUE_MARK 0x54554c4156440000ull
#define TREADLE_VALUE_KIND(mark) ((mark) >> 8 & 0xff)
#define TREADLE_IS_VALUE(mark) (((mark) & ~0xffffull) == TREADLE_VALUE_MARK)
typedef enum {
  TREADLE_VALUE_INPUT = 1, /* treadle_input_…, __VERIFIER_nondet_…, klee_… */
  TREADLE_VALUE_TIME,      /* nanoseconds */
  TREADLE_VALUE_RANDOM,
  TREADLE_VALUE_KINDS
} TreadleValueKind;

/* Where the thread writes next, and from where on it must ask for more (__treadle_paths_more: next, treadle_resume_mark). A record of up to
 * 16 bytes, and what a loop did behind it, fit behind the limit. Thread-local, initial-exec: `__treadle_paths`. */
typedef struct {
  uint8_t* next;
  uint8_t* limit;
} TreadlePathCursor;

/* ---- files ---- */

#define TREADLE_RECORDING_VERSION 4u
#define TREADLE_THREAD_MAGIC 0x4441455248544454ull     /* "TDTHREAD" */
#define TREADLE_STATUS_MAGIC 0x5355544154534454ull     /* "TDSTATUS" */
#define TREADLE_BLOCK_MAGIC 0x4b4c4254u                /* "TBLK" */
#define TREADLE_RECORDING_VARIABLE "TREADLE_RECORDING" /* environment: the folder */
#define TREADLE_PAGE 4096u

typedef enum {
  TREADLE_STREAM_OPEN = 1,  /* the thread runs, or was killed */
  TREADLE_STREAM_ENDED = 2, /* the thread ended by itself and everything is here */
  TREADLE_STREAM_CUT = 3,   /* no room for another block: what follows is missing */
} TreadleStreamState;

/* First page of `thread-N`; blocks follow. */
typedef struct {
  uint64_t magic;
  uint32_t version;
  uint32_t state; /* TreadleStreamState */
  uint32_t number;
  uint32_t parent; /* number of the thread that created it; its own for those that nobody was seen to create */
  uint32_t nth;    /* which of its parent's threads, from 1; 0 for main and those that nobody was seen to create */
  int32_t tid;
  int32_t error; /* errno of why it was cut */
  uint32_t reserved;
} TreadleThreadHeader;

/* Head of a block. While it is open `used` is 0 and it ends with its last byte that is not zero.
 *
 * The first block of the file is a window onto the one that is being written, mapped as long as the thread runs: memory that is always the
 * same is far cheaper than new pages. A full block is copied behind the others, made short when it repeats itself (or, of a recording of the
 * last seconds, over the oldest, as it is), and the window takes the next index. Killed in between, both have the same index: the copy counts if its hash is right, else the window.
 */
typedef struct {
  uint32_t magic;
  uint32_t index;
  uint32_t size;   /* in the file, this head included: TREADLE_BLOCK, or less for one that was made short (abi/repeats.h) */
  uint32_t used;   /* bytes behind the head; of one that was made short, before that */
  uint64_t hash;   /* treadle_block_hash of those */
  uint64_t resume; /* treadle_resume_mark of its first record; 0 when that is a mark itself */
  uint64_t sealed; /* when, in milliseconds of the monotonic clock; only of recordings of the last seconds */
} TreadleBlockHeader;

#define TREADLE_BLOCK (32u << 10)

/* Says what ends with a record, so that a decoder that has not seen what was before can go on behind it: the path number of this out of the
 * node, or the next piece of what the packed loop did whose header it is (out: TREADLE_RESUME_LOOP). */
#define TREADLE_RESUME_LOOP 0xffffffffu
static inline uint64_t treadle_resume_mark(uint64_t piece_hash, uint32_t function, uint32_t node, uint32_t out) {
  return treadle_mark(piece_hash + (out + UINT64_C(1)) * 0xd6e8feb86659fd93ull, function, node);
}

/* Four lanes of eight bytes at a time: a block is sealed while the program waits. */
static inline uint64_t treadle_hash_step(uint64_t lane, uint64_t word) {
  lane = (lane ^ word) * 0x2545f4914f6cdd1dull;
  return lane ^ lane >> 29;
}
static inline uint64_t treadle_block_hash(const void* bytes, size_t size) {
  const uint8_t* from = (const uint8_t*)bytes;
  uint64_t a = size, b = 0x9e3779b97f4a7c15ull, c = 0xc4ceb9fe1a85ec53ull, d = 0xff51afd7ed558ccdull, word[4];
  size_t left = size;
  for (; left >= sizeof word; left -= sizeof word, from += sizeof word) {
    __builtin_memcpy(word, from, sizeof word);
    a = treadle_hash_step(a, word[0]);
    b = treadle_hash_step(b, word[1]);
    c = treadle_hash_step(c, word[2]);
    d = treadle_hash_step(d, word[3]);
  }
  word[0] = word[1] = word[2] = word[3] = 0;
  __builtin_memcpy(word, from, left);
  a = treadle_hash_step(a, word[0]);
  b = treadle_hash_step(b, word[1]);
  c = treadle_hash_step(c, word[2]);
  d = treadle_hash_step(d, word[3]);
  return treadle_hash_step(treadle_hash_step(treadle_hash_step(a, b), c), d);
}

typedef enum {
  TREADLE_RUN_STARTED = 1, /* and nothing more is known: killed from outside, or still running */
  TREADLE_RUN_EXITED,      /* exit() or the end of main; `code` */
  TREADLE_RUN_SIGNAL,      /* `code`: the signal */
  TREADLE_RUN_ASSERTION,   /* `text` */
} TreadleRunEnd;

/* The file `status`. */
typedef struct {
  uint64_t magic;
  uint32_t version;
  int32_t pid;
  uint32_t end; /* TreadleRunEnd */
  int32_t code;
  uint32_t thread;  /* which thread ended it */
  uint32_t threads; /* how many streams there are */
  uint64_t pc, address;
  uint64_t base;          /* where the program is loaded */
  uint64_t registers[23]; /* of a fatal signal, as in ucontext; pc and stack pointer are among them */
  uint32_t cut;           /* streams that were cut or could not be written at all */
  uint32_t unnamed;       /* threads that nobody was seen to create */
  uint32_t last;          /* milliseconds that are wanted; 0: everything */
  uint32_t reserved;
  char text[1024];
} TreadleStatus;

#ifdef __cplusplus
static_assert(sizeof(TreadlePathsHeader) == 24 && sizeof(TreadleBlockAddress) == 24 && sizeof(TreadleThreadHeader) == 40 &&
                  sizeof(TreadleBlockHeader) == 40,
              "layouts are the fence");
static_assert(sizeof(TreadleStatus) <= TREADLE_PAGE, "the status is one page");
#endif
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The section in which the pass leaves what it knows about dependence, one piece per compiled file, each aligned to 4 bytes:
 *
 *   TreadleDependenceHeader, then `functions` times TreadleDependenceFunction, then numbers (LEB128, shortest form) and texts:
 *   texts:      how many, then each as its length and its bytes
 *   sites:      how many, then for each: key, line, kind, text, control, way, data, carried (a set's number + 1, or 0 for
 *               everything)
 *   others:     how many, then for each: kind, name hash (8 bytes, little endian)
 *   sets:       how many, then for each: how many members, then the differences of its ascending members: sites, and behind them others
 *   defined:    how many, then the name hashes of the functions that the file defines for others to see
 *   referenced: how many, then the name hashes of the functions that it only declares
 *
 * A site is the call of a hook or of a function that the file does not define. Its key is the discriminator that the call's rows in the
 * DWARF line table carry: what later passes duplicate, inline or move keeps it, and what they merge loses it. */
#ifndef TREADLE_ABI_DEPENDENCE_H
#define TREADLE_ABI_DEPENDENCE_H

#include <stddef.h>
#include <stdint.h>

#define TREADLE_DEPENDENCE_SECTION "treadle_deps"
#define TREADLE_DEPENDENCE_MAGIC 0x50454454u /* "TDEP" */
#define TREADLE_DEPENDENCE_VERSION 2u

typedef struct {
  uint32_t magic;
  uint32_t version;
  uint32_t bytes;     /* of the whole piece, this header included */
  uint32_t functions; /* with which threads start */
} TreadleDependenceHeader;

typedef struct {
  int32_t distance; /* from this field to the function's first instruction */
  uint32_t site;    /* which stands for the thread's start and its end */
} TreadleDependenceFunction;

/* What libdw can hold. */
#define TREADLE_DEPENDENCE_KEY_BITS 24

typedef enum {
  TREADLE_SITE_OTHER,
  TREADLE_SITE_READ,
  TREADLE_SITE_WRITE,
  TREADLE_SITE_UPDATE, /* reads and writes */
  TREADLE_SITE_CALL,   /* of a library function */
  TREADLE_SITE_THREAD, /* a function as a thread's start and end */
  TREADLE_SITE_KINDS
} TreadleSiteKind;

/* Members of sets that stand for everything, if the rest of the program is like that. */
typedef enum {
  TREADLE_OTHER_ENTERS,   /* another file refers to the function, or defines it too */
  TREADLE_OTHER_REPLACES, /* another file defines the function too, and that one may be called instead */
  TREADLE_OTHER_EXISTS,   /* there is another file at all; no name */
  TREADLE_OTHER_KINDS
} TreadleOther;

/* FNV-1a. */
static inline uint64_t treadle_name_hash(const char* name, size_t size) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (size_t i = 0; i < size; ++i) hash = (hash ^ (uint8_t)name[i]) * 0x100000001b3ull;
  return hash;
}

#ifdef __cplusplus
static_assert(sizeof(TreadleDependenceHeader) == 16 && sizeof(TreadleDependenceFunction) == 8, "section layout is the fence");
#endif
#endif

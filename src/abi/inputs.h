/* SPDX-License-Identifier: Apache-2.0 */
/* What a job gives the program when it asks for inputs: words in the region of inputs, as lists one behind the other, each
 *
 *   TreadleInputList, then `count` values
 *
 * The list of a thread has a value for each time that it asks; that of a name has one, for all who ask for it. */
#ifndef TREADLE_ABI_INPUTS_H
#define TREADLE_ABI_INPUTS_H

#include <stddef.h>
#include <stdint.h>

enum { TREADLE_INPUTS_OF_THREAD, TREADLE_INPUTS_OF_NAME };

typedef struct {
  uint64_t whose; /* treadle_thread_hash (follow.h) of a thread's path, or treadle_input_hash of a name */
  uint32_t kind;
  uint32_t count;
} TreadleInputList;

#define TREADLE_LONGEST_INPUT_NAME 256u /* of longer ones the beginning */

static inline uint64_t treadle_input_hash(const char* name, size_t length) {
  uint64_t hash = 14695981039346656037ull;
  for (size_t i = 0; i < length && i < TREADLE_LONGEST_INPUT_NAME; ++i) hash = (hash ^ (unsigned char)name[i]) * 1099511628211ull;
  return hash;
}

#ifdef __cplusplus
static_assert(sizeof(TreadleInputList) == 16, "two words");
#endif
#endif

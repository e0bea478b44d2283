/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of a stream that repeat themselves, made short: a loop leaves the same few bytes again and again, and what costs most of storing
 * them is the memory that they take. One distance for the whole block, so that it takes a comparison of each word with an earlier one and
 * no tables: two bytes of it, then over and over: how many bytes stand here (two bytes), those, how many are as at the distance (two
 * bytes). All numbers low byte first. */
#ifndef TREADLE_ABI_REPEATS_H
#define TREADLE_ABI_REPEATS_H

#include <stddef.h>
#include <stdint.h>

#define TREADLE_MOST_DISTANCE 256u /* at which repetitions are looked for */
#define TREADLE_LEAST_REPEATED 48u /* bytes: less is not worth its numbers */

static inline uint64_t treadle_word_at(const uint8_t* from) {
  uint64_t word;
  __builtin_memcpy(&word, from, sizeof word);
  return word;
}

/* From `at` on, how many bytes are as `distance` before. */
static inline size_t treadle_repeated(const uint8_t* bytes, size_t at, size_t end, size_t distance) {
  size_t here = at;
  for (; here + 8 <= end; here += 8) {
    const uint64_t differs = treadle_word_at(bytes + here) ^ treadle_word_at(bytes + here - distance);
    if (differs != 0) return here - at + (size_t)__builtin_ctzll(differs) / 8;
  }
  while (here < end && bytes[here] == bytes[here - distance]) ++here;
  return here - at;
}

/* Of three places in the block, the first whose surroundings repeat themselves says at which distance. 0: none. */
static inline size_t treadle_distance(const uint8_t* bytes, size_t size) {
  for (size_t quarter = 1; quarter < 4; ++quarter) {
    const size_t at = size * quarter / 4;
    if (at < TREADLE_MOST_DISTANCE + 8 || at + TREADLE_LEAST_REPEATED > size) continue;
    const uint64_t word = treadle_word_at(bytes + at);
    for (size_t distance = 1; distance <= TREADLE_MOST_DISTANCE; ++distance)
      if (treadle_word_at(bytes + at - distance) == word && treadle_repeated(bytes, at, size, distance) >= TREADLE_LEAST_REPEATED)
        return distance;
  }
  return 0;
}

static inline uint8_t* treadle_put_16(uint8_t* to, size_t value) {
  to[0] = (uint8_t)value;
  to[1] = (uint8_t)(value >> 8);
  return to + 2;
}

/* At most 65535 bytes into at most `room`. Returns how many it took; 0: it does not get that short, `to` is spoilt. */
static inline size_t treadle_shorten(const uint8_t* bytes, size_t size, uint8_t* to, size_t room) {
  const size_t distance = treadle_distance(bytes, size);
  if (distance == 0 || room < 16) return 0;
  uint8_t* const begin = to;
  to = treadle_put_16(to, distance);
  for (size_t at = 0; at < size;) {
    const size_t start = at;
    size_t repeated = 0;
    const size_t most = room - (size_t)(to - begin) < 4 ? 0 : room - (size_t)(to - begin) - 4; /* bytes that may stand here */
    for (; at < size; ++at) {
      if (at - start > most) return 0;
      if (at < distance || at + 8 > size || treadle_word_at(bytes + at) != treadle_word_at(bytes + at - distance)) continue;
      repeated = treadle_repeated(bytes, at, size, distance);
      if (repeated >= TREADLE_LEAST_REPEATED) break;
      at += repeated - 1;
      repeated = 0;
    }
    if (at > size) at = size;
    if (at - start > most) return 0;
    to = treadle_put_16(to, at - start);
    __builtin_memcpy(to, bytes + start, at - start);
    to = treadle_put_16(to + (at - start), repeated);
    at += repeated;
  }
  return (size_t)(to - begin);
}

/* Into exactly `size` bytes. False: this is damaged. */
static inline int treadle_lengthen(const uint8_t* from, size_t bytes, uint8_t* to, size_t size) {
  if (bytes < 2) return 0;
  const size_t distance = from[0] | (size_t)from[1] << 8;
  size_t here = 2, at = 0;
  while (at < size) {
    if (bytes - here < 2) return 0;
    const size_t plain = from[here] | (size_t)from[here + 1] << 8;
    here += 2;
    if (plain > bytes - here || plain > size - at) return 0;
    __builtin_memcpy(to + at, from + here, plain);
    here += plain;
    at += plain;
    if (bytes - here < 2) return 0;
    const size_t repeated = from[here] | (size_t)from[here + 1] << 8;
    here += 2;
    if (repeated > size - at || (repeated > 0 && (distance == 0 || distance > at))) return 0;
    for (size_t i = 0; i < repeated; ++i, ++at) to[at] = to[at - distance];
    if (plain == 0 && repeated == 0) return 0;
  }
  return here == bytes;
}

#endif

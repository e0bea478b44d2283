/* SPDX-License-Identifier: Apache-2.0 */
/* A compressor in the manner of LZ77: hash of three bytes, longest match, literals and copies. */
#include "common.h"
enum { size = 1 << 18, hashes = 1 << 14 };

static size_t match(const uint8_t* a, const uint8_t* b, const uint8_t* end) {
  const uint8_t* start = b;
  while (b < end && *a == *b) ++a, ++b;
  return (size_t)(b - start);
}

static size_t compress(const uint8_t* in, size_t n, uint8_t* out, int32_t* head) {
  uint8_t* to = out;
  memset(head, 0xff, hashes * sizeof *head);
  for (size_t i = 0; i + 4 < n;) {
    uint32_t hash = ((uint32_t)in[i] | (uint32_t)in[i + 1] << 8 | (uint32_t)in[i + 2] << 16) * 2654435761u >> 18;
    int32_t before = head[hash];
    head[hash] = (int32_t)i;
    size_t length = before >= 0 && i - (size_t)before < 65536 ? match(in + before, in + i, in + n) : 0;
    if (length >= 4) {
      size_t distance = i - (size_t)before;
      *to++ = 0xff;
      *to++ = (uint8_t)distance;
      *to++ = (uint8_t)(distance >> 8);
      *to++ = (uint8_t)(length < 255 ? length : 255);
      i += length;
    } else {
      *to++ = in[i++];
    }
  }
  return (size_t)(to - out);
}

static uint64_t work(uint64_t seed, int rounds) {
  uint8_t *in = malloc(size), *out = malloc(2 * size);
  int32_t* head = malloc(hashes * sizeof *head);
  uint64_t sum = 0;
  for (size_t i = 0; i < size; ++i) in[i] = next(&seed) % 5 ? (uint8_t)"the quick brown fox jumps over"[i % 30] : (uint8_t)next(&seed);
  for (int round = 0; round < 60 * rounds; ++round) {
    sum += compress(in, size, out, head);
    in[round] ^= 1;
  }
  free(in), free(out), free(head);
  return sum;
}

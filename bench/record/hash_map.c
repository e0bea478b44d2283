/* SPDX-License-Identifier: Apache-2.0 */
/* Hash map with open addressing: insertions, look-ups, deletions. */
#include "common.h"
enum { slots = 1 << 16 };
struct entry {
  uint64_t key, value;
};

static struct entry* find(struct entry* map, uint64_t key) {
  size_t at = (key * 0x9e3779b97f4a7c15ull) >> 48;
  while (map[at].key != 0 && map[at].key != key) at = (at + 1) % slots;
  return &map[at];
}

static uint64_t work(uint64_t seed, int rounds) {
  struct entry* map = calloc(slots, sizeof *map);
  uint64_t hits = 0, used = 0;
  for (long i = 0; i < 3000000L * rounds; ++i) {
    uint64_t key = next(&seed) % 60000 + 1;
    struct entry* entry = find(map, key);
    if (entry->key == key) {
      ++hits;
      entry->value += i;
      if (entry->value % 7 == 0) entry->value = 1;
    } else if (used < slots * 3 / 4) {
      *entry = (struct entry){key, 1};
      ++used;
    }
  }
  free(map);
  return hits;
}

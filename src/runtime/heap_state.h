// SPDX-License-Identifier: Apache-2.0
// What heap.cpp and leaks.cpp share.
#pragma once

#include "runtime/heap.h"

namespace treadle {

constexpr std::uint8_t kLive = 0x5a, kFreed = 0xa5;                             // Block::state
constexpr std::uint8_t kHeaderStart = 0xf1, kHeader = 0xf2, kFreedMark = 0xfd;  // in the map
constexpr unsigned kClasses = 256;

struct FreeList {
  std::uint32_t first, last;  // place in the slot / 16; 0: none
};

struct FreeLists {
  FreeList own[kClasses];     // freed by the thread that allocated
  FreeList others[kClasses];  // by another one
};

struct ThreadHeap {
  std::uint64_t used;
  std::uint32_t ordinal;
  FreeLists* lists;  // null while nothing is reused
};

struct HeapState {
  std::uint64_t live_bytes;
  std::uint32_t before_main;    // blocks of the main thread that it had allocated by then
  std::uint64_t libc_heap_end;  // what libc handed out before we were there lies below this
  ThreadHeap for_runtime, for_pool;
  ThreadHeap* threads;
};

ThreadHeap& thread_heap(unsigned thread) noexcept;

/// In order of addresses.
template <class Visit>
void for_each_block(unsigned thread, std::uint64_t used, Visit visit) noexcept {
  const std::uint8_t* map = reinterpret_cast<const std::uint8_t*>(heap_map_base(thread));
  for (std::uint64_t i = 0; i < used / 8; i += 2)
    if (map[i] == kHeaderStart) visit(*reinterpret_cast<Block*>(heap_base(thread) + i * 8));
}

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// The program's heap: deterministic, and every byte of it known to be addressable or not.
//
// Each thread allocates from its own slot of address space, one block after another, so that a block's address depends on the history of
// the thread that allocates it and on nothing else. Freed memory is not handed out again until the thread has used 256 KiB (then first its
// own blocks, oldest first; blocks freed by other threads only beyond 256 MiB). Every block is preceded by 16 bytes that describe it, which
// are also the gap in which an overrun is noticed.
//
// A map holds one byte per 8 bytes of heap: how many of them, from the first, may be accessed (0 never allocated … 8 all), or a mark
// above 8.
#pragma once

#include "runtime/world.h"

namespace treadle {

constexpr std::uint64_t kHeapBytes = 256 * TREADLE_HEAP_SLOT;
constexpr std::uint64_t kAtHeapMap = 0x2c0000000000ull;
constexpr unsigned kRuntimeSlot = 255;  // what libc allocates on our behalf: under one carrier it does, under another not
constexpr unsigned kPoolSlot = 254;  // libstdc++'s reserve for exceptions when malloc fails, which it never does here: no reset copies it

/// What a free block knows besides, in the memory that was the program's.
struct FreedBlock {
  std::uint64_t pc : 48;
  std::uint64_t by : 8;
  std::uint32_t next;  // in a list of free blocks: place in the slot / 16
};

/// In front of every block; its first byte is marked in the map, so that the block of any address can be found.
struct Block {
  std::uint64_t pc : 48;  // who allocated it
  std::uint64_t size_class : 8;
  std::uint64_t state : 8;  // kLive, kFreed
  std::uint32_t size;       // as asked for
  std::uint32_t ordinal;    // the thread's how-manieth, from 1
  std::uint64_t address() const noexcept { return reinterpret_cast<std::uint64_t>(this) + sizeof(Block); }
  unsigned thread() const noexcept { return static_cast<unsigned>((address() - TREADLE_AT_HEAP) / TREADLE_HEAP_SLOT); }
  FreedBlock& freed() const noexcept { return *reinterpret_cast<FreedBlock*>(address()); }
};
static_assert(sizeof(Block) == 16 && sizeof(FreedBlock) == 16, "the least a block can hold");

/// The block that an address belongs to or comes after, or null.
const Block* heap_find(std::uint64_t address) noexcept;

/// For resets: memory [base, base + used) is in use, everything beyond is zero; likewise the map.
inline std::uint64_t heap_base(unsigned thread) noexcept { return TREADLE_AT_HEAP + thread * TREADLE_HEAP_SLOT; }
std::uint64_t heap_used(unsigned thread) noexcept;
inline std::uint64_t heap_map_base(unsigned thread) noexcept { return kAtHeapMap + thread * (TREADLE_HEAP_SLOT / 8); }
inline std::uint64_t heap_map_used(unsigned thread) noexcept { return heap_used(thread) / 8; }

inline bool in_heap(std::uint64_t address) noexcept { return address - TREADLE_AT_HEAP < kHeapBytes; }
inline std::uint8_t& heap_map(std::uint64_t address) noexcept {
  return *reinterpret_cast<std::uint8_t*>(kAtHeapMap + ((address - TREADLE_AT_HEAP) >> 3));
}

void heap_check_slowly(std::uint64_t address, std::uint64_t bytes, bool writes, std::uint64_t pc) noexcept;

/// Ends the execution when the access is not within a live block. Addresses outside the heap are none of its business.
inline void heap_check(std::uint64_t address, unsigned size, bool writes, std::uint64_t pc) noexcept {
  if (!in_heap(address)) return;
  const unsigned needed = static_cast<unsigned>(address & 7) + size;
  if (__builtin_expect(needed > 8 || static_cast<std::uint8_t>(heap_map(address) - needed) > 8 - needed, 0))
    heap_check_slowly(address, size, writes, pc);
}

inline void heap_check_range(std::uint64_t address, std::uint64_t bytes, bool writes, std::uint64_t pc) noexcept {
  if (in_heap(address)) heap_check_slowly(address, bytes, writes, pc);
}

// heap.cpp: the allocator behind malloc.cpp. Not for Mode::Native.
void* heap_allocate(std::size_t size, std::size_t alignment, std::uint64_t pc) noexcept;  // null: errno should be ENOMEM
void heap_free(void* block, std::uint64_t pc) noexcept;
void* heap_resize(void* block, std::size_t size, std::uint64_t pc) noexcept;
std::size_t heap_size_of(const void* block) noexcept;
/// A block that libc allocated before the runtime was there.
bool heap_came_from_libc(const void* pointer) noexcept;

}  // namespace treadle

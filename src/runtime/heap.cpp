// SPDX-License-Identifier: Apache-2.0
#include "runtime/heap.h"

#include <sys/mman.h>

#include "runtime/heap_state.h"
#include "runtime/objects.h"
#include "runtime/race.h"
#include "runtime/scheduler.h"
#include "runtime/spin.h"
#include "runtime/start.h"
#include "runtime/store_buffer.h"
#include "runtime/symbolic.h"
#include "runtime/sys.h"

extern "C" char _end;  // of the program's data: libc's own heap begins behind it

namespace treadle {

namespace {

constexpr std::uint64_t kReuseOwn = 1ull << 18;
constexpr std::uint64_t kReuseOthers = 256ull << 20;
constexpr std::uint64_t kMostBytes = TREADLE_HEAP_SLOT - (1ull << 20);

// Exact multiples of 16 up to 1 KiB, then eight classes per doubling.
unsigned class_of(std::uint64_t size) noexcept {
  if (size <= 1024) return size == 0 ? 1 : static_cast<unsigned>((size + 15) / 16);
  const unsigned top = 63 - static_cast<unsigned>(__builtin_clzll(size - 1));  // 10 …
  const std::uint64_t eighth = ((size - 1) >> (top - 3)) & 7;
  return 65 + (top - 10) * 8 + static_cast<unsigned>(eighth);
}

std::uint64_t capacity_of(unsigned size_class) noexcept {
  if (size_class <= 64) return size_class * 16ull;
  const unsigned top = 10 + (size_class - 65) / 8, eighth = (size_class - 65) % 8;
  return (1ull << top) + ((eighth + 1ull) << (top - 3));
}

constexpr std::size_t kExceptionPool = 72704;  // what libstdc++ 12 asks for before main

unsigned my_slot() noexcept {
  if (process().runtime_allocates) return kRuntimeSlot;
  return active() ? world().current->id : 0;
}

unsigned slot_for(std::size_t size, std::uint64_t pc) noexcept {
  if (size == kExceptionPool && !active() && !has_hooks(pc)) return kPoolSlot;
  return my_slot();
}

std::uint32_t place_of(const Block& block) noexcept {
  return static_cast<std::uint32_t>(((reinterpret_cast<std::uint64_t>(&block) - TREADLE_AT_HEAP) % TREADLE_HEAP_SLOT) / 16);
}

/// Null when something that does not go through hooks has written to freed memory: then this list is given up.
Block* free_block_at(unsigned thread, std::uint32_t place) noexcept {
  const std::uint64_t address = heap_base(thread) + static_cast<std::uint64_t>(place) * 16;
  if (place == 0 || address >= heap_base(thread) + thread_heap(thread).used || heap_map(address) != kHeaderStart) return nullptr;
  Block& block = *reinterpret_cast<Block*>(address);
  return block.state == kFreed ? &block : nullptr;
}

void append(FreeList& list, unsigned thread, Block& block) noexcept {
  block.freed().next = 0;
  Block* last = free_block_at(thread, list.last);
  if (last == nullptr)
    list.first = place_of(block);
  else
    last->freed().next = place_of(block);
  list.last = place_of(block);
}

Block* take_first(FreeList& list, unsigned thread) noexcept {
  Block* block = free_block_at(thread, list.first);
  list.first = block == nullptr ? 0 : block->freed().next;
  if (list.first == 0) list.last = 0;
  // The next one has not been touched for long, and will be soon.
  const std::uint64_t next = heap_base(thread) + list.first * 16ull;
  __builtin_prefetch(reinterpret_cast<const void*>(next));
  __builtin_prefetch(&heap_map(next));
  __builtin_prefetch(&cell_of(next + sizeof(Block)), 1);
  return block;
}

void remember_free(ThreadHeap& heap, unsigned thread, Block& block) noexcept {
  FreeList* lists = block.freed().by == thread ? heap.lists->own : heap.lists->others;
  append(lists[block.size_class], thread, block);
}

/// The slot has grown past what need not be reused: from now on, what is free is kept in lists.
void start_reuse(ThreadHeap& heap, unsigned thread) noexcept {
  heap.lists = arena_new<FreeLists>();
  for_each_block(thread, heap.used, [&](Block& block) {
    if (block.state == kFreed) remember_free(heap, thread, block);
  });
}

Block* reuse(ThreadHeap& heap, unsigned thread, unsigned size_class) noexcept {
  if (heap.used < kReuseOwn) return nullptr;
  if (heap.lists == nullptr) start_reuse(heap, thread);
  Block* block = take_first(heap.lists->own[size_class], thread);
  if (block == nullptr && heap.used >= kReuseOthers) block = take_first(heap.lists->others[size_class], thread);
  if (block != nullptr) __builtin_memset(reinterpret_cast<void*>(block->address()), 0, capacity_of(size_class));
  return block;
}

Block* carve(ThreadHeap& heap, unsigned thread, std::uint64_t capacity, std::uint64_t alignment) noexcept {
  const std::uint64_t base = heap_base(thread);
  if (heap.used == 0) heap.used = 16;  // so that no block has place 0
  const std::uint64_t address = (base + heap.used + sizeof(Block) + alignment - 1) & ~(alignment - 1);
  const std::uint64_t end = address + capacity;
  if (end + 64 > base + TREADLE_HEAP_SLOT) return nullptr;
  heap.used = end - base;
  auto* block = reinterpret_cast<Block*>(address - sizeof(Block));
  heap_map(address - sizeof(Block)) = kHeaderStart;
  heap_map(address - 8) = kHeader;
  return block;
}

void mark_addressable(std::uint64_t address, std::uint64_t size, std::uint64_t capacity) noexcept {
  std::uint8_t* map = &heap_map(address);
  __builtin_memset(map, 8, size / 8);
  std::uint64_t done = size / 8;
  if (size % 8 != 0) map[done++] = static_cast<std::uint8_t>(size % 8);
  __builtin_memset(map + done, 0, capacity / 8 - done);
}

[[noreturn]] void out_of_memory(std::uint64_t bytes, std::uint64_t pc) noexcept {
  if (!active()) refuse("the program allocates more memory before main than an execution may have");
  end_execution(TREADLE_END_MEMORY_LIMIT, bytes, 0, 0, pc);
}

void count_bytes(HeapState& heap, std::uint64_t bytes, std::uint64_t pc) noexcept {
  heap.live_bytes += bytes;
  if (!active()) return;
  if (heap.live_bytes > world().result->heap_bytes) world().result->heap_bytes = heap.live_bytes;
  const std::uint64_t most = world().job->max_heap_bytes;
  if (most != 0 && heap.live_bytes > most) out_of_memory(heap.live_bytes, pc);
}

[[noreturn]] void broken(TreadleHeapError what, std::uint64_t address, std::uint64_t pc) noexcept {
  const Block* block = heap_find(address);
  const std::uint64_t of = block != nullptr ? block->address() : 0;
  let_others_go_first(pc);
  end_execution(TREADLE_END_HEAP_BROKEN, what, address, of, pc);
}

/// Null when the address is not that of a block, live or freed.
Block* block_of(std::uint64_t address) noexcept {
  if (!in_heap(address) || address % 16 != 0 || (address - TREADLE_AT_HEAP) % TREADLE_HEAP_SLOT < sizeof(Block)) return nullptr;
  if (heap_map(address - sizeof(Block)) != kHeaderStart) return nullptr;
  return reinterpret_cast<Block*>(address - sizeof(Block));
}

}  // namespace

void heap_start() noexcept {
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
  if (map_fixed(TREADLE_AT_HEAP, kHeapBytes, PROT_READ | PROT_WRITE, flags) != TREADLE_AT_HEAP ||
      map_fixed(kAtHeapMap, kHeapBytes / 8, PROT_READ | PROT_WRITE, flags) != kAtHeapMap)
    refuse("the program's address space has no room for the heap");
  sys(SYS_madvise, kAtHeapMap, kHeapBytes / 8, MADV_DONTDUMP);
  world().heap = arena_new<HeapState>();
  world().heap->threads = arena_new<ThreadHeap>(process().prepared_threads);
  world().heap->libc_heap_end = static_cast<std::uint64_t>(sys(SYS_brk));
}

ThreadHeap& thread_heap(unsigned thread) noexcept {
  HeapState& heap = *world().heap;
  if (thread == kRuntimeSlot) return heap.for_runtime;
  return thread == kPoolSlot ? heap.for_pool : heap.threads[thread];
}

std::uint64_t heap_used(unsigned thread) noexcept { return (thread_heap(thread).used + 15) & ~15ull; }

void* heap_allocate(std::size_t size, std::size_t alignment, std::uint64_t pc) noexcept {
  if (size > static_cast<std::size_t>(PTRDIFF_MAX)) return nullptr;
  if (size > kMostBytes) out_of_memory(size, pc);
  HeapState& state = *world().heap;
  const unsigned thread = slot_for(size, pc);
  ThreadHeap& heap = thread_heap(thread);
  const unsigned size_class = class_of(size);
  const std::uint64_t capacity = capacity_of(size_class);
  count_bytes(state, size, pc);
  Block* block = alignment <= 16 ? reuse(heap, thread, size_class) : nullptr;
  if (block == nullptr) block = carve(heap, thread, capacity, alignment < 16 ? 16 : alignment);
  if (block == nullptr) out_of_memory(state.live_bytes, pc);
  block->pc = pc;
  block->size_class = size_class;
  block->state = kLive;
  block->size = static_cast<std::uint32_t>(size);
  block->ordinal = ++heap.ordinal;
  mark_addressable(block->address(), size, capacity);
  if (!active() && thread == 0) state.before_main = heap.ordinal;
  if (thread < kPoolSlot) {
    spin_wrote();
    record(TREADLE_EV_ALLOC, block->address(), size, 0, pc);
  }
  return reinterpret_cast<void*>(block->address());
}

void heap_free(void* pointer, std::uint64_t pc) noexcept {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  Block* block = block_of(address);
  if (block == nullptr || block->state != kLive) {
    if (!active()) refuse("the program frees a block twice, or something that is no block, before main");
    if (block != nullptr && block->state != kFreed) broken(TREADLE_HEAP_OUT_OF_BOUNDS_WRITE, address - sizeof(Block), pc);  // overwritten
    broken(block != nullptr ? TREADLE_HEAP_DOUBLE_FREE : TREADLE_HEAP_INVALID_FREE, address, pc);
  }
  const unsigned owner = block->thread();
  ThreadHeap& heap = thread_heap(owner);
  if (owner < kPoolSlot && active()) {
    record(TREADLE_EV_FREE, address, block->size, 0, pc);
    forget_own_stores(address, block->size);
    symbolic_forget(address, block->size);
    if (world().check_races) race_free(address, block->size, pc);
    spin_wrote();
  }
  sync_forget_range(address, block->size);
  world().heap->live_bytes -= block->size;
  block->state = kFreed;
  block->freed().pc = pc;
  block->freed().by = my_slot();
  __builtin_memset(&heap_map(address), kFreedMark, (block->size + 7) / 8);
  if (heap.lists != nullptr) remember_free(heap, owner, *block);
}

void* heap_resize(void* pointer, std::size_t size, std::uint64_t pc) noexcept {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  const Block* block = block_of(address);
  if (block == nullptr || block->state != kLive) {
    heap_free(pointer, pc);  // says what is wrong
    return nullptr;
  }
  void* moved = heap_allocate(size, 16, pc);
  if (moved == nullptr) return nullptr;
  const std::size_t kept = size < block->size ? size : block->size;
  copy_as_seen(moved, pointer, kept);
  if (!is_symbolic_build()) {
    symbolic_moved(reinterpret_cast<std::uint64_t>(moved), address, kept);
  } else if (kept > 0) {  // or what moved comes from nowhere; whether anybody looks or not
    record(TREADLE_EV_RANGE_READ, address, 0, kept, pc);
    record(TREADLE_EV_RANGE_WRITE, reinterpret_cast<std::uint64_t>(moved), 0, kept, pc);
    symbolic_copied(moved, pointer, kept, 0, pc);
  }
  heap_free(pointer, pc);
  return moved;
}

bool heap_came_from_libc(const void* pointer) noexcept {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  return address >= reinterpret_cast<std::uint64_t>(&_end) && address < world().heap->libc_heap_end;
}

std::size_t heap_size_of(const void* pointer) noexcept {
  const Block* block = block_of(reinterpret_cast<std::uint64_t>(pointer));
  return block == nullptr ? 0 : block->size;
}

const Block* heap_find(std::uint64_t address) noexcept {
  if (!in_heap(address)) return nullptr;
  const std::uint64_t slot = (address - TREADLE_AT_HEAP) / TREADLE_HEAP_SLOT;
  const std::uint64_t first = heap_map_base(static_cast<unsigned>(slot));
  if (slot < kPoolSlot && slot >= process().prepared_threads) return nullptr;
  std::uint64_t at = reinterpret_cast<std::uint64_t>(&heap_map(address));
  const std::uint64_t end = first + heap_map_used(static_cast<unsigned>(slot));
  if (at >= end) at = end - 1;
  for (; at >= first && at < end; --at)
    if (*reinterpret_cast<const std::uint8_t*>(at) == kHeaderStart)
      return reinterpret_cast<const Block*>(TREADLE_AT_HEAP + (at - kAtHeapMap) * 8);
  return nullptr;
}

void heap_check_slowly(std::uint64_t address, std::uint64_t bytes, bool writes, std::uint64_t pc) noexcept {
  const std::uint64_t end = address + bytes;
  for (std::uint64_t at = address; at < end;) {
    std::uint64_t eight;
    if (at % 64 == 0 && at + 64 <= end && in_heap(at + 63)) {
      __builtin_memcpy(&eight, &heap_map(at), 8);
      if (eight == 0x0808080808080808ull) {
        at += 64;
        continue;
      }
    }
    const std::uint64_t next = (at | 7) + 1 < end ? (at | 7) + 1 : end;
    const unsigned needed = static_cast<unsigned>(next - (at & ~7ull));
    const unsigned known = in_heap(at) ? heap_map(at) : 0;
    if (known < needed || known > 8) {
      const std::uint64_t bad = known < needed && known > (at & 7) ? (at & ~7ull) + known : at;
      const bool freed = known == kFreedMark;
      broken(freed ? (writes ? TREADLE_HEAP_USE_AFTER_FREE_WRITE : TREADLE_HEAP_USE_AFTER_FREE_READ)
                   : (writes ? TREADLE_HEAP_OUT_OF_BOUNDS_WRITE : TREADLE_HEAP_OUT_OF_BOUNDS_READ),
             bad, pc);
    }
    at = next;
  }
}

}  // namespace treadle

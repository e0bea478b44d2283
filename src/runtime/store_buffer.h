// SPDX-License-Identifier: Apache-2.0
// Store buffers: under TSO and PSO a store first goes into the buffer of its thread, and reaches memory by a decision of its own (FLUSH).
//
// TSO   one queue per thread.
// PSO   one queue per thread and location. A location is an address and a size; stores of one thread that overlap stay in order whatever
//       their sizes. A release store waits for all older stores of its thread; a store behind a release fence for all in front of it.
//
// Buffered: relaxed and release atomic stores, and plain stores where plain accesses are scheduling points (--races=explore). A load of any
// order sees the bytes of the own newest stores over those of memory. Every other operation (Awaits::EmptyBuffer, what an operation awaits
// unless it says otherwise) is not enabled until the own buffer is empty, so that each buffered store has exactly one decision that takes
// it to memory. At most kMostBuffered stores of a thread are under way at a time, about what processors hold; the next one waits for room.
//
// Plain stores where plain accesses are no scheduling points (--races=stop, ignore) go to memory at once. In a program without data races
// nobody can tell: whoever reads them does so after a synchronisation of this thread that comes later in program order, and hence (queue,
// or release) reaches memory later than all stores before it. The thread itself can tell when it mixes atomic and plain accesses to one
// location: a plain load looks through the buffer, and a plain store changes the bytes still under way to its location instead of memory.
//
// Whatever touches the program's memory without hooks (memcpy, uninstrumented code) would look past the buffer: see wait_for_own_stores().
// Memory that ends its life while stores to it are under way (a block freed, a frame left) must not be written by them any more, since what
// is put there next may not go through hooks: they lose their bytes, see forget_own_stores().
#pragma once

#include "runtime/policy.h"
#include "runtime/world.h"

namespace treadle {

struct BufferedStore {
  std::uint64_t address, low, high;
  std::uint64_t event, pc;
  Clock* published;      // what the value carries to those who acquire it; belongs to the slot
  std::uint32_t fences;  // release fences of the thread in front of it
  std::uint16_t number;  // of its queue
  std::uint16_t lost;    // a bit per byte that must not reach memory any more
  std::uint8_t size, order;
  bool is_atomic, carries;
};

constexpr unsigned kMostBuffered = 64;

/// PSO: which queue a location has, by open addressing.
struct QueueTable {
  struct Entry {
    std::uint64_t address;
    std::uint16_t size;  // 0: free
    std::uint16_t number;
  };
  Entry* entries;
  std::uint32_t capacity, count;
};

struct StoreBuffer {
  unsigned count;
  std::uint32_t fences;
  QueueTable queues;
  BufferedStore stores[kMostBuffered];  // in program order
};

inline bool stores_under_way(const Thread& thread) noexcept {
  return __builtin_expect(thread.stores != nullptr, 0) && thread.stores->count != 0;
}

inline bool awaits_own_buffer(const Thread& thread) noexcept {
  if (!stores_under_way(thread)) return false;
  const Awaits what = thread.pending.awaits;
  return what == Awaits::EmptyBuffer || (what == Awaits::RoomInBuffer && thread.stores->count == kMostBuffered);
}

/// Does the running thread's next store go into its buffer? Not in __VERIFIER_atomic_*, where nobody could tell.
inline bool buffers_stores() noexcept {
  const World& w = world();
  return __builtin_expect(w.job->model != TREADLE_MODEL_SC, 0) && (w.verifier_atomic == 0 || w.verifier_owner != w.current);
}

/// A store of the running thread that is recorded as `event`.
struct NewStore {
  std::uint64_t address, low, high, event, pc;
  std::uint8_t size, order;
  bool is_atomic;
};
void buffer_store(const NewStore& what) noexcept;
/// A release fence of the running thread.
void fence_stores() noexcept;

/// Replaces those of the bytes at `address` that `thread` has stores under way to. Returns a bit per byte replaced, for the first 64.
std::uint64_t overlay_own_stores(const Thread& thread, std::uint64_t address, void* bytes, std::size_t size) noexcept;
bool has_stores_to(const Thread& thread, std::uint64_t address, std::uint64_t bytes) noexcept;
/// What the running thread sees there, whatever is under way.
void copy_as_seen(void* to, const void* from, std::size_t bytes) noexcept;

/// A plain store that is no scheduling point.
void store_past_buffer(std::uint64_t address, const void* bytes, unsigned size) noexcept;
/// The running thread's stores under way to these bytes do not reach memory.
void forget_own_stores(std::uint64_t address, std::uint64_t bytes) noexcept;
/// Something is about to access memory without hooks: a fence, when there is need for one.
void wait_for_own_stores(std::uint64_t pc) noexcept;

/// FLUSH decisions: those possible for this thread, and taking one.
void add_flushes_of(const Thread& thread, Alternatives& out) noexcept;
void flush_store(Thread& owner, std::uint16_t number) noexcept;

/// For the description of what did not happen any more: each store that could reach memory next.
template <class Visit>
void for_each_flushable(const Thread& thread, Visit visit) noexcept;
bool may_flush(const StoreBuffer& buffer, unsigned position) noexcept;

template <class Visit>
void for_each_flushable(const Thread& thread, Visit visit) noexcept {
  if (!stores_under_way(thread)) return;
  for (unsigned i = 0; i < thread.stores->count; ++i)
    if (may_flush(*thread.stores, i)) visit(thread.stores->stores[i]);
}

template <class T>
inline T read_as_seen(const Thread& self, const volatile void* p, T memory, bool& wholly_buffered) noexcept {
  wholly_buffered = false;
  if (!stores_under_way(self)) return memory;
  const std::uint64_t replaced = overlay_own_stores(self, reinterpret_cast<std::uint64_t>(p), &memory, sizeof memory);
  wholly_buffered = replaced == (1ull << sizeof memory) - 1;
  return memory;
}

}  // namespace treadle

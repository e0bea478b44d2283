// SPDX-License-Identifier: Apache-2.0
// Plain loads and stores. The short way is taken by an access that this thread has already made since it last synchronised: one look at the shadow
// cell, a few nanoseconds, and nothing else can be wrong with it (free() clears cells, so it cannot touch freed memory either). Everything else takes the
// long way: first accesses, odd alignment, recording, plain accesses as scheduling points, no race check.
#include "abi/hooks.h"

#include "runtime/heap.h"
#include "runtime/memory.h"
#include "runtime/race_cell.h"
#include "runtime/scheduler.h"
#include "runtime/spin.h"

namespace treadle {

namespace {

constexpr unsigned kVolatile = 0x80;

std::uint64_t number(const volatile void* p) noexcept { return reinterpret_cast<std::uint64_t>(p); }

/// Not on the short way: a running sum in memory would double its cost, and what repeats itself tells little. `repeated` says that the short way
/// would have been taken, were it not for the modes in force: the hash must not depend on them.
inline void hash_access(Thread& self, std::uint64_t address, std::uint64_t value) noexcept {
  const std::uint64_t x = (self.plain_hash ^ address ^ (value << 32 | value >> 32)) * 0x9e3779b97f4a7c15ull;
  self.plain_hash = x ^ x >> 29;
}

template <class T>
inline bool is_repeated(std::uint64_t address, std::uint64_t epoch, bool writes) noexcept {
  if ((address & (sizeof(T) - 1)) != 0) return false;
  const Cell& cell = cell_of(address);
  return same_epoch(writes ? cell.write : cell.read, epoch, bytes_of(address, sizeof(T)));
}

inline void check_race(std::uint64_t address, unsigned size, Access kind, std::uint64_t pc) noexcept {
  if ((address & 7) + size <= 8)
    cell_access(cell_of(address), bytes_of(address, size), {address, size, kind, pc});
  else
    race_check_range({address, size, kind, pc}, size);
}

template <class T>
__attribute__((noinline)) T load_long_way(const volatile void* p, std::uint64_t pc, unsigned order) noexcept {
  const World& w = world();
  Thread& self = *w.current;
  const std::uint64_t address = number(p);
  if (w.plain_is_visible) step(TREADLE_EV_READ, address, pc);
  heap_check(address, sizeof(T), false, pc);
  const bool repeated = self.fast_epoch == 0 && w.check_races && is_repeated<T>(address, self.epoch, false);
  if (w.check_races && !repeated) check_race(address, sizeof(T), Access::Read, pc);
  const T value = memory_read<T>(p);
  if (!repeated) hash_access(self, address, value);
  self.touched = true;
  if (w.record_plain) record(TREADLE_EV_READ, address, value, 0, pc, sizeof(T), order);
  if (w.plain_is_visible)
    spin_read(const_cast<const void*>(p), sizeof(T));
  else if (spin_logs(self))
    spin_plain_read(const_cast<const void*>(p), sizeof(T));
  return value;
}

template <class T>
__attribute__((noinline)) void store_long_way(volatile void* p, T value, std::uint64_t pc, unsigned order) noexcept {
  const World& w = world();
  Thread& self = *w.current;
  const std::uint64_t address = number(p);
  if (w.plain_is_visible) step(TREADLE_EV_WRITE, address, pc);
  heap_check(address, sizeof(T), true, pc);
  const bool repeated = self.fast_epoch == 0 && w.check_races && is_repeated<T>(address, self.epoch, true);
  if (w.check_races && !repeated) check_race(address, sizeof(T), Access::Write, pc);
  if (w.plain_is_visible) {
    if (memory_read<T>(p) == value)
      spin_read(const_cast<const void*>(p), sizeof(T));
    else
      spin_wrote();
  } else if (spin_logs(self)) {
    if (memory_read<T>(p) == value)
      spin_plain_read(const_cast<const void*>(p), sizeof(T));
    else
      spin_plain_wrote();
  }
  memory_write<T>(p, value);
  if (!repeated) hash_access(self, address, value);
  self.touched = true;
  if (w.record_plain) record(TREADLE_EV_WRITE, address, value, 0, pc, sizeof(T), order);
}

template <class T>
inline T load(const volatile void* p, std::uint64_t pc, unsigned order) noexcept {
  if (!active()) return *static_cast<const volatile T*>(p);
  Thread& self = *world().current;
  if (__builtin_expect(!is_repeated<T>(number(p), self.fast_epoch, false), 0)) return load_long_way<T>(p, pc, order);
  self.touched = true;
  return memory_read<T>(p);
}

template <class T>
inline void store(volatile void* p, T value, std::uint64_t pc, unsigned order) noexcept {
  if (!active()) {
    *static_cast<volatile T*>(p) = value;
    return;
  }
  Thread& self = *world().current;
  if (__builtin_expect(!is_repeated<T>(number(p), self.fast_epoch, true), 0)) return store_long_way<T>(p, value, pc, order);
  self.touched = true;
  memory_write<T>(p, value);
}

void range(const void* p, std::size_t bytes, bool writes, std::uint64_t pc) noexcept {
  if (!active() || bytes == 0) return;
  const World& w = world();
  Thread& self = *w.current;
  const std::uint64_t address = number(p);
  const TreadleEventKind kind = writes ? TREADLE_EV_RANGE_WRITE : TREADLE_EV_RANGE_READ;
  if (w.plain_is_visible) step(kind, address, pc);
  heap_check_range(address, bytes, writes, pc);
  if (w.check_races) race_check_range({address, 0, writes ? Access::Write : Access::Read, pc}, bytes);
  hash_access(self, address, bytes);
  self.touched = true;
  if (w.record_plain) record(kind, address, 0, bytes, pc);
  if (w.plain_is_visible) {
    if (writes)
      spin_wrote();
    else
      spin_read(p, bytes);
  } else if (spin_logs(self)) {
    if (writes)
      spin_plain_wrote();
    else
      spin_plain_read(p, bytes);
  }
}

}  // namespace

}  // namespace treadle

using namespace treadle;

extern "C" {

#define X(n, t)                                                                                                                         \
  t __treadle_load##n(const void* p) noexcept { return load<t>(p, TREADLE_PC(), 0); }                                                   \
  void __treadle_store##n(void* p, t value) noexcept { store<t>(p, value, TREADLE_PC(), 0); }                                           \
  t __treadle_volatile_load##n(const volatile void* p) noexcept { return load<t>(p, TREADLE_PC(), kVolatile); }                         \
  void __treadle_volatile_store##n(volatile void* p, t value) noexcept { store<t>(p, value, TREADLE_PC(), kVolatile); }
TREADLE_WIDTHS(X)
#undef X

void __treadle_range_read(const void* p, size_t bytes) noexcept { range(p, bytes, false, TREADLE_PC()); }
void __treadle_range_write(void* p, size_t bytes) noexcept { range(p, bytes, true, TREADLE_PC()); }

void __treadle_opaque_asm() noexcept {
  if (!active()) return;
  record(TREADLE_EV_OPAQUE_ASM, 0, 0, 0, TREADLE_PC());
  spin_wrote();
}
}

// SPDX-License-Identifier: Apache-2.0
#include "runtime/plain.h"

#include "abi/hooks.h"
#include "runtime/heap.h"
#include "runtime/memory.h"
#include "runtime/race_cell.h"
#include "runtime/scheduler.h"
#include "runtime/spin.h"
#include "runtime/store_buffer.h"
#include "runtime/symbolic.h"

namespace treadle {

namespace {

/// Not on the short way: a running sum in memory would double its cost, and what repeats itself tells little. `repeated` says that the
/// short way would have been taken, were it not for the modes in force: the hash must not depend on them.
inline void hash_access(Thread& self, std::uint64_t address, std::uint64_t value) noexcept {
  const std::uint64_t x = (self.plain_hash ^ address ^ (value << 32 | value >> 32)) * 0x9e3779b97f4a7c15ull;
  self.plain_hash = x ^ x >> 29;
}

inline void check_race(std::uint64_t address, unsigned size, Access kind, std::uint64_t pc) noexcept {
  if ((address & 7) + size <= 8)
    cell_access(cell_of(address), bytes_of(address, size), {address, size, kind, pc});
  else
    race_check_range({address, size, kind, pc}, size);
}

template <Access kKind>
__attribute__((noinline)) void first_access_to_granule(std::uint64_t address, unsigned size, std::uint64_t pc) noexcept {
  heap_check(address, size, kKind == Access::Write, pc);
  race_check_first<kKind>(address, size, pc);
  hash_access(*world().current, address, size);
}

/// As for single accesses: a granule whose bytes were accessed like this since the last synchronisation needs no further look.
template <Access kKind>
inline void check_granules(std::uint64_t whole_granule, std::uint64_t address, std::uint64_t bytes, std::uint64_t pc) noexcept {
  auto look_at = [&](std::uint64_t at, unsigned here) {
    const Cell& cell = cell_of(at);
    if (__builtin_expect(!agrees(kKind == Access::Write ? cell.write : cell.read, whole_granule, bytes_of(at, here)), 0))
      first_access_to_granule<kKind>(at, here, pc);
  };
  const std::uint64_t end = address + bytes;
  if (address % 8 != 0) {
    const std::uint64_t next = (address | 7) + 1 < end ? (address | 7) + 1 : end;
    look_at(address, static_cast<unsigned>(next - address));
    address = next;
  }
  for (; address + 8 <= end; address += 8) look_at(address, 8);
  if (address < end) look_at(address, static_cast<unsigned>(end - address));
}

template <Access kKind>
__attribute__((noinline)) void range_in_special_mode(const void* p, std::size_t bytes, std::uint64_t pc) noexcept {
  constexpr bool writes = kKind == Access::Write;
  constexpr TreadleEventKind kind = writes ? TREADLE_EV_RANGE_WRITE : TREADLE_EV_RANGE_READ;
  const World& w = world();
  const std::uint64_t address = number(p);
  if (w.plain_is_visible) {
    Pending what;
    what.kind = kind;
    what.address = address;
    what.extra = bytes;
    what.pc = pc;
    step(what);
  } else if (has_stores_to(*w.current, address, bytes)) {  // the access itself is made without a hook
    writes ? forget_own_stores(address, bytes) : wait_for_own_stores(pc);
  }
  if (w.check_races) {
    check_granules<kKind>(whole_granule_at(w.current->epoch), address, bytes, pc);
  } else {
    heap_check_range(address, bytes, writes, pc);
    hash_access(*w.current, address, bytes);
  }
  if (w.record_plain) record(kind, address, 0, bytes, pc);
  if (w.plain_is_visible)
    writes ? spin_wrote() : spin_read(p, bytes);
  else if (spin_logs(*w.current))
    writes ? spin_plain_wrote() : spin_plain_read(p, bytes);
}

}  // namespace

template <Access kKind>
void range_long_way(const void* p, std::size_t bytes, std::uint64_t pc) noexcept {
  if (!active() || bytes == 0) return;
  g_running.touched = 1;
  if (g_running.whole_granule == 0) return range_in_special_mode<kKind>(p, bytes, pc);
  check_granules<kKind>(g_running.whole_granule, number(p), bytes, pc);
}
template void range_long_way<Access::Read>(const void*, std::size_t, std::uint64_t) noexcept;
template void range_long_way<Access::Write>(const void*, std::size_t, std::uint64_t) noexcept;

template <class T>
static void announce(TreadleEventKind kind, std::uint64_t address, Awaits awaits, std::uint64_t pc) noexcept {
  Pending what;
  what.kind = kind;
  what.address = address;
  what.size = sizeof(T);
  what.awaits = awaits;
  what.pc = pc;
  step(what);
}

template <class T>
TREADLE_TOUCHES T load_long_way(const volatile void* p, std::uint64_t pc, unsigned order) noexcept {
  const World& w = world();
  Thread& self = *w.current;
  const std::uint64_t address = number(p);
  if (w.plain_is_visible) announce<T>(TREADLE_EV_READ, address, Awaits::Nothing, pc);
  heap_check(address, sizeof(T), false, pc);
  const bool repeated = w.check_races && is_repeated<T>(address, whole_granule_at(self.epoch), false);
  if (w.check_races && !repeated) check_race(address, sizeof(T), Access::Read, pc);
  bool own;
  const T value = read_as_seen(self, p, memory_read<T>(p), own);
  if (!repeated) hash_access(self, address, value);
  g_running.touched = 1;
  if (w.record_plain) record(TREADLE_EV_READ, address, value, 0, pc, sizeof(T), order | (own ? TREADLE_ORDER_BUFFERED : 0));
  if (w.plain_is_visible)
    spin_read(const_cast<const void*>(p), sizeof(T));
  else if (spin_logs(self))
    spin_plain_read(const_cast<const void*>(p), sizeof(T));
  return value;
}

template <class T>
TREADLE_TOUCHES void store_long_way(volatile void* p, T value, std::uint64_t pc, unsigned order) noexcept {
  const World& w = world();
  Thread& self = *w.current;
  const std::uint64_t address = number(p);
  const bool buffered = w.plain_is_visible && buffers_stores();
  if (w.plain_is_visible) announce<T>(TREADLE_EV_WRITE, address, buffered ? Awaits::RoomInBuffer : Awaits::EmptyBuffer, pc);
  heap_check(address, sizeof(T), true, pc);
  const bool repeated = w.check_races && is_repeated<T>(address, whole_granule_at(self.epoch), true);
  if (w.check_races && !repeated) check_race(address, sizeof(T), Access::Write, pc);
  const T before = memory_read<T>(p);
  if (buffered) {
    spin_wrote();
  } else if (w.plain_is_visible) {
    if (before == value)
      spin_read(const_cast<const void*>(p), sizeof(T));
    else
      spin_wrote();
  } else if (spin_logs(self)) {
    if (before == value && !stores_under_way(self))
      spin_plain_read(const_cast<const void*>(p), sizeof(T));
    else
      spin_plain_wrote();
  }
  if (!repeated) hash_access(self, address, value);
  g_running.touched = 1;
  if (buffered) {
    const std::uint64_t event = record(TREADLE_EV_WRITE, address, value, before, pc, sizeof(T), order | TREADLE_ORDER_BUFFERED);
    return buffer_store({address, value, 0, event, pc, sizeof(T), static_cast<std::uint8_t>(order), false});
  }
  if (stores_under_way(self))
    store_past_buffer(address, &value, sizeof(T));
  else
    memory_write<T>(p, value);
  if (w.record_plain) record(TREADLE_EV_WRITE, address, value, w.plain_is_visible || w.record_symbolic ? before : 0, pc, sizeof(T), order);
}

template <class T>
TREADLE_TOUCHES T first_load(const volatile void* p, std::uint64_t pc) noexcept {
  const std::uint64_t address = number(p);
  heap_check(address, sizeof(T), false, pc);
  race_check_first<Access::Read>(address, sizeof(T), pc);
  const T value = memory_read<T>(p);
  hash_access(*world().current, address, value);
  g_running.touched = 1;
  return value;
}

template <class T>
TREADLE_TOUCHES void first_store(volatile void* p, T value, std::uint64_t pc) noexcept {
  const std::uint64_t address = number(p);
  heap_check(address, sizeof(T), true, pc);
  race_check_first<Access::Write>(address, sizeof(T), pc);
  hash_access(*world().current, address, value);
  g_running.touched = 1;
  memory_write<T>(p, value);
}

#define X(n, t)                                                                        \
  template t first_load<t>(const volatile void*, std::uint64_t) noexcept;              \
  template void first_store<t>(volatile void*, t, std::uint64_t) noexcept;             \
  template t load_long_way<t>(const volatile void*, std::uint64_t, unsigned) noexcept; \
  template void store_long_way<t>(volatile void*, t, std::uint64_t, unsigned) noexcept;
TREADLE_WIDTHS(X)
#undef X

}  // namespace treadle

using namespace treadle;

extern "C" {

void __treadle_call(const void* code) noexcept {
  if (active() && stores_under_way(*world().current) && !has_hooks(number(code))) wait_for_own_stores(TREADLE_PC());
}

void __treadle_forget(void* p, size_t bytes) noexcept {
  if (!active()) return;
  forget_own_stores(number(p), bytes);
  symbolic_forget(number(p), bytes);
}

void __treadle_opaque_asm() noexcept {
  if (!active()) return;
  wait_for_own_stores(TREADLE_PC());
  record(TREADLE_EV_OPAQUE_ASM, 0, 0, 0, TREADLE_PC());
  spin_wrote();
}
}

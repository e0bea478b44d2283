// SPDX-License-Identifier: Apache-2.0
// Plain loads and stores, and ranges of them. The short way is taken by an access that this thread has already made since it last
// synchronised: one look at the shadow cell, a few nanoseconds, and nothing else can be wrong with it (free() clears cells, so it cannot
// touch freed memory either). Everything else takes the long way (plain.cpp): first accesses, odd alignment, recording, plain accesses as
// scheduling points, no race check.
//
// Compiled without frame pointers, which cost 8 % here. That is all right because nothing is called from here but by tail calls.
#include "abi/hooks.h"

#include "runtime/memory.h"
#include "runtime/plain.h"

namespace treadle {

namespace {

constexpr unsigned kVolatile = 0x80;

/// No execution is under way, or every access has to take the long way.
template <class T>
__attribute__((noinline)) T load_without_short_way(const volatile void* p, std::uint64_t pc, unsigned order) noexcept {
  if (!active()) return *static_cast<const volatile T*>(p);
  return load_long_way<T>(p, pc, order);
}

template <class T>
__attribute__((noinline)) void store_without_short_way(volatile void* p, T value, std::uint64_t pc, unsigned order) noexcept {
  if (active()) return store_long_way<T>(p, value, pc, order);
  *static_cast<volatile T*>(p) = value;
}

template <class T>
inline T load(const volatile void* p, std::uint64_t pc, unsigned order) noexcept {
  const std::uint64_t whole_granule = g_running.whole_granule;
  if (__builtin_expect(whole_granule == 0, 0)) return load_without_short_way<T>(p, pc, order);
  if (__builtin_expect(!is_repeated<T>(number(p), whole_granule, false), 0)) return first_load<T>(p, pc);
  g_running.touched = 1;
  return memory_read<T>(p);
}

template <class T>
inline void store(volatile void* p, T value, std::uint64_t pc, unsigned order) noexcept {
  const std::uint64_t whole_granule = g_running.whole_granule;
  if (__builtin_expect(whole_granule == 0, 0)) return store_without_short_way<T>(p, value, pc, order);
  if (__builtin_expect(!is_repeated<T>(number(p), whole_granule, true), 0)) return first_store<T>(p, value, pc);
  g_running.touched = 1;
  memory_write<T>(p, value);
}

template <Access kKind>
inline bool is_repeated_range(std::uint64_t address, std::uint64_t bytes, std::uint64_t whole_granule) noexcept {
  auto agrees_at = [&](std::uint64_t at, std::uint64_t these) {
    const Cell& cell = cell_of(at);
    return agrees(kKind == Access::Write ? cell.write : cell.read, whole_granule, these);
  };
  const std::uint64_t last = address + bytes - 1;
  const std::uint64_t head = 0xffull << (address & 7) & 0xff, tail = 0xffull >> (7 - (last & 7));
  if ((address ^ last) < 8) return agrees_at(address, head & tail);
  if (!agrees_at(address, head)) return false;
  for (address = (address | 7) + 1; address + 8 <= last; address += 8)
    if (!agrees_at(address, 0xff)) return false;
  return agrees_at(last, tail);
}

template <Access kKind>
inline void range(const void* p, std::size_t bytes, std::uint64_t pc) noexcept {
  const std::uint64_t whole_granule = g_running.whole_granule;
  if (__builtin_expect(whole_granule == 0 || bytes == 0 || !is_repeated_range<kKind>(number(p), bytes, whole_granule), 0))
    return range_long_way<kKind>(p, bytes, pc);
  g_running.touched = 1;
}

}  // namespace

}  // namespace treadle

using namespace treadle;

extern "C" {

#define X(n, t)                                                                                                                 \
  TREADLE_TOUCHES t __treadle_load##n(const void* p) noexcept { return load<t>(p, TREADLE_PC(), 0); }                           \
  TREADLE_TOUCHES void __treadle_store##n(void* p, t value) noexcept { store<t>(p, value, TREADLE_PC(), 0); }                   \
  TREADLE_TOUCHES t __treadle_volatile_load##n(const volatile void* p) noexcept { return load<t>(p, TREADLE_PC(), kVolatile); } \
  TREADLE_TOUCHES void __treadle_volatile_store##n(volatile void* p, t value) noexcept { store<t>(p, value, TREADLE_PC(), kVolatile); }
TREADLE_WIDTHS(X)
#undef X

void __treadle_range_read(const void* p, size_t bytes) noexcept { range<Access::Read>(p, bytes, TREADLE_PC()); }
void __treadle_range_write(void* p, size_t bytes) noexcept { range<Access::Write>(p, bytes, TREADLE_PC()); }
}

// SPDX-License-Identifier: Apache-2.0
// Plain loads and stores. The short way is taken by an access that this thread has already made since it last synchronised: one look at the
// shadow cell, a few nanoseconds, and nothing else can be wrong with it (free() clears cells, so it cannot touch freed memory either).
// Everything else takes the long way (plain.cpp): first accesses, odd alignment, recording, plain accesses as scheduling points, no race
// check.
//
// Compiled without frame pointers, which cost 8 % here. That is all right because nothing is called from here but by tail calls.
#include "abi/hooks.h"

#include "runtime/memory.h"
#include "runtime/plain.h"

namespace treadle {

namespace {

constexpr unsigned kVolatile = 0x80;

/// No epoch to compare with: no execution is under way, or every access has to take the long way.
template <class T>
__attribute__((noinline)) T load_without_epoch(const volatile void* p, std::uint64_t pc, unsigned order) noexcept {
  if (!active()) return *static_cast<const volatile T*>(p);
  return load_long_way<T>(p, pc, order);
}

template <class T>
__attribute__((noinline)) void store_without_epoch(volatile void* p, T value, std::uint64_t pc, unsigned order) noexcept {
  if (active()) return store_long_way<T>(p, value, pc, order);
  *static_cast<volatile T*>(p) = value;
}

template <class T>
inline T load(const volatile void* p, std::uint64_t pc, unsigned order) noexcept {
  const std::uint64_t epoch = g_running.fast_epoch;
  if (__builtin_expect(epoch == 0, 0)) return load_without_epoch<T>(p, pc, order);
  if (__builtin_expect(!is_repeated<T>(number(p), epoch, false), 0)) return load_long_way<T>(p, pc, order);
  g_running.touched = true;
  return memory_read<T>(p);
}

template <class T>
inline void store(volatile void* p, T value, std::uint64_t pc, unsigned order) noexcept {
  const std::uint64_t epoch = g_running.fast_epoch;
  if (__builtin_expect(epoch == 0, 0)) return store_without_epoch<T>(p, value, pc, order);
  if (__builtin_expect(!is_repeated<T>(number(p), epoch, true), 0)) return store_long_way<T>(p, value, pc, order);
  g_running.touched = true;
  memory_write<T>(p, value);
}

}  // namespace

}  // namespace treadle

using namespace treadle;

extern "C" {

#define X(n, t)                                                                                                 \
  t __treadle_load##n(const void* p) noexcept { return load<t>(p, TREADLE_PC(), 0); }                           \
  void __treadle_store##n(void* p, t value) noexcept { store<t>(p, value, TREADLE_PC(), 0); }                   \
  t __treadle_volatile_load##n(const volatile void* p) noexcept { return load<t>(p, TREADLE_PC(), kVolatile); } \
  void __treadle_volatile_store##n(volatile void* p, t value) noexcept { store<t>(p, value, TREADLE_PC(), kVolatile); }
TREADLE_WIDTHS(X)
#undef X
}

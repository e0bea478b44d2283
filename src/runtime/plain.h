// SPDX-License-Identifier: Apache-2.0
// The long way of a plain access, see hooks.cpp.
#pragma once

#include "runtime/race.h"

namespace treadle {

inline std::uint64_t number(const volatile void* p) noexcept { return reinterpret_cast<std::uint64_t>(p); }

/// Has the thread made this very access at this time of its already?
template <class T>
inline bool is_repeated(std::uint64_t address, std::uint64_t whole_granule, bool writes) noexcept {
  if ((address & (sizeof(T) - 1)) != 0) return false;
  const Cell& cell = cell_of(address);
  return agrees(writes ? cell.write : cell.read, whole_granule, bytes_of(address, sizeof(T)));
}

/// An access that is not a repeated one, when nothing but the race and heap checks is wanted.
template <class T>
T first_load(const volatile void* p, std::uint64_t pc) noexcept;
template <class T>
void first_store(volatile void* p, T value, std::uint64_t pc) noexcept;

/// In every mode but that.
template <class T>
T load_long_way(const volatile void* p, std::uint64_t pc, unsigned order) noexcept;
template <class T>
void store_long_way(volatile void* p, T value, std::uint64_t pc, unsigned order) noexcept;

/// In every mode.
template <Access kKind>
void range_long_way(const void* p, std::size_t bytes, std::uint64_t pc) noexcept;

}  // namespace treadle

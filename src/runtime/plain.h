// SPDX-License-Identifier: Apache-2.0
// The long way of a plain access, see hooks.cpp.
#pragma once

#include "runtime/race.h"

namespace treadle {

inline std::uint64_t number(const volatile void* p) noexcept { return reinterpret_cast<std::uint64_t>(p); }

/// Has the thread made this very access at this time of its already?
template <class T>
inline bool is_repeated(std::uint64_t address, std::uint64_t epoch, bool writes) noexcept {
  if ((address & (sizeof(T) - 1)) != 0) return false;
  const Cell& cell = cell_of(address);
  return same_epoch(writes ? cell.write : cell.read, epoch, bytes_of(address, sizeof(T)));
}

template <class T>
T load_long_way(const volatile void* p, std::uint64_t pc, unsigned order) noexcept;
template <class T>
void store_long_way(volatile void* p, T value, std::uint64_t pc, unsigned order) noexcept;

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// The one place through which every value passes between the program and memory: see store_buffer.h for what
// may stand between.
#pragma once

#include <cstdint>

namespace treadle {

template <class T>
inline T memory_read(const volatile void* p) noexcept {
  T value;
  __builtin_memcpy(&value, const_cast<const void*>(p), sizeof value);
  return value;
}

template <class T>
inline void memory_write(volatile void* p, T value) noexcept {
  __builtin_memcpy(const_cast<void*>(p), &value, sizeof value);
}

}  // namespace treadle

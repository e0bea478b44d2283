// SPDX-License-Identifier: Apache-2.0
// The one place through which every value passes between the program and memory: see store_buffer.h for what
// may stand between.
#pragma once

#include <cstdint>

/// A function that touches memory at an address of the program's. A crash in there is the program's, and leaves nothing half done: the
/// access is announced, and nothing is told of it yet (crash.cpp).
#define TREADLE_TOUCHES __attribute__((section("treadle_touches")))

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

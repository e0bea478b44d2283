// SPDX-License-Identifier: Apache-2.0
// How far the string functions look. The instrumented caller of strcpy asks here and announces the bytes itself, so that the events
// carry its own place in the program.
#include <cstring>

#include "abi/hooks.h"
#include "runtime/store_buffer.h"

extern "C" {

size_t __treadle_string_length(const char* string, size_t at_most) noexcept {
  treadle::wait_for_own_stores(TREADLE_PC());
  return ::strnlen(string, at_most);
}

size_t __treadle_compared_bytes(const char* left, const char* right, size_t at_most) noexcept {
  treadle::wait_for_own_stores(TREADLE_PC());
  size_t same = 0;
  while (same < at_most && left[same] == right[same] && left[same] != '\0') ++same;
  return same < at_most ? same + 1 : at_most;
}

size_t __treadle_found_bytes(const void* memory, int byte, size_t at_most) noexcept {
  treadle::wait_for_own_stores(TREADLE_PC());
  const void* found = std::memchr(memory, byte, at_most);
  return found == nullptr ? at_most : static_cast<size_t>(static_cast<const char*>(found) - static_cast<const char*>(memory)) + 1;
}
}

// SPDX-License-Identifier: Apache-2.0
// Numbers that must not be mixed up are types.
#pragma once

#include <compare>
#include <cstdint>

namespace treadle {

enum class ThreadId : std::uint8_t {};
constexpr unsigned index_of(ThreadId id) { return static_cast<unsigned>(id); }

/// An address in the program under test, never to be followed here.
struct Address {
  std::uint64_t in_subject = 0;
  auto operator<=>(const Address&) const = default;
};

}  // namespace treadle

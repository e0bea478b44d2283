// SPDX-License-Identifier: Apache-2.0
// The few things about an x86-64 instruction that a PT packet depends on.
#pragma once

#include <cstdint>
#include <span>

namespace treadle {

enum class InstructionKind : std::uint8_t {
  Other,        // goes on behind it, or to where it says itself: no packet
  Conditional,  // taken or not
  Indirect,     // jump, call or return: where to is not in the code
  SystemCall,
};

struct InstructionInfo {
  InstructionKind kind = InstructionKind::Other;
  unsigned size = 0;  // of conditional branches only
};

constexpr InstructionInfo kind_of(std::span<const std::uint8_t> bytes) {
  std::size_t at = 0;
  const auto byte = [&](std::size_t i) -> unsigned { return i < bytes.size() ? bytes[i] : 0x90u; };
  for (;; ++at) {  // prefixes: segment (also branch hints), operand and address size, lock, repeat, REX
    const unsigned prefix = byte(at);
    const bool is_prefix = prefix == 0x26 || prefix == 0x2e || prefix == 0x36 || prefix == 0x3e || (prefix >= 0x64 && prefix <= 0x67) ||
                           prefix == 0xf0 || prefix == 0xf2 || prefix == 0xf3 || (prefix & 0xf0) == 0x40;
    if (!is_prefix || at >= 14) break;
  }
  const unsigned first = byte(at), second = byte(at + 1);
  const auto with = [&](InstructionKind kind, std::size_t size) { return InstructionInfo{kind, static_cast<unsigned>(at + size)}; };
  if ((first & 0xf0) == 0x70 || (first >= 0xe0 && first <= 0xe3)) return with(InstructionKind::Conditional, 2);
  if (first == 0x0f && (second & 0xf0) == 0x80) return with(InstructionKind::Conditional, 6);
  if (first == 0x0f && second == 0x05) return with(InstructionKind::SystemCall, 2);
  if (first == 0xc3 || first == 0xc2) return with(InstructionKind::Indirect, 0);
  const unsigned way = second >> 3 & 7;
  if (first == 0xff && (way == 2 || way == 4)) return with(InstructionKind::Indirect, 0);
  return {};
}

}  // namespace treadle

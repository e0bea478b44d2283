// SPDX-License-Identifier: Apache-2.0
// What expression each byte of memory holds: its number, which byte of it, and the value stored with it. Memory that is written without
// hooks has another value then, and so no expression (see ExpressionMemory::load). Blocks of 256 bytes, made when something symbolic
// is stored into one; entries carry a generation, so that nothing is cleared between executions but the blocks in use.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/symbolic_table.h"

namespace treadle {

struct ByteCell {
  Expr expression;  // 0: none
  std::uint8_t part;
  std::uint8_t value;
  std::uint16_t unused;
};
static_assert(sizeof(ByteCell) == 8);

constexpr std::uint64_t kShadowBlock = 256;  // bytes of the program's memory

struct ShadowSlot {
  std::uint64_t block;  // address / kShadowBlock
  std::uint32_t generation, number;
};

struct ShadowMemory {
  ShadowSlot* index;  // room for twice as many as there may be blocks, a power of two
  std::uint64_t* addresses;
  ByteCell* cells;
  std::uint32_t* generation;  // outlives executions
  std::uint32_t most;         // blocks
};

class ExpressionShadow {
 public:
  void begin(const ShadowMemory& memory) noexcept;

  /// The cells from this address to the end of its block; null: nothing symbolic has been there.
  ByteCell* find(std::uint64_t address) noexcept;
  /// Likewise, made when there are none; null: no more room.
  ByteCell* make(std::uint64_t address) noexcept;
  void forget(std::uint64_t address, std::uint64_t bytes) noexcept;
  bool is_empty() const noexcept { return count_ == 0; }

 private:
  ShadowSlot& slot_of(std::uint64_t block) noexcept;  // its slot, or the free one where it would be
  void grow() noexcept;
  ByteCell* cells_of(std::uint32_t number) noexcept { return memory_.cells + number * kShadowBlock; }

  ShadowMemory memory_;
  std::uint32_t count_;
  std::uint32_t mask_;
  std::uint64_t last_block_;  // the one looked up last, and what was found
  ByteCell* last_cells_;
};

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
#include "runtime/symbolic_shadow.h"

namespace treadle {

namespace {

constexpr std::uint32_t kFirstIndex = 1u << 8;
constexpr std::uint64_t kNoBlock = ~0ull;

}  // namespace

void ExpressionShadow::begin(const ShadowMemory& memory) noexcept {
  memory_ = memory;
  count_ = 0;
  mask_ = kFirstIndex - 1;
  last_block_ = kNoBlock;
  last_cells_ = nullptr;
  ++*memory_.generation;
}

ShadowSlot& ExpressionShadow::slot_of(std::uint64_t block) noexcept {
  std::uint64_t at = (block * 0x9e3779b97f4a7c15ull >> 32) & mask_;
  while (memory_.index[at].generation == *memory_.generation && memory_.index[at].block != block) at = (at + 1) & mask_;
  return memory_.index[at];
}

void ExpressionShadow::grow() noexcept {
  mask_ = mask_ * 2 + 1;
  ++*memory_.generation;
  for (std::uint32_t number = 0; number < count_; ++number)
    slot_of(memory_.addresses[number]) = {memory_.addresses[number], *memory_.generation, number};
}

ByteCell* ExpressionShadow::find(std::uint64_t address) noexcept {
  const std::uint64_t block = address / kShadowBlock;
  if (block != last_block_) {
    const ShadowSlot& slot = slot_of(block);
    last_block_ = block;
    last_cells_ = slot.generation == *memory_.generation ? cells_of(slot.number) : nullptr;
  }
  return last_cells_ == nullptr ? nullptr : last_cells_ + address % kShadowBlock;
}

ByteCell* ExpressionShadow::make(std::uint64_t address) noexcept {
  if (ByteCell* there = find(address)) return there;
  if (count_ == memory_.most) return nullptr;
  const std::uint64_t block = address / kShadowBlock;
  const std::uint32_t number = count_++;
  __builtin_memset(cells_of(number), 0, kShadowBlock * sizeof(ByteCell));
  memory_.addresses[number] = block;
  slot_of(block) = {block, *memory_.generation, number};
  if (count_ * 2 > mask_) grow();
  last_block_ = block;
  last_cells_ = cells_of(number);
  return last_cells_ + address % kShadowBlock;
}

void ExpressionShadow::forget(std::uint64_t address, std::uint64_t bytes) noexcept {
  if (count_ == 0 || bytes == 0) return;
  const std::uint64_t end = address + bytes;
  auto clear = [&](ByteCell* cells, std::uint64_t block) {
    const std::uint64_t from = block * kShadowBlock < address ? address % kShadowBlock : 0;
    const std::uint64_t to = (block + 1) * kShadowBlock > end ? end % kShadowBlock : kShadowBlock;
    __builtin_memset(cells + from, 0, (to - from) * sizeof(ByteCell));
  };
  const std::uint64_t first = address / kShadowBlock, last = (end - 1) / kShadowBlock;
  if (last - first >= count_) {  // much memory, of which little has ever been symbolic
    for (std::uint32_t number = 0; number < count_; ++number) {
      const std::uint64_t block = memory_.addresses[number];
      if (block >= first && block <= last) clear(cells_of(number), block);
    }
    return;
  }
  for (std::uint64_t block = first; block <= last; ++block) {
    const ShadowSlot& slot = slot_of(block);
    if (slot.generation == *memory_.generation) clear(cells_of(slot.number), block);
  }
}

}  // namespace treadle

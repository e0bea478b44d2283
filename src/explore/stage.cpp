// SPDX-License-Identifier: Apache-2.0
#include "explore/stage.h"

namespace treadle {

void Memory::clear() {
  ++round_;
  blocks_.clear();
}

const Memory::Word* Memory::find(std::uint64_t address) const {
  const auto found = words_.find(address / 8);
  return found != words_.end() && found->second.round == round_ ? &found->second : nullptr;
}

Memory::Word& Memory::word(std::uint64_t address) {
  Word& word = words_[address / 8];
  if (word.round != round_) {
    word.round = round_;
    word.written = 0;
  }
  return word;
}

std::optional<std::uint8_t> Memory::read_byte(const LearnedProgram& program, std::uint64_t address, Writer& from) const {
  const unsigned i = address % 8;
  if (const Word* word = find(address); word != nullptr && (word->written >> i & 1) != 0) {
    from = word->writer[i];
    if (word->block[i] == 0) return word->value[i];
    const Block& block = blocks_[word->block[i] - 1];
    const auto fresh = block.place->fresh.find(address - block.address);
    if (fresh == block.place->fresh.end()) return std::nullopt;
    return fresh->second;
  }
  from = 0;
  const auto initial = program.initial.find(address);
  if (initial == program.initial.end()) return std::nullopt;
  return initial->second;
}

std::optional<std::uint64_t> Memory::read(const LearnedProgram& program, std::uint64_t address, unsigned size, Writer& from) const {
  std::uint64_t value = 0;
  from = 0;
  for (unsigned i = 0; i < size; ++i) {
    Writer writer;
    const auto byte = read_byte(program, address + i, writer);
    if (!byte) return std::nullopt;
    value |= static_cast<std::uint64_t>(*byte) << i * 8;
    from = i == 0 ? writer : from == writer ? from : (from ^ writer) * 0x9e3779b97f4a7c15ull;
  }
  return value;
}

void Memory::write_byte(std::uint64_t address, std::uint8_t value, Writer by) {
  Word& to = word(address);
  const unsigned i = address % 8;
  to.value[i] = value;
  to.writer[i] = by;
  to.block[i] = 0;
  to.written |= static_cast<std::uint8_t>(1u << i);
}

void Memory::write(std::uint64_t address, unsigned size, std::uint64_t value, Writer by) {
  for (unsigned i = 0; i < size; ++i) write_byte(address + i, static_cast<std::uint8_t>(value >> i * 8), by);
}

void Memory::begin_block(std::uint64_t address, std::uint64_t bytes, Place& place, Writer by) {
  blocks_.push_back({address, &place});
  const auto number = static_cast<std::uint32_t>(blocks_.size());
  for (std::uint64_t at = address; at < address + bytes; ++at) {
    Word& to = word(at);
    to.block[at % 8] = number;
    to.writer[at % 8] = by;
    to.written |= static_cast<std::uint8_t>(1u << at % 8);
  }
}

void Memory::found(LearnedProgram& program, std::uint64_t address, std::uint8_t value) {
  const unsigned i = address % 8;
  const Word* word = find(address);
  if (word == nullptr || (word->written >> i & 1) == 0) {
    program.initial[address] = value;
  } else if (word->block[i] != 0) {
    const Block& block = blocks_[word->block[i] - 1];
    block.place->fresh[address - block.address] = value;
  }
}

}  // namespace treadle

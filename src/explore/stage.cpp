// SPDX-License-Identifier: Apache-2.0
#include "explore/stage.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"

namespace treadle {
namespace {

std::size_t slot_of(std::uint64_t key, std::size_t size) { return (key * 0x9e3779b97f4a7c15ull >> 32) & (size - 1); }

/// The bits of `size` bytes from `first` on.
std::uint8_t bits_of(unsigned first, unsigned size) { return static_cast<std::uint8_t>(((1u << size) - 1) << first); }

/// All bits of these bytes.
std::uint64_t bits_in(unsigned bytes) {
  std::uint64_t bits = 0;
  for (unsigned i = 0; i < 8; ++i)
    if ((bytes >> i & 1) != 0) bits |= 0xffull << i * 8;
  return bits;
}

constexpr std::uint64_t most_marked = 1 << 12;  // bytes of a block

}  // namespace

void Memory::clear() {
  ++round_;
  blocks_.clear();
  large_.clear();
  touched_.clear();
}

const Memory::Word* Memory::find(std::uint64_t address) const {
  const std::uint64_t key = address / 8 + 1;
  for (std::size_t at = slot_of(key, words_.size());; at = (at + 1) & (words_.size() - 1)) {
    if (words_[at].key == key) return &words_[at];
    if (words_[at].key == 0) return nullptr;
  }
}

Memory::Word& Memory::word(std::uint64_t address) {
  const std::uint64_t key = address / 8 + 1;
  std::size_t at = slot_of(key, words_.size());
  while (words_[at].key != key && words_[at].key != 0) at = (at + 1) & (words_.size() - 1);
  if (words_[at].key == 0) {
    if (used_ * 2 >= words_.size()) {
      grow();
      return word(address);
    }
    ++used_;
    words_[at].key = key;
  }
  Word& word = words_[at];
  if (word.round != round_) {
    word.round = round_;
    touched_.push_back(key);
    word.value = word.initial;
    word.known = word.initial_known;
    word.fresh = 0;
    for (Writer& writer : word.writer) writer = 0;
    for (const LargeBlock& large : large_) mark(word, large);
  }
  return word;
}

void Memory::mark(Word& word, const LargeBlock& large) {
  for (unsigned i = 0; i < 8; ++i) {
    if ((word.key - 1) * 8 + i - large.address >= large.bytes) continue;
    word.block[i] = large.number;
    word.writer[i] = blocks_[large.number].by;
    word.fresh |= static_cast<std::uint8_t>(1u << i);
  }
}

/// Null: there is none, or single words tell.
const Memory::Block* Memory::large_block_at(std::uint64_t address) const {
  for (auto large = large_.rbegin(); large != large_.rend(); ++large)
    if (address - large->address < large->bytes) return &blocks_[large->number];
  return nullptr;
}

void Memory::grow() {
  std::vector<Word> larger(words_.size() * 2);
  for (Word& word : words_) {
    if (word.key == 0) continue;
    std::size_t at = slot_of(word.key, larger.size());
    while (larger[at].key != 0) at = (at + 1) & (larger.size() - 1);
    larger[at] = word;
  }
  words_ = std::move(larger);
}

void Memory::save(Moment& moment) const {
  moment.blocks = blocks_;
  moment.large = large_;
  moment.words.clear();
  for (const std::uint64_t key : touched_) moment.words.push_back(*find((key - 1) * 8));
}

void Memory::restore(const Moment& moment) {
  clear();
  blocks_ = moment.blocks;
  large_ = moment.large;
  for (const Word& saved : moment.words) {
    Word& now = word((saved.key - 1) * 8);
    const std::uint64_t theirs = bits_in(saved.known | saved.fresh);  // the others are what they were before main
    now.value = (saved.value & theirs) | (now.value & ~theirs);
    now.known |= saved.known;
    now.fresh = saved.fresh;
    std::ranges::copy(saved.writer, now.writer);
    std::ranges::copy(saved.block, now.block);
  }
}

std::uint64_t Memory::hash(bool with_writers) const {
  std::uint64_t all = 0;  // in no particular order
  for (const std::uint64_t key : touched_) {
    const Word& word = *find((key - 1) * 8);
    const std::uint64_t old = bits_in(word.fresh);  // of bytes that nobody has written since their block began
    bool changed = word.fresh != 0 || word.known != word.initial_known || word.value != word.initial;
    for (const Writer writer : word.writer) changed |= with_writers && writer != 0;
    if (!changed) continue;
    Hash hash;
    hash.add(key).add(word.value & ~old).add(word.known | word.fresh << 8);
    for (unsigned i = 0; i < 8; ++i) {
      if ((word.fresh >> i & 1) != 0) hash.add(blocks_[word.block[i]].place->number).add(blocks_[word.block[i]].address);
      if (with_writers) hash.add(word.writer[i]);
    }
    all += hash.value();
  }
  Hash large;  // in the order in which they have begun
  for (const LargeBlock& block : large_) large.add(block.address).add(block.bytes).add(blocks_[block.number].place->number);
  return large_.empty() ? all : all + large.value();
}

/// Of bytes in `word` between `address` and `until`: what sets them apart from what would be there had nobody touched them. In no order.
std::uint64_t Memory::provenance_in(const Word& word, std::uint64_t address, std::uint64_t until) const {
  std::uint64_t all = 0;
  for (unsigned i = 0; i < 8; ++i) {
    const std::uint64_t at = (word.key - 1) * 8 + i;
    if (at < address || at >= until) continue;
    const bool fresh = (word.fresh >> i & 1) != 0;
    const Block* const block = fresh ? &blocks_[word.block[i]] : nullptr;
    if (fresh && block != large_block_at(at)) all += Hash{}.add(at).add(block->place->key).add(at - block->address).value();
    if (!fresh && word.writer[i] != 0) all += Hash{}.add(at).add(word.value >> i * 8 & 0xff).value();
  }
  return all;
}

std::uint64_t Memory::provenance(std::uint64_t address, std::uint64_t bytes) const {
  const std::uint64_t until = address + bytes;
  std::uint64_t all = 0;
  if (bytes / 8 < touched_.size()) {
    for (std::uint64_t at = address / 8 * 8; at < until; at += 8)
      if (const Word* word = find(at); word != nullptr && word->round == round_) all += provenance_in(*word, address, until);
  } else {
    for (const std::uint64_t key : touched_)
      if ((key - 1) * 8 + 7 >= address && (key - 1) * 8 < until) all += provenance_in(*find((key - 1) * 8), address, until);
  }
  Hash hash;
  for (const LargeBlock& large : large_)
    if (large.address < until && address < large.address + large.bytes) hash.add(large.address).add(blocks_[large.number].place->key);
  return hash.add(bytes).add(all).value();
}

std::optional<std::uint8_t> Memory::read_byte(std::uint64_t address, Writer& from) const {
  const unsigned i = address % 8;
  const Word* word = find(address);
  from = 0;
  const bool current = word != nullptr && word->round == round_;
  const Block* const block = !current ? large_block_at(address) : (word->fresh >> i & 1) != 0 ? &blocks_[word->block[i]] : nullptr;
  if (current)
    from = word->writer[i];
  else if (block != nullptr)
    from = block->by;
  if (block != nullptr) {
    const auto fresh = block->place->fresh.find(address - block->address);
    if (fresh == block->place->fresh.end()) return std::nullopt;
    return fresh->second;
  }
  if (word == nullptr) return std::nullopt;
  if (((current ? word->known : word->initial_known) >> i & 1) == 0) return std::nullopt;
  return static_cast<std::uint8_t>((current ? word->value : word->initial) >> i * 8);
}

std::optional<std::uint64_t> Memory::read(std::uint64_t address, unsigned size, Writer& from) const {
  from = 0;
  if (const unsigned first = address % 8; first + size <= 8) {
    const Word* word = find(address);
    const bool current = word != nullptr && word->round == round_;
    if (word == nullptr && large_.empty()) return std::nullopt;
    const std::uint8_t bits = bits_of(first, size);
    if (current ? (word->fresh & bits) == 0 : large_.empty()) {
      if (((current ? word->known : word->initial_known) & bits) != bits) return std::nullopt;
      if (current) {
        from = word->writer[first];
        for (unsigned i = first + 1; i < first + size; ++i)
          if (word->writer[i] != from) from = (from ^ word->writer[i]) * 0x9e3779b97f4a7c15ull;
      }
      const std::uint64_t value = (current ? word->value : word->initial) >> first * 8;
      return size == 8 ? value : value & ((1ull << size * 8) - 1);
    }
  }
  std::uint64_t value = 0;
  for (unsigned i = 0; i < size; ++i) {
    Writer writer;
    const auto byte = read_byte(address + i, writer);
    if (!byte) return std::nullopt;
    value |= static_cast<std::uint64_t>(*byte) << i * 8;
    from = i == 0 ? writer : from == writer ? from : (from ^ writer) * 0x9e3779b97f4a7c15ull;
  }
  return value;
}

void Memory::write_byte(std::uint64_t address, std::uint8_t value, Writer by) { write(address, 1, value, by); }

void Memory::write(std::uint64_t address, unsigned size, std::uint64_t value, Writer by) {
  const unsigned first = address % 8;
  if (first + size > 8) {
    for (unsigned i = 0; i < size; ++i) write(address + i, 1, value >> i * 8, by);
    return;
  }
  Word& to = word(address);
  const std::uint64_t mask = (size == 8 ? ~0ull : (1ull << size * 8) - 1) << first * 8;
  to.value = (to.value & ~mask) | (value << first * 8 & mask);
  const std::uint8_t bits = bits_of(first, size);
  to.known |= bits;
  to.fresh &= static_cast<std::uint8_t>(~bits);
  for (unsigned i = first; i < first + size; ++i) to.writer[i] = by;
}

Memory::Cell Memory::cell(std::uint64_t address, unsigned size) {
  const unsigned first = address % 8;
  if (first + size > 8) return {};
  Word& at = word(address);
  const std::uint8_t bits = bits_of(first, size);
  if ((at.fresh & bits) != 0 || (at.known & bits) != bits) return {};
  for (unsigned i = first + 1; i < first + size; ++i)
    if (at.writer[i] != at.writer[first]) return {};
  return {&at.value, &at.writer[first], first * 8, size == 8 ? ~0ull : (1ull << size * 8) - 1};
}

void Memory::begin_block(std::uint64_t address, std::uint64_t bytes, Place& place, Writer by) {
  const auto number = static_cast<std::uint32_t>(blocks_.size());
  blocks_.push_back({address, &place, by});
  if (bytes > most_marked) {
    large_.push_back({address, bytes, number});
    for (const std::uint64_t key : touched_) mark(word((key - 1) * 8), large_.back());
    return;
  }
  for (std::uint64_t at = address; at < address + bytes; ++at) {
    Word& to = word(at);
    to.block[at % 8] = number;
    to.writer[at % 8] = by;
    to.fresh |= static_cast<std::uint8_t>(1u << at % 8);
  }
}

void Memory::found(std::uint64_t address, std::uint8_t value) {
  const unsigned i = address % 8;
  Word& at = word(address);
  if ((at.fresh >> i & 1) != 0) {
    const Block& block = blocks_[at.block[i]];
    block.place->fresh[address - block.address] = value;
    return;
  }
  const std::uint64_t mask = 0xffull << i * 8;
  const std::uint64_t shifted = static_cast<std::uint64_t>(value) << i * 8;
  at.initial = (at.initial & ~mask) | shifted;
  at.value = (at.value & ~mask) | shifted;
  at.initial_known |= static_cast<std::uint8_t>(1u << i);
  at.known |= static_cast<std::uint8_t>(1u << i);
}

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
#include "record/block_map.h"

#include <cstring>
#include <map>

#include "abi/follow.h"
#include "subject/elf_reader.h"

namespace treadle {
namespace {

bool is_in(const PathFunction& function, std::uint32_t block) {
  return (block & TREADLE_RETURNS_AT) != 0 ? (block & ~TREADLE_RETURNS_AT) < function.nodes.size() : block < function.lines.size();
}

}  // namespace

bool BlockMap::add(const std::string& binary, std::uint64_t bias, const PathTables& tables) {
  const ElfReader elf(binary);
  const auto section = elf.section(TREADLE_BLOCKS_SECTION);
  if (!section || section->bytes.size() % sizeof(TreadleBlockAddress) != 0) return false;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < tables.functions().size(); ++i)
    numbers.try_emplace({tables.functions()[i].piece, tables.functions()[i].number}, i);
  for (std::size_t at = 0; at < section->bytes.size(); at += sizeof(TreadleBlockAddress)) {
    TreadleBlockAddress entry;
    std::memcpy(&entry, section->bytes.data() + at, sizeof entry);
    const auto function = numbers.find({entry.piece, entry.function});
    if (function == numbers.end() || !is_in(tables.functions()[function->second], entry.block)) return false;
    blocks_[entry.address + bias] = {function->second, entry.block};
  }
  return true;
}

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
#include "subject/program_branches.h"

#include <cstring>

#include "subject/elf_reader.h"

namespace treadle {
namespace {

std::string text_at(std::string_view piece, std::uint32_t at) {
  if (at >= piece.size()) return "";
  const std::string_view rest = piece.substr(at);
  return std::string(rest.substr(0, rest.find('\0')));
}

}  // namespace

std::vector<BranchWay> branches_in_section(std::string_view bytes, std::uint64_t address) {
  std::vector<BranchWay> all;
  for (std::size_t at = 0; bytes.size() - at >= sizeof(TreadleBranchesHeader);) {
    TreadleBranchesHeader header;
    std::memcpy(&header, bytes.data() + at, sizeof header);
    if (header.magic != TREADLE_BRANCHES_MAGIC || header.version != TREADLE_BRANCHES_VERSION || header.bytes < sizeof header ||
        header.bytes > bytes.size() - at || header.count > (header.bytes - sizeof header) / sizeof(TreadleBranchWay))
      break;
    const std::string_view piece = bytes.substr(at, header.bytes);
    for (std::uint32_t i = 0; i < header.count; ++i) {
      TreadleBranchWay way;
      std::memcpy(&way, piece.data() + sizeof header + i * sizeof way, sizeof way);
      if (way.way >= TREADLE_WAYS) continue;
      all.push_back({text_at(piece, way.file), text_at(piece, way.function), way.line, way.column, way.ordinal, way.to_line,
                     static_cast<TreadleWay>(way.way), static_cast<std::int64_t>(way.value),
                     address + at + static_cast<std::uint64_t>(header.distance) + i});
    }
    at += header.bytes;
  }
  return all;
}

std::vector<BranchWay> branches_in(std::span<const LoadedObject> objects) {
  std::vector<BranchWay> all;
  for (const LoadedObject& object : objects) {
    const ElfReader file(object.path);
    const auto section = file.section(TREADLE_BRANCHES_SECTION);
    if (!section) continue;
    for (BranchWay& way : branches_in_section(section->bytes, section->address + file.bias(object.base))) all.push_back(std::move(way));
  }
  return all;
}

}  // namespace treadle

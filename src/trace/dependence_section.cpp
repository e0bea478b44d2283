// SPDX-License-Identifier: Apache-2.0
#include "trace/dependence_section.h"

#include <cstring>

#include "base/bytes.h"

namespace treadle {
namespace {

std::vector<std::uint64_t> names_in(ByteReader& in) {
  std::vector<std::uint64_t> names(in.count(8));
  for (std::uint64_t& name : names) name = in.fixed64();
  return names;
}

/// Written with 1 added, so that 0 stands for everything.
std::uint32_t set_in(ByteReader& in) {
  const auto number = static_cast<std::uint32_t>(in.up_to(UINT32_MAX - 1));
  return number == 0 ? DependencePiece::everything : number - 1;
}

DependencePiece::Site site_in(ByteReader& in, std::size_t texts) {
  DependencePiece::Site site;
  site.key = static_cast<std::uint32_t>(in.up_to((1u << TREADLE_DEPENDENCE_KEY_BITS) - 1));
  site.line = static_cast<std::uint32_t>(in.up_to(UINT32_MAX));
  site.kind = static_cast<TreadleSiteKind>(in.up_to(TREADLE_SITE_KINDS - 1));
  site.text = static_cast<std::uint32_t>(in.up_to(UINT32_MAX));
  if (site.text >= texts) in.fail();
  for (std::uint32_t* set : {&site.control, &site.way, &site.data, &site.carried}) *set = set_in(in);
  return site;
}

std::vector<std::uint32_t> members_in(ByteReader& in, std::size_t sources) {
  std::vector<std::uint32_t> members(in.count(1));
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < members.size() && in.ok(); ++i) {
    const std::uint64_t step = in.up_to(sources);
    last += step;
    if (last >= sources || (i > 0 && step == 0)) in.fail();
    members[i] = static_cast<std::uint32_t>(last);
  }
  return members;
}

bool read_numbers(ByteReader& in, DependencePiece& piece) {
  for (std::size_t left = in.count(1); left > 0 && in.ok(); --left) piece.texts.emplace_back(in.text());
  for (std::size_t left = in.count(8); left > 0 && in.ok(); --left) piece.sites.push_back(site_in(in, piece.texts.size()));
  for (std::size_t left = in.count(9); left > 0 && in.ok(); --left) {
    const auto kind = static_cast<TreadleOther>(in.up_to(TREADLE_OTHER_KINDS - 1));
    piece.others.push_back({kind, in.fixed64()});
  }
  for (std::size_t left = in.count(1); left > 0 && in.ok(); --left)
    piece.sets.push_back(members_in(in, piece.sites.size() + piece.others.size()));
  piece.defined = names_in(in);
  piece.referenced = names_in(in);
  for (const DependencePiece::Site& site : piece.sites)
    for (const std::uint32_t set : {site.control, site.way, site.data, site.carried})
      if (set != DependencePiece::everything && set >= piece.sets.size()) in.fail();
  return in.ok() && in.at_end();
}

bool read_piece(std::string_view bytes, std::uint64_t offset, std::uint32_t functions, DependencePiece& piece) {
  constexpr std::size_t each = sizeof(TreadleDependenceFunction);
  std::size_t at = sizeof(TreadleDependenceHeader);
  if (functions > (bytes.size() - at) / each) return false;
  for (; functions > 0; --functions, at += each) {
    TreadleDependenceFunction function;
    std::memcpy(&function, bytes.data() + at, each);
    piece.functions.push_back({offset + at + static_cast<std::uint64_t>(std::int64_t{function.distance}), function.site});
  }
  ByteReader in(bytes.substr(at));
  if (!read_numbers(in, piece)) return false;
  for (const auto& function : piece.functions)
    if (function.site >= piece.sites.size()) return false;
  return true;
}

}  // namespace

std::optional<std::vector<DependencePiece>> pieces_in(std::string_view section) {
  std::vector<DependencePiece> pieces;
  for (std::size_t at = 0; at + 4 <= section.size();) {
    if (section.substr(at, 4) == std::string_view("\0\0\0\0", 4)) {  // the linker aligns with zeros
      at += 4;
      continue;
    }
    TreadleDependenceHeader header;
    if (section.size() - at < sizeof header) return std::nullopt;
    std::memcpy(&header, section.data() + at, sizeof header);
    if (header.magic != TREADLE_DEPENDENCE_MAGIC || header.version != TREADLE_DEPENDENCE_VERSION) return std::nullopt;
    if (header.bytes < sizeof header || header.bytes > section.size() - at) return std::nullopt;
    if (!read_piece(section.substr(at, header.bytes), at, header.functions, pieces.emplace_back())) return std::nullopt;
    at += (header.bytes + 3) / 4 * 4;
  }
  return pieces;
}

}  // namespace treadle

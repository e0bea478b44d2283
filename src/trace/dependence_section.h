// SPDX-License-Identifier: Apache-2.0
// The bytes that the compiler left in a binary about dependence (abi/dependence.h), read as what they are: foreign input.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "abi/dependence.h"

namespace treadle {

/// What one source file contributed.
struct DependencePiece {
  static constexpr std::uint32_t everything = UINT32_MAX;

  struct Function {
    std::uint64_t offset = 0;  // of the function, seen from the beginning of the section; may be negative
    std::uint32_t site = 0;
  };
  struct Site {
    std::uint32_t key = 0;  // 0: cannot be found in the code
    std::uint32_t line = 0;
    TreadleSiteKind kind = TREADLE_SITE_OTHER;
    std::uint32_t text = 0;
    std::uint32_t control = everything, way = everything, data = everything, carried = everything;  // sets
  };
  struct Other {
    TreadleOther kind{};
    std::uint64_t name = 0;
  };

  std::vector<Function> functions;
  std::vector<std::string> texts;
  std::vector<Site> sites;
  std::vector<Other> others;
  std::vector<std::vector<std::uint32_t>> sets;  // of sites, and behind them of others; ascending
  std::vector<std::uint64_t> defined, referenced;
};

/// Nothing: the section is of another version, or damaged.
std::optional<std::vector<DependencePiece>> pieces_in(std::string_view section);

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// The paths of a program's functions, as the pass left them in the binary (abi/paths.h). Foreign bytes: everything is checked, so that a
// decoder can follow them without looking.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "abi/paths.h"
#include "base/result.h"

namespace treadle {

struct PathOut {
  TreadleOutKind kind = TREADLE_OUT_NEVER;
  std::uint32_t target = 0;  // node; of a call: the one behind it
  std::int64_t landing = -1;
  TreadleCallHow how = TREADLE_CALL_UNKNOWN;
  std::uint32_t callee = 0;  // number of the function, unless unknown
};

struct PathNode {
  std::uint32_t block = 0;
  std::uint32_t flags = 0;
  std::uint32_t width = 0;
  std::vector<PathOut> outs;
  std::uint64_t paths = 0;                 // that start here
  std::vector<std::uint32_t> iteration{};  // of a counted loop: the blocks of one
  std::uint64_t ways = 0;                  // in a counted or packed loop: from here to its next iteration
  std::uint64_t way = 0;                   // of a counted loop: the one that is always taken
};

struct PathFunction {
  std::string name, source;
  std::uint64_t piece = 0;   // hash of the piece that it is from
  std::uint32_t number = 0;  // and its number there
  bool is_local = false;
  std::vector<std::uint32_t> lines;  // of each block
  std::vector<PathNode> nodes;

  /// How many ways to the next iteration of a loop go this way.
  std::uint64_t ways_on(const PathOut& out) const {
    if (out.kind == TREADLE_OUT_EDGE) return nodes[out.target].ways;
    return out.kind == TREADLE_OUT_AGAIN ? 1 : 0;
  }

  /// Blocks of one iteration, from the header to where it is entered again; false when there is no such way.
  bool add_way(std::uint32_t header, std::uint64_t way, std::vector<std::uint32_t>& blocks) const;
};

/// A block, the same in every build of a source: (function, ordinal). The function by its number in the tables.
struct BlockId {
  std::uint32_t function = 0, block = 0;
  auto operator<=>(const BlockId&) const = default;
};

class PathTables {
 public:
  /// Pieces, one after the other, as the linker left them; several binaries may follow each other.
  static Result<PathTables> read(std::string_view bytes);

  std::span<const PathFunction> functions() const { return functions_; }

  struct Place {
    std::uint32_t function, node;
  };
  /// What left this mark.
  const Place* find(std::uint64_t mark) const;

  struct Resume {
    std::uint32_t function, node, out;
  };
  /// What a treadle_resume_mark stands for. The first call looks at everything.
  const Resume* find_resume(std::uint64_t mark) const;

 private:
  std::vector<PathFunction> functions_;
  std::unordered_map<std::uint64_t, Place> marks_;
  mutable std::unordered_map<std::uint64_t, Resume> resumes_;
};

}  // namespace treadle

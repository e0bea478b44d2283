// SPDX-License-Identifier: Apache-2.0
// Makes the list of paths, execution by execution.
#pragma once

#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "explore/path_execution.h"
#include "explore/path_list.h"
#include "finding/symbols.h"

namespace treadle {

class Names;

/// Puts executions into a list, one after the other.
class PathLister {
 public:
  /// So many at most.
  static constexpr std::size_t most_paths = 10'000;

  explicit PathLister(const Symbols& symbols) : symbols_(symbols) {}

  /// `witness`: the file in which the execution is kept, or empty.
  void add(const Trace& trace, const Schedule& base, std::string witness = {});
  const PathList& list() const { return list_; }
  /// Which of these findings each path shows.
  void name_findings(std::span<const Finding* const> findings);

 private:
  std::uint32_t number_of(const PathExecution& execution, const Names& names, std::uint32_t thread, const Turn& turn);
  PathTurn described(const PathExecution& execution, const Names& names, const Turn& turn) const;
  const std::vector<std::string>& fingerprints_of(const Trace& trace);

  const Symbols& symbols_;
  PathList list_;
  std::set<std::uint64_t> known_;                                             // paths that are listed, with how they ended
  std::unordered_map<std::uint64_t, std::uint32_t> known_turns_;              // by the way to them
  std::unordered_map<std::uint64_t, std::vector<std::string>> fingerprints_;  // by quick key
};

}  // namespace treadle

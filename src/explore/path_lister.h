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
  /// So many at most, and as long, all together. A few executions of 100,000 steps each would take longer to write than to make.
  static constexpr std::size_t most_paths = 10'000;
  static constexpr std::size_t most_bytes = 32'000'000;  // as JSON, about

  explicit PathLister(const Symbols& symbols, std::size_t most = most_bytes) : symbols_(symbols), most_bytes_(most) {}

  /// `witness`: the file in which the execution is kept, or empty.
  void add(const Trace& trace, const Schedule& base, std::string witness = {});
  const PathList& list() const { return list_; }
  /// Which of these findings each path shows.
  void name_findings(std::span<const Finding* const> findings);

 private:
  using Keys = std::vector<std::vector<std::uint64_t>>;  // by thread: of its turns
  static Keys keys_of(const PathExecution& execution);
  std::size_t bytes_for(const Keys& keys, const std::vector<InputValue>& inputs) const;
  std::uint32_t number_of(const PathExecution& execution, const Names& names, std::uint64_t key, const Turn& turn);
  PathTurn described(const PathExecution& execution, const Names& names, const Turn& turn) const;
  const std::vector<std::string>& fingerprints_of(const Trace& trace);

  const Symbols& symbols_;
  std::size_t most_bytes_, bytes_ = 0;
  PathList list_;
  std::set<std::uint64_t> known_;                                             // paths that are listed, with how they ended
  std::unordered_map<std::uint64_t, std::uint32_t> known_turns_;              // by the way to them
  std::unordered_map<std::uint64_t, std::vector<std::string>> fingerprints_;  // by quick key
};

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// What iterative context bounding leaves for the next bound: all branches of all executions that cost one preemption more. There are a few
// hundred for each execution, so they are not kept one by one. Executions with few preemptions consist of few stretches of one thread
// running alone, and the alternatives to them stay the same over long stretches too: both are kept as runs of equal decisions, which takes
// some 50 bytes for an execution, however long it is.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "explore/open_runs.h"

namespace treadle {

class IcbFrontier {
 public:
  std::uint64_t size() const { return branches_; }  // branches
  bool empty() const { return branches_ == 0; }
  std::uint64_t bytes() const { return bytes_; }

  /// The branches of one execution, in ascending order of their positions.
  void add(const Trace& trace, const std::vector<Branch>& branches);

  /// The branches of the execution added first, as they were but for their weights and preemptions.
  struct Execution {
    std::vector<Decision> decisions;  // up to its last branch
    std::vector<Branch> branches;     // in ascending order
  };
  Execution take();

  void save(ByteWriter& out) const;

  /// In place of what there is. Executions have at most so many steps; bytes that make no sense leave the reader failed.
  void load(ByteReader& in, std::uint32_t most_steps);

 private:
  std::deque<std::string> chunks_;
  std::size_t read_ = 0;  // in the first chunk
  std::uint64_t branches_ = 0, bytes_ = 0;
};

}  // namespace treadle

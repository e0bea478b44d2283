// SPDX-License-Identifier: Apache-2.0
// The tree whose nodes are decision points and whose branches are the alternatives recorded there, as far as a search still needs it: the
// executions with branches that nobody has followed yet. They share prefixes, and those explored to their end are forgotten. The deepest
// branch is taken first, which keeps the memory needed in proportion to the depth of the tree, not its size.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "explore/preemption.h"
#include "trace/trace.h"

namespace treadle {

/// An alternative not yet taken: `decision` instead of the one taken at `position`.
struct Branch {
  static constexpr std::uint32_t whole_tree = UINT32_MAX;  // position of the very first execution, which branched off nowhere

  std::uint32_t position = whole_tree;
  Decision decision;
  std::uint32_t preemptions = 0;  // on the way here, this one included
  double weight = 1;              // of the subtree, the whole tree being 1

  std::uint32_t first_new() const { return position == whole_tree ? 0 : position + 1; }  // what its execution decides by itself
};

/// An execution. It shares what comes before `from` with the one it branched off.
struct Run {
  std::shared_ptr<Run> parent;
  std::uint32_t from = 0;
  std::vector<Decision> decisions;  // from `from` on
  std::vector<Branch> open;         // the last one is taken first
  std::vector<Branch> tried;        // by a search that opens branches one by one: all that it has opened
  bool listed = false;              // by OpenRuns
  bool was_listed = false;          // and is off its list again

  ~Run();
};

class OpenRuns {
 public:
  struct Taken {
    std::shared_ptr<Run> run;  // null: the very first execution
    Branch branch;
  };

  std::size_t size() const { return open_; }  // branches
  bool empty() const { return open_ == 0; }

  /// The execution that followed `began` came back with these branches. Without any it is not kept.
  void add(const Taken& began, const Trace& trace, std::vector<Branch> open);

  /// An execution that shares nothing with others.
  void add(std::vector<Decision> decisions, std::vector<Branch> open);

  /// A further branch of an execution that somebody still holds.
  void open(const std::shared_ptr<Run>& run, const Branch& branch);

  /// The deepest branch; `prefix` becomes the decisions that lead there.
  std::optional<Taken> take(std::vector<Decision>& prefix);

  /// As bytes; the branches that were taken and have not come back, in the order in which they were taken, are open again there.
  void save(ByteWriter& out, std::span<const Taken> not_back) const;

  /// In place of what there is. Executions have at most so many steps; bytes that make no sense leave the reader failed.
  void load(ByteReader& in, std::uint32_t most_steps);

 private:
  void list(const std::shared_ptr<Run>& run);

  std::deque<std::shared_ptr<Run>> runs_;  // a stack; the deepest work is at the end
  std::size_t open_ = 0;
};

/// The new part of an execution, as a run without branches.
std::shared_ptr<Run> run_of(const OpenRuns::Taken& began, const Trace& trace);

/// What `trace` could have done otherwise in its new part: with at most `bound` preemptions, and beyond.
struct Alternatives {
  std::vector<Branch> within, beyond;
  double weight = 0;  // of the execution itself
};
Alternatives alternatives_of(const Trace& trace, const Branch& began, std::optional<std::uint32_t> bound);

}  // namespace treadle

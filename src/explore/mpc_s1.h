// SPDX-License-Identifier: Apache-2.0
// Strategy 1 of maximal path causality (Yi and Huang 2018, Section 3.4.1): from an execution that followed a prefix, every combination of
// the threads' ways behind it, each followed to its end or up to one of its turns and otherwise there, is a new prefix. What cannot be
// reached by what that one execution did is taken to be unreachable, which is wrong where somebody has to go further along a way not seen
// yet: it misses paths, and says that it may. For comparison; mpc misses none.
//
// All prefixes are independent of each other and can be run at once (Algorithm 3).
#pragma once

#include <deque>
#include <map>
#include <set>
#include <unordered_map>

#include "explore/branch_paths.h"
#include "explore/inquiries.h"
#include "explore/path_execution.h"
#include "explore/strategy.h"

namespace treadle {

class MpcS1 final : public Strategy {
 public:
  /// `base` gives everything but prefix and policy.
  explicit MpcS1(Schedule base, double seconds_per_question = 60);

  std::optional<Item> next() override;
  bool thinking() const override { return thinking_; }
  bool is_tentative(Ticket ticket) const override { return ticket != 0; }
  void learn_from(Ticket ticket, const Trace& trace) override;
  Recording needs() const override { return recording_for_paths(); }
  std::size_t ahead() const override { return std::max<std::size_t>(open_.size() + out_.size(), 1); }
  std::string covers() const override;
  std::string gaps() const override;
  bool leaves_out() const override { return true; }
  Counts counts() const override;
  std::optional<SolverCounts> solver() const override { return inquiries_.counts(); }

 private:
  struct Work {
    std::vector<Decision> prefix;
    GivenInputs inputs;
    std::vector<std::uint32_t> turns;  // by thread: so many are not asked about again
  };
  /// For each thread the turn that it makes otherwise, or as many as it has made: none.
  using Combination = std::vector<std::uint32_t>;
  struct Splitting {
    std::unique_ptr<PathExecution> execution;
    std::vector<std::vector<std::uint32_t>> choices;  // by thread: what it may do
    std::vector<std::size_t> at;                      // the combination to be asked about next
  };

  void split(const Work& work, std::unique_ptr<PathExecution> execution);
  bool advance(Splitting& splitting) const;
  bool ask(Splitting& splitting);
  Reply solve(Splitting& splitting, Work& work) const;

  Schedule base_;
  double seconds_;
  PathTree tree_;
  std::deque<Work> open_;
  std::unordered_map<Ticket, Work> out_;
  std::deque<Splitting> splitting_;
  std::set<Path> paths_;
  BranchPaths branches_;
  std::uint32_t executions_ = 0;
  Ticket next_ticket_ = 0;
  bool thinking_ = false;
  Counts counts_;
  Inquiries inquiries_;
};

}  // namespace treadle

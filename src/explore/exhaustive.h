// SPDX-License-Identifier: Apache-2.0
// Every schedule, one after another, no two alike and none left out: no reduction, so nothing to get wrong. The oracle that other
// strategies are held against.
//
// Depth first over the tree whose nodes are decision points and whose branches are the alternatives recorded there. An execution
// follows a prefix to an alternative not yet taken and runs on by itself; what it could have done otherwise after the prefix is
// work for later. Work that is open already does not wait for the outcome of other open work, so a whole batch can be asked for
// at once; the deepest is taken first, which keeps the memory needed in proportion to the depth of the tree, not its size.
#pragma once

#include <deque>
#include <memory>

#include "explore/strategy.h"

namespace treadle {

class Exhaustive final : public Strategy {
 public:
  /// `base` gives everything but prefix and policy. With `preemptions`: only schedules with at most so many.
  explicit Exhaustive(Schedule base, std::optional<std::uint32_t> preemptions = std::nullopt);

  std::optional<Schedule> next() override;
  void learn_from(const Trace& trace) override;
  Recording needs() const override;
  std::size_t ahead() const override;
  std::string covers() const override;
  std::optional<double> estimate() const override;

 private:
  /// An alternative not yet taken: `decision` instead of the one taken at `position`.
  struct Open {
    std::uint32_t position;
    Decision decision;
    std::uint32_t preemptions;  // on the way here, this one included
    double weight;              // of the subtree, the whole tree being 1
  };

  /// An execution whose alternatives are not all explored. It shares what comes before `from` with the one it branched off.
  struct Run {
    std::shared_ptr<Run> parent;
    std::uint32_t from = 0;
    std::vector<Decision> decisions;  // from `from` on
    std::vector<Open> open;           // deepest last
    ~Run();
  };

  struct InFlight {
    std::shared_ptr<Run> run;  // null: the very first execution
    Open open;
  };

  void open_alternatives(const Trace& trace, const Open& began_at, Run& run);

  Schedule base_;
  std::optional<std::uint32_t> bound_;
  std::vector<std::shared_ptr<Run>> runs_;  // a stack; the deepest work is on top
  std::deque<InFlight> in_flight_;
  std::size_t open_ = 0;  // over all runs
  bool started_ = false;
  bool cut_ = false;  // the bound left something out
  double done_ = 0;   // weight of what has been executed
  std::uint64_t executions_ = 0;
};

/// Is it a preemption to take `decision` at choice number `at`: could the thread that ran before have gone on?
bool is_preemption(const Trace& trace, std::size_t at, const Decision& decision);

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// Iterative context bounding (Musuvathi and Qadeer 2007): all schedules without preemption, then all with exactly one, two, … Most bugs
// need few preemptions, so they are found early and with a short explanation; and each bound that is completed is a statement that holds
// for a program with too many schedules to see them all. No schedule runs twice: an execution leaves those of its branches that cost one
// preemption more to the next bound.
//
// What a preemption is: preemption.h.
#pragma once

#include <map>

#include "explore/icb_frontier.h"
#include "explore/open_runs.h"
#include "explore/strategy.h"

namespace treadle {

class Icb final : public Strategy {
 public:
  /// `base` gives everything but prefix and policy. `most`: the last bound.
  explicit Icb(Schedule base, std::optional<std::uint32_t> most = std::nullopt);

  std::optional<Item> next() override;
  void learn_from(Ticket ticket, const Trace& trace) override;
  Recording needs() const override;
  std::size_t ahead() const override;
  std::string covers() const override;
  bool leaves_out() const override { return !later_.empty(); }
  std::optional<std::string> covers_already() const override;
  std::optional<double> estimate() const override;
  std::string save() const override;
  bool load(std::string_view bytes) override;

 private:
  bool to_next_bound();

  Schedule base_;
  std::optional<std::uint32_t> most_;
  std::uint32_t bound_ = 0;  // under way
  bool started_ = false;
  OpenRuns open_;
  IcbFrontier frontier_;  // branches that begin this bound and are not in open_ yet
  IcbFrontier later_;     // that begin the next one
  std::map<Ticket, OpenRuns::Taken> in_flight_;
  Ticket next_ticket_ = 0;
  double weight_ = 1;  // of each branch that begins this bound, the bound being 1
  double done_ = 0;    // weight of what has been executed of this bound
  std::uint64_t executions_ = 0, executions_before_ = 0;
};

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// Every schedule, one after another, no two alike and none left out: no reduction, so nothing to get wrong. The oracle that other
// strategies are held against.
//
// Depth first over the tree of decisions (open_runs.h). An execution follows a prefix to an alternative not yet taken and runs on by
// itself; what it could have done otherwise after the prefix is work for later. Work that is open already does not wait for the outcome of
// other open work, so a whole batch can be asked for at once.
#pragma once

#include <map>

#include "explore/open_runs.h"
#include "explore/strategy.h"

namespace treadle {

class Exhaustive final : public Strategy {
 public:
  /// `base` gives everything but prefix and policy. With `preemptions`: only schedules with at most so many.
  explicit Exhaustive(Schedule base, std::optional<std::uint32_t> preemptions = std::nullopt);

  std::optional<Item> next() override;
  void learn_from(Ticket ticket, const Trace& trace) override;
  Recording needs() const override;
  std::size_t ahead() const override;
  std::string covers() const override;
  bool leaves_out() const override { return cut_; }
  std::optional<double> estimate() const override;
  std::string save() const override;
  bool load(std::string_view bytes) override;

 private:
  Schedule base_;
  std::optional<std::uint32_t> bound_;
  OpenRuns open_;
  std::map<Ticket, OpenRuns::Taken> in_flight_;
  Ticket next_ticket_ = 0;
  bool started_ = false;
  bool cut_ = false;  // the bound left something out
  double done_ = 0;   // weight of what has been executed
  std::uint64_t executions_ = 0;
};

}  // namespace treadle

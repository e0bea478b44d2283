// SPDX-License-Identifier: Apache-2.0
// Iterative context bounding with partial order reduction (after Coons, Musuvathi and McKinley 2013): for the bounds 0, 1, 2, …, of all
// schedules with at most so many preemptions only some, but for each one left out an equivalent one that is within the bound too. What must
// be tried where is told by block_order.h.
//
// Each bound begins anew: what has been seen with fewer preemptions is seen again, which costs little, since each bound is several times as
// large as the one before; in exchange the memory needed grows with the depth of the tree only. Whatever was cut by a bound is counted:
// when nothing was, all schedules are covered.
//
// There are no sleep sets, so the order in which the open branches are followed does not matter, and many can be out at once.
#pragma once

#include <map>

#include "explore/block_order.h"
#include "explore/open_runs.h"
#include "explore/strategy.h"

namespace treadle {

class IcbDpor final : public Strategy {
 public:
  /// `base` gives everything but prefix and policy. `most`: the last bound.
  explicit IcbDpor(Schedule base, std::optional<std::uint32_t> most = std::nullopt);

  std::optional<Item> next() override;
  void learn_from(Ticket ticket, const Trace& trace) override;
  Recording needs() const override;
  std::size_t ahead() const override;
  std::string covers() const override;
  bool leaves_out() const override { return cut_; }
  std::optional<std::string> covers_already() const override;
  std::string save() const override;
  bool load(std::string_view bytes) override;

 private:
  /// The execution at hand.
  struct Path {
    const Trace& trace;
    std::shared_ptr<Run> run;
    std::vector<std::uint32_t> preemptions;  // before each decision
  };

  void try_other_ways(const Path& path, std::uint32_t from);
  void try_needed(const Path& path, const Needed& needed);
  void try_thread(const Path& path, std::uint32_t node, ThreadId thread);
  void try_decision(const Path& path, std::uint32_t node, const Decision& decision);
  bool is_tried(const Path& path, std::uint32_t node, ThreadId thread) const;

  Schedule base_;
  std::optional<std::uint32_t> most_;
  std::uint32_t bound_ = 0;  // under way
  bool started_ = false;     // with this bound
  bool cut_ = false;         // this bound left something out
  BlockOrder order_;
  OpenRuns open_;
  std::map<Ticket, OpenRuns::Taken> in_flight_;
  Ticket next_ticket_ = 0;
};

}  // namespace treadle

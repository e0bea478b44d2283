// SPDX-License-Identifier: Apache-2.0
#include "explore/icb.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "explore/coverage.h"

namespace treadle {

Icb::Icb(Schedule base, std::optional<std::uint32_t> most) : base_(std::move(base)), most_(most) {
  base_.prefix.clear();
  base_.policy = Policy::Continue;  // makes no preemption of its own
}

Recording Icb::needs() const {
  Recording recording;
  recording.choices = true;
  return recording;
}

std::size_t Icb::ahead() const { return std::max<std::size_t>(frontier_.size() + open_.size() + in_flight_.size(), 1); }

/// False: the bound is not complete yet, or it was the last.
bool Icb::to_next_bound() {
  if (!in_flight_.empty() || later_.empty() || bound_ == most_) return false;
  ++bound_;
  frontier_ = std::exchange(later_, {});
  weight_ = 1 / static_cast<double>(frontier_.size());
  done_ = 0;
  executions_before_ = executions_;
  return true;
}

std::optional<Item> Icb::next() {
  Schedule schedule = base_;
  OpenRuns::Taken taken;
  if (std::exchange(started_, true)) {
    if (open_.empty() && frontier_.empty() && !to_next_bound()) return std::nullopt;
    if (open_.empty()) {
      auto execution = frontier_.take();
      for (Branch& branch : execution.branches) {
        branch.preemptions = bound_;
        branch.weight = weight_;
      }
      open_.add(std::move(execution.decisions), std::move(execution.branches));
    }
    taken = *open_.take(schedule.prefix);
  }
  in_flight_.emplace(next_ticket_, std::move(taken));
  return Item{std::move(schedule), next_ticket_++};
}

void Icb::learn_from(Ticket ticket, const Trace& trace) {
  const auto returned = in_flight_.extract(ticket);
  check(!returned.empty(), "a strategy learns only from what it asked for");
  ++executions_;
  if (trace.threads.size() > base_.threads.size()) base_.threads = trace.threads;

  Alternatives found = alternatives_of(trace, returned.mapped().branch, bound_);
  done_ += found.weight;
  later_.add(trace, found.beyond);
  open_.add(returned.mapped(), trace, std::move(found.within));
}

std::string Icb::covers() const {
  const std::string what = covered_schedules(base_);
  return later_.empty() ? what : with_at_most(what, bound_);
}

std::optional<std::string> Icb::covers_already() const {
  if (bound_ == 0) return std::nullopt;
  return with_at_most(covered_schedules(base_), bound_ - 1);
}

/// As for exhaustive, but only the bound under way can be estimated: nothing is known of those to come.
std::optional<double> Icb::estimate() const {
  if (bound_ != most_ || done_ <= 0) return std::nullopt;
  return static_cast<double>(executions_before_) + static_cast<double>(executions_ - executions_before_) / done_;
}

}  // namespace treadle

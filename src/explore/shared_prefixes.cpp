// SPDX-License-Identifier: Apache-2.0
#include "explore/shared_prefixes.h"

#include <algorithm>

#include "abi/wish.h"

namespace treadle {
namespace {

constexpr std::size_t worth_saving = 8;  // steps
constexpr std::size_t most_saved = 32;   // each is an image of the program
constexpr double long_time = 100e-6;     // seconds of an execution

bool is_wish(const Decision& decision) { return (decision.argument & TREADLE_WISH) != 0; }

/// Without wishes: behind the first of them a step need not be the decision of that number.
std::size_t common_length(const std::vector<Decision>& a, const std::vector<Decision>& b) {
  const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  return static_cast<std::size_t>(std::find_if(a.begin(), end, is_wish) - a.begin());
}

}  // namespace

bool SharedPrefixes::is_of_kind(const Schedule& schedule, const Recording& recording) const {
  if (!kind_) return false;
  const Schedule& known = kind_->schedule;
  return known.policy == schedule.policy && known.seed == schedule.seed && known.pct_depth == schedule.pct_depth &&
         known.pct_length == schedule.pct_length && known.inputs == schedule.inputs && known.threads == schedule.threads &&
         known.model == schedule.model && known.races == schedule.races && known.spurious_wakeups == schedule.spurious_wakeups &&
         known.status_matters == schedule.status_matters && known.max_steps == schedule.max_steps && kind_->plain == recording.plain &&
         kind_->choices == recording.choices && kind_->leaks == recording.leaks && kind_->spins_block == recording.spins_block;
}

std::span<const Snapshots> SharedPrefixes::plan(const std::vector<Schedule>& schedules, const Recording& recording) {
  const std::size_t least = seconds_each_ > long_time ? 1 : worth_saving;
  planned_.assign(schedules.size(), {});
  for (std::size_t i = 0; i < schedules.size(); ++i) {
    const Schedule& schedule = schedules[i];
    if (!is_of_kind(schedule, recording)) {
      stack_.clear();
      kind_ = {schedule, recording.plain, recording.choices, recording.leaks, recording.spins_block};
    }
    const std::size_t same = common_length(path_, schedule.prefix);
    while (!stack_.empty() && stack_.back().at > same) stack_.pop_back();
    const std::size_t resumed_at = stack_.empty() ? 0 : stack_.back().at;
    if (!stack_.empty()) planned_[i].resume_from = stack_.back().name;
    path_ = schedule.prefix;
    if (i + 1 == schedules.size() || stack_.size() == most_saved || !is_of_kind(schedules[i + 1], recording)) continue;
    const std::size_t shared = common_length(schedule.prefix, schedules[i + 1].prefix);
    if (shared < resumed_at + least) continue;
    planned_[i].save_as = ++names_;
    planned_[i].save_at = static_cast<std::uint32_t>(shared);
    stack_.push_back({names_, shared});
  }
  return planned_;
}

void SharedPrefixes::took(std::size_t executions, double seconds) {
  const double each = seconds / static_cast<double>(std::max<std::size_t>(executions, 1));
  seconds_each_ += (each - seconds_each_) / 16;
}

}  // namespace treadle

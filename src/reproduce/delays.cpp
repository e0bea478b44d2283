// SPDX-License-Identifier: Apache-2.0
#include "reproduce/delays.h"

#include <algorithm>

#include "abi/wish.h"
#include "explore/runner.h"
#include "explore/touches.h"
#include "reproduce/steering.h"

namespace treadle {
namespace {

constexpr std::size_t most_bases = 64;   // that wait for their turn
constexpr std::size_t most_of_step = 4;  // conflicts with later steps, and with earlier ones
constexpr std::size_t most_steps = 20'000;

/// What each decision touched. Where an object stands is memory, too: it may be freed.
std::vector<Action> steps_of(const Trace& trace) {
  std::vector<Action> steps(trace.choices.size());
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i].process = process_of(trace.choices[i].taken);
  for (const Event& event : trace.events) {
    if (event.step >= steps.size() || event.kind == TREADLE_EV_PATH) continue;
    Action& step = steps[event.step];
    add_touches_of(event, false, step);
    const bool is_object = event.kind >= TREADLE_EV_MUTEX_DESTROY && event.kind <= TREADLE_EV_ONCE_END;
    if (is_object) step.accesses.add({event.address, 1, Space::Memory, false});
  }
  return steps;
}

}  // namespace

Schedule held_back(const Schedule& schedule, std::uint32_t place, std::uint32_t until) {
  Schedule out = schedule;
  out.policy = Policy::Continue;
  out.prefix.resize(place);
  std::vector<Decision> late;
  for (std::uint32_t i = place; i < schedule.prefix.size(); ++i) {
    Decision wish = schedule.prefix[i];
    wish.argument |= TREADLE_WISH;
    (i <= until && wish.thread == schedule.prefix[place].thread ? late : out.prefix).push_back(wish);
    if (i == until) out.prefix.insert(out.prefix.end(), late.begin(), late.end());
  }
  return out;
}

Delays::Delays(const RecordedFailure& failure) : failure_(failure) {}

/// The first that left its way; the one that failed in the recorded run and did not here.
std::vector<ThreadId> Delays::whom_to_hold(const Trace& trace) const {
  std::vector<ThreadId> all;
  if (const auto left = departures_of(trace); !left.empty()) all.push_back(left.front().thread);
  for (const Standing& standing : standings_of(trace))
    if (standing.state == TREADLE_PATH_OVER && (failure_.thread.empty() || name_of(standing.thread, trace.threads) == failure_.thread))
      all.push_back(standing.thread);
  return all;
}

void Delays::begin_with(std::uint64_t matched) {
  bases_.clear();
  most_matched_ = matched;
  in_vain_ = 0;
}

void Delays::consider(const Schedule& schedule, const Trace& trace) {
  const std::uint64_t matched = matched_blocks(trace);
  if (matched < most_matched_ || trace.choices.empty() || trace.choices.size() > most_steps) return;
  if (matched > most_matched_) begin_with(matched);
  if (bases_.size() >= most_bases) return;
  Base base{exactly(schedule, trace), {}};
  if (!known_.insert(hash_of(base.schedule)).second) return;
  base.steps = steps_of(trace);
  base.step = static_cast<std::uint32_t>(base.schedule.prefix.size());
  for (const ThreadId thread : whom_to_hold(trace)) {
    base.thread = thread;
    bases_.push_back(base);
  }
}

/// Later ones, the last of them first, and before them the end of all; then earlier ones.
std::deque<Delays::Delay> Delays::conflicts_of(const Base& base, std::uint32_t step) {
  std::deque<Delay> all;
  const auto& decisions = base.schedule.prefix;
  const auto last = static_cast<std::uint32_t>(decisions.size()) - 1;
  const auto conflicts = [&](std::uint32_t i) { return decisions[i].thread != base.thread && dependent(base.steps[step], base.steps[i]); };
  for (std::uint32_t i = last; i > step && all.size() < most_of_step; --i)
    if (conflicts(i)) all.push_back({step, i});
  // Accesses that are no steps of their own are not known.
  if ((!all.empty() && all.front().until != last) || base.schedule.races != Races::Explore) all.push_front({step, last});
  const std::size_t later = all.size();
  for (std::uint32_t i = step; i-- > 0 && all.size() < later + most_of_step;)
    if (conflicts(i)) all.push_back({i, step});
  return all;
}

/// Goes back to the next step that has a conflict; false: there is none.
bool Delays::next_step(Base& base) {
  while (base.delays.empty() && base.step > 0) {
    const Decision& decision = base.schedule.prefix[--base.step];
    if (decision.thread != base.thread || decision.kind == DecisionKind::Flush) continue;
    base.delays = conflicts_of(base, base.step);
    base.tried += base.delays.empty() ? 0 : 1;
  }
  return !base.delays.empty();
}

std::vector<Schedule> Delays::next(std::size_t count) {
  if (in_vain_ > patience_) {
    patience_ *= 2;
    begin_with(0);
  }
  std::vector<Schedule> all;
  while (all.size() < count && !bases_.empty()) {
    const auto base = std::ranges::min_element(bases_, {}, &Base::tried);
    if (!next_step(*base)) {
      bases_.erase(base);
      continue;
    }
    all.push_back(held_back(base->schedule, base->delays.front().place, base->delays.front().until));
    base->delays.pop_front();
  }
  in_vain_ += static_cast<std::uint32_t>(all.size());
  return all;
}

}  // namespace treadle

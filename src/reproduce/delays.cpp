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
constexpr std::size_t most_of_step = 4;  // steps of others behind which a thread goes on; the last ones, and nobody left
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

void start_again(std::uint32_t& place, const Schedule& schedule) { place = static_cast<std::uint32_t>(schedule.prefix.size()); }

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

void Delays::consider(const Schedule& schedule, const Trace& trace) {
  const std::uint64_t matched = matched_blocks(trace);
  if (matched < most_matched_ || trace.choices.empty() || trace.choices.size() > most_steps) return;
  if (matched > most_matched_) bases_.clear();
  most_matched_ = matched;
  if (bases_.size() >= most_bases) return;
  Base base{exactly(schedule, trace), {}};
  if (!known_.insert(hash_of(base.schedule)).second) return;
  base.steps = steps_of(trace);
  start_again(base.place, base.schedule);
  for (const ThreadId thread : whom_to_hold(trace)) {
    base.thread = thread;
    bases_.push_back(base);
  }
}

/// The last ones first; before them the end of all.
std::deque<std::uint32_t> Delays::conflicts_behind(const Base& base, std::uint32_t place) {
  std::deque<std::uint32_t> all;
  const auto& decisions = base.schedule.prefix;
  const auto last = static_cast<std::uint32_t>(decisions.size()) - 1;
  for (std::uint32_t i = last; i > place && all.size() < most_of_step; --i)
    if (decisions[i].thread != decisions[place].thread && dependent(base.steps[place], base.steps[i])) all.push_back(i);
  // Accesses that are no steps of their own are not known.
  if ((!all.empty() && all.front() != last) || base.schedule.races != Races::Explore) all.push_front(last);
  return all;
}

/// Goes back to the next step worth waiting before; false: there is none.
bool Delays::next_place(Base& base) {
  if (base.place == 0 && !base.of_others) {
    base.of_others = true;
    start_again(base.place, base.schedule);
  }
  while (base.place > 0) {
    const Decision& decision = base.schedule.prefix[--base.place];
    if ((decision.thread == base.thread) == base.of_others || decision.kind == DecisionKind::Flush) continue;
    base.until = conflicts_behind(base, base.place);
    base.tried += base.until.empty() ? 0 : 1;
    if (!base.until.empty()) return true;
  }
  return !base.of_others && next_place(base);
}

std::vector<Schedule> Delays::next(std::size_t count) {
  std::vector<Schedule> all;
  while (all.size() < count && !bases_.empty()) {
    const auto base = std::ranges::min_element(bases_, {}, &Base::tried);
    if (base->until.empty() && !next_place(*base)) {
      bases_.erase(base);
      continue;
    }
    all.push_back(held_back(base->schedule, base->place, base->until.front()));
    base->until.pop_front();
  }
  return all;
}

}  // namespace treadle

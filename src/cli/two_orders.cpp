// SPDX-License-Identifier: Apache-2.0
#include "cli/two_orders.h"

#include <algorithm>
#include <functional>
#include <set>

namespace treadle {
namespace {

constexpr std::size_t most_lines = 12;

/// One step of the failing order, and where it is in both runs.
struct Step {
  std::uint64_t passing, replay;
  bool key;
};

/// Events that say something when they stand alone.
bool is_telling(const Event& event) {
  const auto kind = static_cast<EventKind>(event.kind);
  return is_visible(kind, Races::Explore) && kind != TREADLE_EV_THREAD_START && kind != TREADLE_EV_THREAD_EXIT && kind != TREADLE_EV_SPIN;
}

/// A unit has as many decisions in the replay as it had in the passing run, and the same places.
std::vector<Step> steps_of(const Trace& passing, const Prediction& prediction, const Trace& replay, const Units& units) {
  std::vector<Step> steps;
  std::size_t decision = 0;
  std::uint64_t at = 0;
  std::vector<std::vector<std::uint64_t>> events_of(units.all.size());
  for (std::uint64_t e = 0; e < passing.events.size(); ++e)
    if (units.unit_of[e] != nothing) events_of[units.unit_of[e]].push_back(e);
  for (const UnitId unit : prediction.units) {
    decision += units.all[unit].decisions.size();
    const std::uint64_t first = at;
    while (at < replay.events.size() && replay.events[at].step < decision) ++at;
    for (const std::uint64_t event : events_of[unit]) {
      if (!is_telling(passing.events[event])) continue;
      for (std::uint64_t r = first; r < at; ++r)
        if (replay.events[r].pc == passing.events[event].pc && is_telling(replay.events[r])) {
          steps.push_back({event, r, std::ranges::find(prediction.events, event) != prediction.events.end()});
          break;
        }
    }
  }
  return steps;
}

/// The keys; what touches the same objects; what stands at the switches. Of the rest the newest.
std::vector<Step> most_telling(std::vector<Step> steps, const Trace& passing, const Prediction& prediction) {
  std::set<std::uint64_t> objects;
  for (const std::uint32_t event : prediction.events) objects.insert(passing.events[event].address);
  const auto thread = [&](std::size_t i) { return passing.events[steps[i].passing].thread; };
  const auto rank = [&](std::size_t i) {
    if (steps[i].key) return 3;
    if (objects.contains(passing.events[steps[i].passing].address)) return 2;
    return (i > 0 && thread(i - 1) != thread(i)) || (i + 1 < steps.size() && thread(i + 1) != thread(i)) ? 1 : 0;
  };
  std::vector<std::pair<int, std::size_t>> order;
  for (std::size_t i = 0; i < steps.size(); ++i) order.emplace_back(rank(i), i);
  std::ranges::sort(order, std::greater{});
  if (order.size() > most_lines) order.resize(most_lines);
  std::vector<std::size_t> kept;
  for (const auto& [r, i] : order) kept.push_back(i);
  std::ranges::sort(kept);
  std::vector<Step> out;
  for (const std::size_t i : kept) out.push_back(steps[i]);
  return out;
}

}  // namespace

TwoOrders two_orders(const Trace& passing, const Prediction& prediction, const Trace& replay, const Finding& finding, const Units& units,
                     const Symbols& symbols) {
  auto steps = most_telling(steps_of(passing, prediction, replay, units), passing, prediction);
  TwoOrders out;
  std::vector<std::uint64_t> events, key;
  for (const Step& step : steps) {
    events.push_back(step.replay);
    if (step.key) key.push_back(step.replay);
  }
  out.failing = tell_these(replay, events, key, symbols);
  for (const Part& part : finding.parts)
    if (part.event >= replay.events.size()) {
      out.failing.lines.push_back({.thread = part.thread, .text = part.does, .place = text_of(user_frame(part.where)), .key = true});
      if (std::ranges::find(out.failing.threads, part.thread) == out.failing.threads.end()) out.failing.threads.push_back(part.thread);
    }

  // In the passing run: the same steps, and those that the failing one does not get to.
  std::set<std::uint64_t> passed(prediction.events.begin(), prediction.events.end());
  const std::vector<std::uint64_t> passed_key(passed.begin(), passed.end());
  for (const Step& step : steps) passed.insert(step.passing);
  const std::vector<std::uint64_t> in_order(passed.begin(), passed.end());
  out.passing = tell_these(passing, in_order, passed_key, symbols);
  return out;
}

}  // namespace treadle

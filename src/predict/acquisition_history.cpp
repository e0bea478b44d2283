// SPDX-License-Identifier: Apache-2.0
#include "predict/acquisition_history.h"

#include <algorithm>

#include "trace/locks.h"

namespace treadle {

AcquisitionHistory::AcquisitionHistory(const Trace& trace) : trace_(trace), changes_(256) {
  LockWatch watch;
  std::vector<State> now(256);
  for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
    const std::size_t before = watch.held().size();
    watch.take_in(trace.events[i], i);
    if (watch.held().size() == before) continue;
    const std::size_t thread = trace.events[i].thread;
    State& state = now[thread];
    const auto is_held = [&](const Lock& lock) {
      return std::ranges::any_of(watch.held(), [&](const Held& h) { return index_of(h.thread) == thread && h.object == lock.object; });
    };
    std::erase_if(state, [&](const Lock& lock) { return !is_held(lock); });
    for (const Held& held : watch.held()) {
      if (index_of(held.thread) != thread || held.event != i) continue;
      for (Lock& lock : state) {
        if (held.shared) break;  // goes together with other readers
        const auto at = std::ranges::lower_bound(lock.since, held.object);
        if (at == lock.since.end() || *at != held.object) lock.since.insert(at, held.object);
      }
      state.push_back({held.object, held.shared, {}});
    }
    note(thread, i, state);
  }
}

void AcquisitionHistory::note(std::size_t thread, std::uint32_t event, const State& state) {
  const auto [entry, is_new] = numbers_.try_emplace(state, static_cast<StateId>(states_.size()));
  if (is_new) states_.push_back(state);
  changes_[thread].push_back({event, entry->second});
}

AcquisitionHistory::StateId AcquisitionHistory::state_before(std::uint32_t event) const {
  const auto& changes = changes_[trace_.events[event].thread];
  const auto next = std::ranges::lower_bound(changes, event, {}, &Change::event);
  return next == changes.begin() ? 0 : std::prev(next)->state;
}

bool AcquisitionHistory::compatible(const State& a, const State& b) {
  const auto took = [](const Lock& lock, std::uint64_t object) { return std::ranges::binary_search(lock.since, object); };
  for (const Lock& one : a)
    for (const Lock& other : b) {
      if (one.object == other.object && !(one.shared && other.shared)) return false;
      if (took(one, other.object) && took(other, one.object)) return false;
    }
  return true;
}

bool AcquisitionHistory::can_meet(std::uint32_t a, std::uint32_t c, std::uint32_t b) const {
  const State& there = states_[state_before(b)];
  if (there.empty()) return true;
  const auto& changes = changes_[trace_.events[a].thread];
  StateId state = state_before(a);
  auto next = std::ranges::lower_bound(changes, a, {}, &Change::event);
  while (!compatible(states_[state], there)) {
    if (next == changes.end() || next->event >= c) return false;
    state = next++->state;
  }
  return true;
}

}  // namespace treadle

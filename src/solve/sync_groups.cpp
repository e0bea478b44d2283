// SPDX-License-Identifier: Apache-2.0
#include "solve/sync_groups.h"

#include <algorithm>

namespace treadle {
namespace {

bool is_about_threads(EventKind kind) {
  switch (kind) {
    case TREADLE_EV_THREAD_CREATE:
    case TREADLE_EV_THREAD_START:
    case TREADLE_EV_THREAD_EXIT:
    case TREADLE_EV_THREAD_JOIN:
      return true;
    default:
      return false;
  }
}

/// Ordered by what must come before what.
bool begins_or_ends_a_life(EventKind kind) {
  switch (kind) {
    case TREADLE_EV_MUTEX_INIT:
    case TREADLE_EV_RWLOCK_INIT:
    case TREADLE_EV_SPIN_INIT:
    case TREADLE_EV_MUTEX_DESTROY:
    case TREADLE_EV_RWLOCK_DESTROY:
    case TREADLE_EV_SPIN_DESTROY:
      return true;
    default:
      return false;
  }
}

bool takes(EventKind kind) {
  return kind == TREADLE_EV_LOCK || kind == TREADLE_EV_SPIN_LOCK || kind == TREADLE_EV_RDLOCK || kind == TREADLE_EV_WRLOCK;
}

bool gives_back(EventKind kind) { return kind == TREADLE_EV_UNLOCK || kind == TREADLE_EV_SPIN_UNLOCK || kind == TREADLE_EV_RWUNLOCK; }

}  // namespace

SyncGroups::SyncGroups(const CausalFormula& formula, const Trace& trace) : formula_(formula) {
  for (UnitId u = 0; u < formula.size(); ++u)
    for (const std::uint32_t e : formula.unit(u).syncs) {
      const Event& event = trace.events[e];
      if (is_about_threads(static_cast<EventKind>(event.kind))) continue;
      take_in(u, event.address, event);
      if (event.kind == TREADLE_EV_COND_WAIT) take_in(u, event.value, event);
    }
}

void SyncGroups::take_in(UnitId unit, std::uint64_t address, const Event& event) {
  const auto [entry, is_new] = number_.try_emplace(address, static_cast<std::uint32_t>(groups_.size()));
  if (is_new) groups_.emplace_back();
  Group& group = groups_[entry->second];
  group.users.push_back(unit);
  of_unit_[unit].push_back(entry->second);
  const auto kind = static_cast<EventKind>(event.kind);
  const bool waits_with_it = kind == TREADLE_EV_COND_WAIT && address == event.value;
  if (takes(kind)) {
    if (kind == TREADLE_EV_LOCK && event.value > 1) return;  // has it already
    group.whole |= group.held_by.contains(event.thread);     // readers may come in twice
    group.held_by[event.thread] = unit;
    group.release_of[unit] = nothing;
  } else if (gives_back(kind) || waits_with_it) {
    if (kind == TREADLE_EV_UNLOCK && event.value > 0) return;  // an inner one
    const auto held = group.held_by.find(event.thread);
    if (held == group.held_by.end()) {
      group.whole = true;
      return;
    }
    group.release_of[held->second] = unit;
    if (formula_.in_prefix(held->second) && !formula_.in_prefix(unit)) group.open_releases.push_back(unit);
    group.held_by.erase(held);
  } else if (!begins_or_ends_a_life(kind)) {
    group.whole = true;
  }
}

void SyncGroups::Closure::add(UnitId unit, std::vector<UnitId>& needed) {
  const auto found = groups_.of_unit_.find(unit);
  if (found == groups_.of_unit_.end()) return;
  for (const std::uint32_t number : found->second) {
    const Group& group = groups_.groups_[number];
    const auto section = group.release_of.find(unit);
    if (section == group.release_of.end() && !group.whole) continue;
    auto& entered = entered_[number];
    if (group.whole) {
      if (entered.empty()) needed.insert(needed.end(), group.users.begin(), group.users.end());
      entered.push_back(unit);
      continue;
    }
    if (entered.empty()) needed.insert(needed.end(), group.open_releases.begin(), group.open_releases.end());
    entered.push_back(unit);
    if (entered.size() < 2) continue;
    // From the second one on each has to leave.
    for (const UnitId u : entered.size() == 2 ? entered : std::vector{unit})
      if (const UnitId release = group.release_of.at(u); release != nothing) needed.push_back(release);
  }
}

}  // namespace treadle

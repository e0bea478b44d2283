// SPDX-License-Identifier: Apache-2.0
#include "solve/observed_past.h"

#include <algorithm>
#include <unordered_set>

#include "solve/unit_parts.h"

namespace treadle {
namespace {

bool is_lock_operation(EventKind kind) {
  switch (kind) {
    case TREADLE_EV_LOCK:
    case TREADLE_EV_TRYLOCK:
    case TREADLE_EV_TIMEDLOCK:
    case TREADLE_EV_UNLOCK:
    case TREADLE_EV_SPIN_LOCK:
    case TREADLE_EV_SPIN_TRYLOCK:
    case TREADLE_EV_SPIN_UNLOCK:
    case TREADLE_EV_RDLOCK:
    case TREADLE_EV_WRLOCK:
    case TREADLE_EV_TRYRDLOCK:
    case TREADLE_EV_TRYWRLOCK:
    case TREADLE_EV_TIMEDRDLOCK:
    case TREADLE_EV_TIMEDWRLOCK:
    case TREADLE_EV_RWUNLOCK:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::vector<std::vector<UnitId>> order_on_objects(const Trace& trace, const Units& units) {
  std::vector<std::vector<UnitId>> order(units.all.size());
  std::unordered_set<std::uint64_t> missed;
  for (const Event& event : trace.events)
    if (is_lock_operation(static_cast<EventKind>(event.kind)) && event.kind != TREADLE_EV_RWUNLOCK && event.extra != 0)
      missed.insert(event.address);
  std::unordered_map<std::uint64_t, UnitId> last;
  const auto keep_order = [&](std::uint64_t object, UnitId unit) {
    const auto [entry, is_first] = last.try_emplace(object, unit);
    if (!is_first && entry->second != unit) order[unit].push_back(entry->second);
    entry->second = unit;
  };
  for (UnitId u = 0; u < units.all.size(); ++u) {
    if (units.all[u].left_out) continue;
    for (const std::uint32_t number : units.all[u].syncs) {
      const Event& event = trace.events[number];
      const auto kind = static_cast<EventKind>(event.kind);
      if (kind == TREADLE_EV_THREAD_CREATE || kind == TREADLE_EV_THREAD_JOIN || kind == TREADLE_EV_THREAD_EXIT || event.address == 0)
        continue;
      if (!is_lock_operation(kind) || missed.contains(event.address)) keep_order(event.address, u);
      if (kind == TREADLE_EV_COND_WAIT && missed.contains(event.value)) keep_order(event.value, u);
    }
  }
  return order;
}

ObservedPast::ObservedPast(const Trace& trace, const Units& units, std::span<const LockSection> sections)
    : units_(units), sections_(sections.begin(), sections.end()), included_(units.all.size(), 0) {
  std::uint32_t locks = 0;
  for (std::uint32_t s = 0; s < sections_.size(); ++s) {
    entered_by_[sections_[s].acquire].push_back(s);
    locks = std::max(locks, sections_[s].lock + 1);
  }
  last_.assign(locks, nothing);
  find_needs(trace);
}

void ObservedPast::find_needs(const Trace& trace) {
  std::vector<std::vector<UnitId>> needs = order_on_objects(trace, units_);
  for (UnitId u = 0; u < units_.all.size(); ++u) needs[u].insert(needs[u].end(), units_.all[u].must.begin(), units_.all[u].must.end());
  need_sources(needs);
  first_need_.push_back(0);
  for (const auto& list : needs) {
    needs_.insert(needs_.end(), list.begin(), list.end());
    first_need_.push_back(static_cast<std::uint32_t>(needs_.size()));
  }
}

/// Whoever wrote what a unit read; and if that was not the own store, that has to be out of the way.
void ObservedPast::need_sources(std::vector<std::vector<UnitId>>& needs) const {
  std::vector<UnitId> last(units_.cells.size(), nothing);
  for (UnitId u = 0; u < units_.all.size(); ++u) {
    const Unit& unit = units_.all[u];
    for (const UnitRead& read : unit.reads) {
      const bool on_its_way = read.own_flush != nothing && (read.own_flush > u || units_.all[read.own_flush].choice == nothing);
      if (on_its_way) continue;
      if (read.own_flush != nothing) needs[u].push_back(read.own_flush);
      if (last[read.cell] != nothing) needs[u].push_back(last[read.cell]);
    }
    if (unit.left_out || unit.choice == nothing) continue;
    for (const UnitWrite& write : unit.writes) last[write.cell] = u;
  }
}

bool ObservedPast::find(std::span<const UnitId> ends, std::span<const UnitId> units) {
  ++round_;
  fits_ = true;
  found_.clear();
  for (const std::uint32_t lock : touched_) last_[lock] = nothing;
  touched_.clear();
  refused_from_.fill(nothing);
  for (const UnitId end : ends) {
    UnitId& from = refused_from_[index_of(units_.all[end].thread)];
    from = std::min(from, units_.all[end].is_flush ? units_.all[end].partner : end);
  }
  for (const UnitId unit : units) include(unit);
  while (!open_.empty()) {
    const UnitId u = open_.back();
    open_.pop_back();
    for (std::uint32_t i = first_need_[u]; i < first_need_[u + 1]; ++i) include(needs_[i]);
    if (const auto sections = entered_by_.find(u); sections != entered_by_.end())
      for (const std::uint32_t s : sections->second) enter(sections_[s]);
  }
  return fits_;
}

void ObservedPast::include(UnitId unit) {
  if (included_[unit] == round_) return;
  const Unit& one = units_.all[unit];
  if ((one.is_flush ? one.partner : unit) >= refused_from_[index_of(one.thread)]) {
    fits_ = false;
    return;
  }
  included_[unit] = round_;
  found_.push_back(unit);
  open_.push_back(unit);
}

/// Whoever enters later needs that those before have left. (Readers are not told from writers: a part that is larger than it must be.)
void ObservedPast::enter(const LockSection& section) {
  std::uint32_t& last = last_[section.lock];
  const auto leave = [&](const LockSection& one) {
    if (one.release == nothing)
      fits_ = false;
    else
      include(one.release);
  };
  const auto number = static_cast<std::uint32_t>(&section - sections_.data());
  if (last == nothing) {
    touched_.push_back(section.lock);
    last = number;
  } else if (sections_[last].acquire < section.acquire) {
    leave(sections_[last]);
    last = number;
  } else if (last != number) {
    leave(section);
  }
}

std::vector<UnitId> ObservedPast::units() const {
  std::vector<UnitId> all = found_;
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace treadle

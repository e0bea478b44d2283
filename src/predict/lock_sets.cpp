// SPDX-License-Identifier: Apache-2.0
#include "predict/lock_sets.h"

#include <algorithm>
#include <array>

#include "trace/locks.h"

namespace treadle {

LockSets::LockSets(const Trace& trace) {
  at_.reserve(trace.events.size());
  LockWatch watch;
  std::array<LockSetId, 256> now{};
  std::array<bool, 256> exclusive{};
  for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
    const Event& event = trace.events[i];
    at_.push_back(now[event.thread]);
    const std::size_t before = watch.held().size();
    const bool was_exclusive = exclusive[event.thread];
    watch.take_in(event, i);
    if (event.kind == TREADLE_EV_EXCLUSIVE_BEGIN) exclusive[event.thread] = true;
    if (event.kind == TREADLE_EV_EXCLUSIVE_END && event.value == 0) exclusive[event.thread] = false;
    if (watch.held().size() == before && exclusive[event.thread] == was_exclusive) continue;
    std::vector<HeldLock> set;
    for (const Held& held : watch.held())
      if (index_of(held.thread) == event.thread) set.push_back({held.object, held.shared});
    if (exclusive[event.thread]) set.push_back({exclusive_section, false});
    std::sort(set.begin(), set.end());
    now[event.thread] = number(std::move(set));
  }
}

LockSetId LockSets::number(std::vector<HeldLock> set) {
  const auto [entry, is_new] = numbers_.try_emplace(std::move(set), static_cast<LockSetId>(sets_.size()));
  if (is_new) sets_.push_back(entry->first);
  return entry->second;
}

bool LockSets::exclude(LockSetId a, LockSetId b) const {
  for (const HeldLock& one : sets_[a])
    for (const HeldLock& other : sets_[b])
      if (one.object == other.object && !(one.shared && other.shared)) return true;
  return false;
}

}  // namespace treadle

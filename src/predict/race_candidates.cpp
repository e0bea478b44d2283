// SPDX-License-Identifier: Apache-2.0
#include "predict/race_candidates.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace treadle {
namespace {

/// Accesses of one place by one thread, which holds the same locks and knows the same of other threads: all or none of them are candidates,
/// except for what is ordered by joining.
struct Class {
  MemoryAccess like;
  LockSetId locks = 0;
  std::uint64_t pc = 0;
  std::vector<std::uint32_t> events;
};

constexpr std::uint64_t most_pairs = 4096;  // of two classes: beyond that only neighbours

std::vector<Class> classes_of(const Trace& trace, const Location& location, const ThreadOrder& order, const LockSets& locks) {
  using Key = std::tuple<std::uint8_t, std::uint64_t, bool, bool, LockSetId, std::uint32_t>;
  std::map<Key, std::size_t> known;
  std::vector<Class> all;
  for (const MemoryAccess& access : location) {
    const std::uint64_t pc = trace.events[access.event].pc;
    const LockSetId held = locks.at(access.event);
    const auto [entry, is_new] =
        known.try_emplace({access.thread, pc, access.writes, access.atomic, held, order.segment(access.event)}, all.size());
    if (is_new) all.push_back({access, held, pc, {}});
    all[entry->second].events.push_back(access.event);
  }
  return all;
}

RacePair pair_of(std::uint32_t a, std::uint32_t b) { return {std::min(a, b), std::max(a, b)}; }

/// Those of both classes that stand next to each other.
template <class Use>
void each_neighbours(const Class& a, const Class& b, Use use) {
  for (const std::uint32_t event : a.events) {
    const auto after = std::lower_bound(b.events.begin(), b.events.end(), event);
    if (after != b.events.end()) use(event, *after);
    if (after != b.events.begin()) use(event, *std::prev(after));
  }
}

void add_pairs(const Class& a, const Class& b, const ThreadOrder& order, RaceGroup& group) {
  std::uint64_t listed = 0;
  const auto add = [&](std::uint32_t one, std::uint32_t other) {
    ++listed;
    if (!order.ordered(one, other)) group.pairs.push_back(pair_of(one, other));
  };
  const std::uint64_t all = std::uint64_t{a.events.size()} * b.events.size();
  if (all <= most_pairs) {
    for (const std::uint32_t one : a.events)
      for (const std::uint32_t other : b.events) add(one, other);
  } else {
    each_neighbours(a, b, add);
    group.left_out += all - std::min(listed, all);
  }
}

}  // namespace

std::vector<RaceGroup> race_candidates(const Trace& trace, std::span<const Location> locations, const ThreadOrder& order,
                                       const LockSets& locks) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, RaceGroup> groups;
  for (const Location& location : locations) {
    const auto classes = classes_of(trace, location, order, locks);
    for (std::size_t i = 0; i < classes.size(); ++i)
      for (std::size_t k = i + 1; k < classes.size(); ++k) {
        const Class &a = classes[i], &b = classes[k];
        if (!conflict(a.like, b.like) || (a.like.atomic && b.like.atomic) || locks.exclude(a.locks, b.locks)) continue;
        const auto pcs = std::minmax(a.pc, b.pc);
        RaceGroup& group = groups[{pcs.first, pcs.second}];
        group.pcs[0] = pcs.first;
        group.pcs[1] = pcs.second;
        add_pairs(a, b, order, group);
      }
  }
  std::vector<RaceGroup> all;
  for (auto& [pcs, group] : groups) {
    const auto distance = [](const RacePair& p) { return std::tuple(p.second - p.first, p.first); };
    std::sort(group.pairs.begin(), group.pairs.end(), [&](const RacePair& a, const RacePair& b) { return distance(a) < distance(b); });
    const auto same = [](const RacePair& a, const RacePair& b) { return a.first == b.first && a.second == b.second; };
    group.pairs.erase(std::unique(group.pairs.begin(), group.pairs.end(), same), group.pairs.end());
    if (!group.pairs.empty() || group.left_out > 0) all.push_back(std::move(group));
  }
  return all;
}

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
#include "predict/regions.h"

#include <algorithm>
#include <array>
#include <map>

#include "trace/locks.h"

namespace treadle {
namespace {

std::vector<Region> marked_regions(const Trace& trace) {
  struct Open {
    std::uint32_t depth = 0, begin = 0;
  };
  const auto end = static_cast<std::uint32_t>(trace.events.size());
  std::array<Open, 256> open{};
  std::vector<Region> all;
  for (std::uint32_t i = 0; i < end; ++i) {
    const Event& event = trace.events[i];
    Open& here = open[event.thread];
    if (event.kind == TREADLE_EV_REGION_BEGIN && here.depth++ == 0) here.begin = i;
    if (event.kind == TREADLE_EV_REGION_END && here.depth > 0 && --here.depth == 0) all.push_back({event.thread, here.begin, i});
  }
  for (std::size_t t = 0; t < open.size(); ++t)
    if (open[t].depth > 0) all.push_back({static_cast<std::uint8_t>(t), open[t].begin, end});
  return all;
}

/// From taking a lock to giving it back, for each lock.
void add_critical_sections(const Trace& trace, std::vector<Region>& all) {
  const auto end = static_cast<std::uint32_t>(trace.events.size());
  std::map<std::uint64_t, Held> open;  // by the event that took it
  LockWatch watch;
  for (std::uint32_t i = 0; i < end; ++i) {
    const std::size_t before = watch.held().size();
    watch.take_in(trace.events[i], i);
    if (watch.held().size() == before) continue;
    for (const Held& held : watch.held()) open.try_emplace(held.event, held);
    std::erase_if(open, [&](const auto& entry) {
      const bool is_held = std::ranges::any_of(watch.held(), [&](const Held& h) { return h.event == entry.first; });
      if (!is_held) all.push_back({static_cast<std::uint8_t>(index_of(entry.second.thread)), static_cast<std::uint32_t>(entry.first), i});
      return !is_held;
    });
  }
  for (const auto& [event, held] : open)
    all.push_back({static_cast<std::uint8_t>(index_of(held.thread)), static_cast<std::uint32_t>(event), end});
}

}  // namespace

std::vector<Region> atomic_regions(const Trace& trace, bool critical_sections) {
  std::vector<Region> all = marked_regions(trace);
  if (critical_sections) add_critical_sections(trace, all);
  std::sort(all.begin(), all.end(), [](const Region& a, const Region& b) { return a.begin < b.begin; });
  return all;
}

}  // namespace treadle

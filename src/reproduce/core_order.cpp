// SPDX-License-Identifier: Apache-2.0
#include "reproduce/core_order.h"

#include <algorithm>
#include <map>

namespace treadle {
namespace {

/// A stretch on a core, as marks of its thread's way: from … to (not included).
struct Stretch {
  std::size_t way = 0;
  std::uint64_t time = 0, from = 0, to = 0;
};

std::vector<std::vector<Stretch>> stretches_of(const PtFlow& flow, const std::map<std::uint32_t, std::size_t>& way_of) {
  std::vector<std::vector<Stretch>> cores(flow.cores.size());
  std::vector<std::pair<std::size_t, std::size_t>> all;  // core, index
  for (std::size_t core = 0; core < flow.cores.size(); ++core)
    for (std::size_t i = 0; i < flow.cores[core].size(); ++i) {
      const PtStretch& stretch = flow.cores[core][i];
      const auto way = way_of.find(stretch.tid);
      if (way == way_of.end() || stretch.blocks.empty()) continue;
      cores[core].push_back({way->second, stretch.time, 0, stretch.blocks.size()});
      all.emplace_back(core, cores[core].size() - 1);
    }
  std::ranges::sort(all, {}, [&](const auto& at) { return cores[at.first][at.second].time; });
  std::map<std::size_t, std::uint64_t> so_far;
  for (const auto& [core, index] : all) {
    Stretch& stretch = cores[core][index];
    std::uint64_t& count = so_far[stretch.way];
    stretch.from = count;
    count += stretch.to;
    stretch.to = count;
  }
  return cores;
}

}  // namespace

std::size_t add_core_order(const PtFlow& flow, const RecordedRun& recording, Ways& ways) {
  if (!flow.losses.empty()) return 0;  // whose block is the how-manieth is not known any more
  std::map<std::uint32_t, std::size_t> way_of;
  for (const ThreadStream& thread : recording.threads)
    for (std::size_t i = 0; i < ways.threads.size(); ++i)
      if (ways.threads[i].thread == thread.name) way_of[static_cast<std::uint32_t>(thread.tid)] = i;

  std::size_t gates = 0;
  for (const auto& core : stretches_of(flow, way_of))
    for (std::size_t i = 1; i < core.size(); ++i) {
      const Stretch &first = core[i - 1], &second = core[i];
      if (first.way == second.way) continue;
      if (first.to > ways.threads[first.way].blocks.size() || second.from >= ways.threads[second.way].blocks.size()) continue;
      ways.threads[second.way].gates.push_back({second.from, first.way, first.to - 1});
      ++gates;
    }
  for (Way& way : ways.threads) std::ranges::sort(way.gates, {}, &Gate::position);
  return gates;
}

}  // namespace treadle

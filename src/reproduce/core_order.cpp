// SPDX-License-Identifier: Apache-2.0
#include "reproduce/core_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/atomic_file.h"
#include "record/pt_decode.h"

namespace treadle {
namespace {

/// A stretch on a core, as blocks of its thread's way: from … to (not included), by their number among blocks.
struct Stretch {
  std::size_t way = 0;
  std::uint64_t time = 0, from = 0, to = 0;
};

Result<PtFlow> flow_of_processor(const std::string& folder, const RecordedRun& recording, const std::string& side_band_bytes) {
  const auto side_band = decode_side_band(side_band_bytes, folder + "/pt");
  if (!side_band) return side_band.problem();
  std::vector<std::string> packets(side_band->cores);
  for (std::uint32_t core = 0; core < side_band->cores; ++core)
    if (auto read = read_file(fmt::format("{}/pt-{}", folder, core))) packets[core] = std::move(*read);
  BlockMap map;
  for (const LoadedAt& object : recording.objects)
    if (object.path.empty() && !map.add(recording.begin.program, object.base, recording.tables))
      return Problem{"the recorded program is gone, or has no map of its blocks: the order on its cores is not known", ""};
  return decode_pt(*side_band, {packets.begin(), packets.end()}, map);
}

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

Result<std::size_t> add_core_order(const std::string& folder, const RecordedRun& recording, Ways& ways) {
  std::error_code error;
  if (!std::filesystem::exists(folder + "/pt", error)) return std::size_t{0};
  const auto bytes = read_file(folder + "/pt");
  if (!bytes) return bytes.problem();
  const auto flow = flow_of_processor(folder, recording, *bytes);
  if (!flow) return flow.problem();
  if (!flow->losses.empty()) return std::size_t{0};  // whose block is the how-manieth is not known any more
  std::map<std::uint32_t, std::size_t> way_of;
  for (const ThreadStream& thread : recording.threads)
    for (std::size_t i = 0; i < ways.threads.size(); ++i)
      if (ways.threads[i].thread == thread.name) way_of[static_cast<std::uint32_t>(thread.tid)] = i;

  std::size_t gates = 0;
  for (const auto& core : stretches_of(*flow, way_of))
    for (std::size_t i = 1; i < core.size(); ++i) {
      const Stretch &first = core[i - 1], &second = core[i];
      const auto &done = ways.threads[first.way].entries, &next = ways.threads[second.way].entries;
      if (first.way == second.way || first.to > done.size() || second.from >= next.size()) continue;
      ways.threads[second.way].gates.push_back({next[second.from], first.way, done[first.to - 1]});
      ++gates;
    }
  for (Way& way : ways.threads) std::ranges::sort(way.gates, {}, &Gate::position);
  return gates;
}

}  // namespace treadle

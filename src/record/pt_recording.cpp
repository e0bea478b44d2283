// SPDX-License-Identifier: Apache-2.0
#include "record/pt_recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "base/atomic_file.h"

namespace treadle {
namespace {

/// Values of inputs stand in every stream; functions that are entered, only in those of programs that record their paths.
bool tells_of_paths(std::string_view stream) {
  for (; !stream.empty(); stream.remove_prefix(std::min<std::size_t>(16, stream.size()))) {
    std::uint64_t mark = 0;  // bytes that are missing were zero
    std::memcpy(&mark, stream.data(), std::min(sizeof mark, stream.size()));
    if (!TREADLE_IS_VALUE(mark)) return true;
  }
  return false;
}

}  // namespace

Result<std::optional<PtFlow>> processor_flow(const std::string& folder, const RecordedRun& recording) {
  std::error_code error;
  if (!std::filesystem::exists(folder + "/pt", error)) return std::optional<PtFlow>{};
  const auto bytes = read_file(folder + "/pt");
  if (!bytes) return bytes.problem();
  const auto side_band = decode_side_band(*bytes, folder + "/pt");
  if (!side_band) return side_band.problem();
  std::vector<std::string> packets(side_band->cores);
  for (std::uint32_t core = 0; core < side_band->cores; ++core) {
    const std::string name = fmt::format("{}/pt-{}", folder, core);
    auto read = read_file(name);
    if (!read) return read.problem();
    packets[core] = std::move(*read);
    if (core < side_band->bytes.size() && packets[core].size() != side_band->bytes[core])
      return Problem{fmt::format("cannot read {}: it has {} bytes and should have {}", name, packets[core].size(), side_band->bytes[core]),
                     ""};
  }
  BlockMap map;
  for (const LoadedAt& object : recording.objects)
    if (object.path.empty() && !map.add(recording.begin.program, object.base, recording.tables))
      return Problem{"the recorded program is gone, or has no map of its blocks: its processor's trace cannot be read",
                     "keep the program, built with `treadle cc --record=pt` or --record=both, next to its recording"};
  auto flow = decode_pt(*side_band, {packets.begin(), packets.end()}, map);
  if (!flow) return flow.problem();
  if (std::filesystem::exists(folder + "/pt-losses", error)) {  // nobody knows where
    flow->losses.push_back("the kernel could not keep up");
    flow->whole_until = 0;
    flow->threads.clear();
  }
  return std::optional(std::move(*flow));
}

bool has_no_paths(const RecordedRun& recording) {
  return std::ranges::none_of(recording.threads, [](const ThreadStream& thread) { return tells_of_paths(thread.bytes); });
}

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// The same run by both back ends: blocks of each thread from its stream of paths, and from (emulated) Intel PT. Prints what differs.
#include <fmt/format.h>

#include <algorithm>

#include "base/atomic_file.h"
#include "record/decode.h"
#include "record/pt_decode.h"
#include "record/recording.h"

using namespace treadle;

namespace {

int fail(const Problem& problem) { return fmt::print("{}\n", problem.sentence), 2; }

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string folder = argv[1];
  const auto run = read_recording(folder);
  if (!run) return fail(run.problem());
  const auto bytes = read_file(folder + "/pt");
  if (!bytes) return fail(bytes.problem());
  const auto side_band = decode_side_band(*bytes, folder + "/pt");
  if (!side_band) return fail(side_band.problem());
  std::vector<std::string> packets(side_band->cores);
  for (std::uint32_t core = 0; core < side_band->cores; ++core)
    if (auto read = read_file(fmt::format("{}/pt-{}", folder, core))) packets[core] = std::move(*read);
  BlockMap map;
  for (const LoadedAt& object : run->objects)
    if (object.path.empty() && !map.add(run->begin.program, object.base, run->tables))
      return fail({"the program has no map of its blocks", ""});
  const auto pt = decode_pt(*side_band, {packets.begin(), packets.end()}, map);
  if (!pt) return fail(pt.problem());
  for (const std::string& loss : pt->losses) fmt::print("loss: {}\n", loss);

  int differences = static_cast<int>(pt->losses.size());
  std::size_t blocks = 0, size = 0;
  for (const ThreadStream& thread : run->threads) {
    const auto flow = flow_of(run->tables, thread.bytes, thread.state == TREADLE_STREAM_ENDED, 10'000'000);
    if (!flow) return fail(flow.problem());
    const auto found = pt->threads.find(static_cast<std::uint32_t>(thread.tid));
    const std::vector<BlockId> none;
    const auto& traced = found == pt->threads.end() ? none : found->second;
    // Of an unfinished path the processor has seen the beginning; the stream has not.
    const bool same = flow->tail.frames.empty()
                          ? traced == flow->blocks
                          : traced.size() >= flow->blocks.size() && std::equal(flow->blocks.begin(), flow->blocks.end(), traced.begin());
    if (!same) {
      const auto [a, b] = std::mismatch(flow->blocks.begin(), flow->blocks.end(), traced.begin(), traced.end());
      fmt::print("thread {}: {} blocks by paths, {} by PT; first difference at {}\n", thread.name, flow->blocks.size(), traced.size(),
                 a - flow->blocks.begin());
      ++differences;
    }
    blocks += flow->blocks.size();
  }
  std::size_t stretches = 0;
  for (const auto& core : pt->cores) {
    stretches += core.size();
    if (!std::ranges::is_sorted(core, {}, &PtStretch::time)) fmt::print("a core's stretches are not in order\n"), ++differences;
  }
  for (const std::string& part : packets) size += part.size();
  fmt::print("{} threads, {} blocks, {} bytes of packets, {} stretches on {} cores: {}\n", run->threads.size(), blocks, size, stretches,
             packets.size(), differences == 0 ? "the same" : "different");
  return differences == 0 ? 0 : 1;
}

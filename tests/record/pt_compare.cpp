// SPDX-License-Identifier: Apache-2.0
// The same run by both back ends: blocks of each thread and returns of its calls, from its stream of paths and from (emulated) Intel PT.
// Prints what differs.
#include <fmt/format.h>

#include <algorithm>

#include "abi/follow.h"
#include "record/pt_recording.h"

using namespace treadle;

namespace {

int fail(const Problem& problem) { return fmt::print("{}\n", problem.sentence), 2; }

class Marks final : public PathVisitor {
 public:
  void blocks(std::uint32_t function, std::span<const std::uint32_t> blocks, std::uint64_t times) override {
    for (std::uint64_t i = 0; i < times; ++i)
      for (const std::uint32_t block : blocks) list.push_back({function, block});
  }
  void goes_on(std::uint32_t function, std::uint32_t node) override { list.push_back({function, TREADLE_RETURNS_AT | node}); }
  std::vector<BlockId> list;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string folder = argv[1];
  const auto run = read_recording(folder);
  if (!run) return fail(run.problem());
  const auto read = processor_flow(folder, *run);
  if (!read) return fail(read.problem());
  if (!*read) return fail({"there is no processor's trace", ""});
  const PtFlow& pt = **read;
  for (const std::string& loss : pt.losses) fmt::print("loss: {}\n", loss);

  int differences = static_cast<int>(pt.losses.size());
  std::size_t blocks = 0;
  for (const ThreadStream& thread : run->threads) {
    Marks marks;
    const auto tail = decode_stream(run->tables, thread.bytes, thread.state == TREADLE_STREAM_ENDED, marks);
    if (!tail) return fail(tail.problem());
    const auto found = pt.threads.find(static_cast<std::uint32_t>(thread.tid));
    const std::vector<BlockId> none;
    const auto& traced = found == pt.threads.end() ? none : found->second;
    const auto& told = marks.list;
    // Of an unfinished path the processor has seen the beginning; the stream has not.
    const bool same =
        tail->frames.empty() ? traced == told : traced.size() >= told.size() && std::equal(told.begin(), told.end(), traced.begin());
    if (!same) {
      const auto [a, b] = std::mismatch(told.begin(), told.end(), traced.begin(), traced.end());
      fmt::print("thread {}: {} by paths, {} by PT; first difference at {}\n", thread.name, told.size(), traced.size(), a - told.begin());
      ++differences;
    }
    blocks += told.size();
  }
  std::size_t stretches = 0;
  for (const auto& core : pt.cores) {
    stretches += core.size();
    if (!std::ranges::is_sorted(core, {}, &PtStretch::time)) fmt::print("a core's stretches are not in order\n"), ++differences;
  }
  fmt::print("{} threads, {} blocks and returns, {} stretches on {} cores: {}\n", run->threads.size(), blocks, stretches, pt.cores.size(),
             differences == 0 ? "the same" : "different");
  return differences == 0 ? 0 : 1;
}

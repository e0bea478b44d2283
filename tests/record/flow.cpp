// SPDX-License-Identifier: Apache-2.0
// Prints the blocks of a recording's threads, for comparison: "thread NAME TID STATE", then "PIECE FUNCTION BLOCK" for each block.
#include <fmt/format.h>

#include "record/decode.h"
#include "record/recording.h"

using namespace treadle;

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto run = read_recording(argv[1]);
  if (!run) return fmt::print(stderr, "{}\n", run.problem().sentence), 2;
  for (const ThreadStream& thread : run->threads) {
    const auto flow = flow_of(run->tables, thread.bytes, thread.state == TREADLE_STREAM_ENDED, 100'000'000);
    if (!flow) return fmt::print(stderr, "thread {}: {}\n", thread.name, flow.problem().sentence), 2;
    fmt::print("thread {} {} {}\n", thread.name, thread.tid, static_cast<int>(thread.state));
    for (const BlockId& id : flow->blocks) {
      const PathFunction& function = run->tables.functions()[id.function];
      fmt::print("{} {} {}\n", function.piece, function.number, id.block);
    }
  }
  return 0;
}

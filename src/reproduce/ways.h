// SPDX-License-Identifier: Apache-2.0
// The ways of a recording's threads, as the blocks of another build of the same source: what abi/follow.h wants.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "abi/follow.h"
#include "base/result.h"
#include "record/recording.h"

namespace treadle {

struct Way {
  std::string thread;                 // path in the spawn tree
  std::vector<std::uint64_t> blocks;  // marks, in order
  std::vector<std::uint64_t> tail;    // may come behind them
  std::vector<std::uint64_t> inputs;
  std::uint32_t flags = 0;  // TREADLE_FOLLOW_*
};

struct Ways {
  std::vector<Way> threads;
  std::vector<std::string> notes;  // what of the recording cannot be followed, a sentence each
  std::uint64_t blocks() const;    // of all threads
};

/// `program`: the tables of the build that is to follow. A Problem when it is another program, or the recording is damaged.
Result<Ways> ways_of(const RecordedRun& recording, const PathTables& program);

/// As the runtime reads it.
std::string encode(const Ways& ways);

/// The name that the runtime gives a thread; 0 for main. Nothing: this is no path in the spawn tree.
std::optional<std::uint64_t> thread_hash(const std::string& name);

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// The ways of a recording's threads, as the blocks of another build of the same source: what abi/follow.h wants.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "abi/follow.h"
#include "base/result.h"
#include "record/pt_recording.h"

namespace treadle {

/// The thread makes no step behind this block of its way before that thread has entered that block of its own.
struct Gate {
  std::uint64_t position = 0;
  std::size_t way = 0;
  std::uint64_t other = 0;
};

struct Way {
  std::string thread;                 // path in the spawn tree
  std::vector<std::uint64_t> blocks;  // marks of blocks and of returns of calls, in order
  std::vector<std::uint64_t> tail;    // may come behind them
  std::vector<std::uint64_t> inputs;
  std::vector<Gate> gates;  // in order; see core_order.h
  std::uint32_t flags = 0;  // TREADLE_FOLLOW_*
};

struct Ways {
  std::vector<Way> threads;
  std::vector<std::string> notes;  // what of the recording cannot be followed, a sentence each
  std::uint64_t blocks() const;    // of all threads
  bool leads(const std::string& thread) const;
};

/// `program`: the tables of the build that is to follow. `processor`: what the processor's trace says, if there is one; it is all there is
/// to go by when the recorded program left its paths to the processor. A Problem when it is another program, or the recording is damaged.
Result<Ways> ways_of(const RecordedRun& recording, const PathTables& program, const PtFlow* processor = nullptr);

struct HowToFollow {
  bool gates = false;  // also by the order on each core
  bool tells = false;  // and say where each thread is
};

/// As the runtime reads it.
std::string encode(const Ways& ways, const HowToFollow& how);

}  // namespace treadle

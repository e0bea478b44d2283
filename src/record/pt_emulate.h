// SPDX-License-Identifier: Apache-2.0
// A processor with Intel PT, in software: runs a program instruction by instruction (ptrace) on so many cores that it pretends to have,
// switches threads there, and writes what the hardware would write for the program's own code. Tens of thousands of instructions a second:
// for tests of everything behind the packets, on machines without PT.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "record/pt_side_band.h"

namespace treadle {

struct PtEmulation {
  std::uint32_t cores = 2;
  std::uint32_t slice = 400;      // instructions until another thread gets the core, on average
  std::uint64_t seed = 1;         // of how many it is each time
  double hang_after_seconds = 0;  // so long nothing moves, or a hundred times as long it does not end; 0: never
};

struct PtTrace {
  PtSideBand side_band;
  std::vector<std::string> packets;  // of each core
  int status = 0;                    // as of waitpid
  bool hangs = false;                // and is still there: nobody has waited for it
};

/// The process has just been started for tracing and stands before its first instruction.
Result<PtTrace> emulate_pt(pid_t process, const std::string& program, const PtEmulation& how);

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// Runs a program, natively and on all its cores, and leaves a recording of the run.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace treadle {

struct RecordRequest {
  std::string program;
  std::vector<std::string> arguments;
  std::string folder;             // must not exist yet
  std::string stdin_file;         // empty: our own standard input
  double hang_after_seconds = 0;  // 0: never
  double last_seconds = 0;        // of each thread only what it did so long before it ended; 0: everything
  bool intel_pt = false;          // also a trace of the processor
  bool emulate_pt = false;        // also a trace as Intel PT would make it; slow
};

/// Problems are those of the recording; how the program ended is in it.
Result<Done> record(const RecordRequest& request);

/// The tables of paths in a binary; empty when it was not built with --record.
std::string path_tables_in(const std::string& binary);

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// A Schedule under gdb: the program itself, with real threads that follow the Schedule, stopped where it fails.
#pragma once

#include <string>
#include <vector>

#include "subject/subject.h"

namespace treadle {

struct DebugRequest {
  SubjectOptions subject;
  Schedule schedule;
  std::uint64_t stop_at_event = UINT64_MAX;  // besides the end of the execution
  std::vector<std::string> gdb_arguments;    // for example {"-batch", "-ex", "bt"}: run after the program has stopped
};

/// Runs gdb until its user leaves it. The program's exit status does not matter; a Problem means that gdb could not be started.
Result<Done> debug(const DebugRequest& request);

}  // namespace treadle

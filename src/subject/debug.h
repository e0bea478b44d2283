// SPDX-License-Identifier: Apache-2.0
// A Schedule under gdb: the program itself, with real threads that follow the Schedule, stopped where it fails.
#pragma once

#include <string>
#include <vector>

#include "subject/subject.h"

namespace treadle {

/// An event as the debugger's user is told of it.
struct DebugEvent {
  std::string thread;  // "0.1"
  std::string text;    // "read counter 0 (written by 0.2 in step 7)"
  std::string place;   // "bank.c:12"
};

struct DebugRequest {
  SubjectOptions subject;
  Schedule schedule;
  std::vector<DebugEvent> events;          // all of the execution, by number
  std::vector<std::uint64_t> named;        // those that the finding names, in their order; the program stops at the first
  std::string why;                         // the finding in words
  std::vector<std::string> gdb_arguments;  // for example {"-batch", "-ex", "bt"}: run after the program has stopped
};

/// Runs gdb until its user leaves it. The program's exit status does not matter; a Problem means that gdb could not be started.
Result<Done> debug(const DebugRequest& request);

}  // namespace treadle

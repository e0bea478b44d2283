// SPDX-License-Identifier: Apache-2.0
// The wait-for graph of an execution in which nobody could go on.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/locks.h"
#include "trace/trace.h"

namespace treadle {

/// One thread waits for another; `event` took what it waits for, or is UINT64_MAX (a join).
struct Wait {
  const PendingOperation* waiter = nullptr;
  ThreadId for_thread{};
  std::uint64_t taken_by = UINT64_MAX;
};

struct WaitForGraph {
  explicit WaitForGraph(const Trace& trace);

  std::vector<const PendingOperation*> blocked;  // who waits, by thread number
  std::vector<Held> held;
  std::vector<Wait> waits;  // only for what somebody holds, or for the end of a thread

  /// Rings of threads each waiting for the next, each ring once, from its lowest thread number on. Rings that share a thread count as one.
  std::vector<std::vector<Wait>> cycles() const;
};

}  // namespace treadle

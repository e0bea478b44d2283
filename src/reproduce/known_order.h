// SPDX-License-Identifier: Apache-2.0
// Which accesses of a run that follows a recording come before which in every run that does: by program order, by creating and joining
// threads and, where a processor's trace has it, by the order on each core.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "reproduce/ways.h"
#include "trace/trace.h"

namespace treadle {

/// One access to one place. An access that reads and writes is two, the read first.
struct LedAccess {
  std::uint32_t thread = 0;
  std::uint32_t moment = 0;  // how-manieth thing that its thread did
  bool writes = false;
  std::uint32_t rank = 0;            // an order of all accesses of all threads that agrees with what is known
  std::vector<std::uint32_t> clock;  // of each thread, how many moments are known to be before this one
};

bool is_before(const LedAccess& a, const LedAccess& b);

/// Of all places that several threads access and somebody writes.
using LedAccesses = std::map<std::uint64_t, std::vector<LedAccess>>;

/// `told`: a run in which each thread tells of its blocks (HowToFollow::tells), with plain accesses recorded.
LedAccesses led_accesses(const Trace& told, const Ways& ways, bool with_core_order);

}  // namespace treadle

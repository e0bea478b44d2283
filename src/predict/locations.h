// SPDX-License-Identifier: Apache-2.0
// The memory that several threads use, and not only to read: for each location its accesses in the order of the trace.
//
// A location is the largest range of bytes that no access splits, within one life of its heap block.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace treadle {

struct MemoryAccess {
  std::uint32_t event = 0;
  std::uint8_t thread = 0;
  bool reads = false, writes = false, atomic = false;
};

/// What an event does to memory; nothing for one that is no access.
MemoryAccess access_of(const Trace& trace, std::uint32_t event);
inline bool is_access(const MemoryAccess& access) { return access.reads || access.writes; }

inline bool conflict(const MemoryAccess& a, const MemoryAccess& b) { return a.thread != b.thread && (a.writes || b.writes); }

using Location = std::vector<MemoryAccess>;

std::vector<Location> shared_locations(const Trace& trace);

}  // namespace treadle

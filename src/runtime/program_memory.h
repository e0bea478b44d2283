// SPDX-License-Identifier: Apache-2.0
// Library functions that touch the program's memory on its behalf are accesses like its own: races and heap errors count. They happen
// within the step of the call, so no step of their own is announced.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/heap.h"
#include "runtime/race.h"
#include "runtime/scheduler.h"
#include "runtime/symbolic.h"

namespace treadle {

inline void program_accesses(const void* at, std::size_t bytes, bool writes, std::uint64_t pc) noexcept {
  if (!active() || bytes == 0) return;
  const World& w = world();
  const auto address = reinterpret_cast<std::uint64_t>(at);
  heap_check_range(address, bytes, writes, pc);
  if (writes) symbolic_forget(address, bytes);
  if (w.check_races) race_check_range({address, 0, writes ? Access::Write : Access::Read, pc}, bytes);
  if (w.record_plain) record(writes ? TREADLE_EV_RANGE_WRITE : TREADLE_EV_RANGE_READ, address, 0, bytes, pc);
}

inline void program_reads(const void* from, std::size_t bytes, std::uint64_t pc) noexcept { program_accesses(from, bytes, false, pc); }
inline void program_writes(void* to, std::size_t bytes, std::uint64_t pc) noexcept { program_accesses(to, bytes, true, pc); }

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// Library functions that touch the program's memory on its behalf are accesses like its own: races with them count.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/race.h"

namespace treadle {

inline void program_reads(const void* from, std::size_t bytes, std::uint64_t pc) noexcept {
  if (active() && world().check_races && bytes > 0)
    race_check_range({reinterpret_cast<std::uint64_t>(from), 0, Access::Read, pc}, bytes);
}

inline void program_writes(void* to, std::size_t bytes, std::uint64_t pc) noexcept {
  if (active() && world().check_races && bytes > 0)
    race_check_range({reinterpret_cast<std::uint64_t>(to), 0, Access::Write, pc}, bytes);
}

}  // namespace treadle

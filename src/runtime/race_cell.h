// SPDX-License-Identifier: Apache-2.0
// Plain accesses against the two words of a cell. See race.h for the idea. Inline, because it is the way of every first access to a
// location after a synchronisation.
#pragma once

#include "runtime/race.h"

namespace treadle {

/// What remains of `word` beside new bytes can be dropped or merged, so that one word is enough.
inline bool fits(std::uint64_t word, std::uint64_t bytes, const Thread& self) noexcept {
  if ((bytes_in(word) & ~bytes) == 0 || (word ^ self.epoch) >> 32 == 0) return true;
  return is_settled(word) || (refresh_settled() && is_settled(word));
}

inline std::uint64_t merged(std::uint64_t word, std::uint64_t bytes, const Thread& self, std::uint64_t pc) noexcept {
  if ((word ^ self.epoch) >> 32 == 0) bytes |= bytes_in(word);
  return make_word(self.epoch, bytes, pc);
}

inline void expect_ordered(std::uint64_t word, Access earlier, std::uint64_t bytes, const Thread& self, const Accessed& what) noexcept {
  if ((bytes_in(word) & bytes) == 0 || ordered(word, *self.clock)) return;
  report_race(word, earlier, full_pc(word & kPcBits, what.pc), what);
}

/// A thread's own write stands for its reads of the same bytes at the same time, so these are put into the other word as well, where the
/// short way of reads looks; unless they would displace a read that still counts.
inline std::uint64_t read_as_well(std::uint64_t read, std::uint64_t bytes, const Thread& self, std::uint64_t pc) noexcept {
  const std::uint64_t left = without(read, bytes);
  if (left == 0 || (left ^ self.epoch) >> 32 == 0 || is_settled(left)) return merged(left, bytes, self, pc);
  return left;
}

inline void check_write(Cell& cell, std::uint64_t bytes, const Thread& self, const Accessed& what) noexcept {
  if (cell.write != 0) {
    if (!fits(cell.write, bytes, self)) return granule_access(cell, bytes, what);
    expect_ordered(cell.write, Access::Write, bytes, self, what);
  }
  if (cell.read != 0) expect_ordered(real_reads(cell), Access::Read, bytes, self, what);
  // Whoever is unordered with the reads that this write follows is unordered with the write too.
  set_cell(cell, merged(cell.write, bytes, self, what.pc), read_as_well(cell.read, bytes, self, what.pc));
}

inline void check_read(Cell& cell, std::uint64_t bytes, const Thread& self, const Accessed& what) noexcept {
  const std::uint64_t read = cell.read;
  if (same_epoch(cell.write, self.epoch, bytes)) {
    const std::uint64_t both = read_as_well(read, bytes, self, what.pc);
    if (both != read && same_epoch(both, self.epoch, bytes)) set_cell(cell, cell.write, both);
    return;
  }
  if (read != 0) {
    // A reader that is not ordered before this one must be kept beside it.
    if (!ordered(read, *self.clock) || !fits(read, bytes, self)) return granule_access(cell, bytes, what);
  }
  if (cell.write != 0) expect_ordered(cell.write, Access::Write, bytes, self, what);
  set_cell(cell, cell.write, merged(read, bytes, self, what.pc));
}

inline void cell_access(Cell& cell, std::uint64_t bytes, const Accessed& what) noexcept {
  const Thread& self = *world().current;
  if (cell.write >= kSideRecord) {
    if (has_side_record(cell)) return granule_access(cell, bytes, what);
    set_cell(cell, 0, 0);
  }
  if (what.kind == Access::Write)
    check_write(cell, bytes, self, what);
  else
    check_read(cell, bytes, self, what);
}

}  // namespace treadle

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

/// What stays in a word beside an access to `bytes` at this time: bytes of the same time, or nothing when the access covers it all and
/// comes after it. Neither: -1.
inline int kept(std::uint64_t word, std::uint64_t bytes, const Thread& self) noexcept {
  if ((word ^ self.epoch) >> 32 == 0) return static_cast<int>(bytes_in(word));
  return (bytes_in(word) & ~bytes) == 0 && ordered(word, *self.clock) ? 0 : -1;
}

/// Nine of ten first accesses: nothing in the cell but what this access follows and covers, or what the thread did at the same time. The
/// same result as below, in a quarter of the time. False: nothing is done yet.
template <Access kKind>
inline bool simple_access(Cell& cell, std::uint64_t bytes, std::uint64_t pc) noexcept {
  const Thread& self = *world().current;
  const std::uint64_t write = cell.write, read = cell.read;
  if ((write | read) == 0) {  // fresh from the heap, mostly
    const std::uint64_t word = make_word(self.epoch, bytes, pc);
    set_cell(cell, kKind == Access::Write ? word : 0, word);
    return true;
  }
  if (write >= kSideRecord) return false;
  const int reads = kept(read, bytes, self);
  if (reads < 0) return false;
  const std::uint64_t read_now = make_word(self.epoch, bytes | static_cast<unsigned>(reads), pc);
  if (kKind == Access::Read) {
    if ((bytes_in(write) & bytes) != 0 && !ordered(write, *self.clock)) return false;
    set_cell(cell, write, read_now);
    return true;
  }
  const int writes = kept(write, bytes, self);
  if (writes < 0) return false;
  set_cell(cell, make_word(self.epoch, bytes | static_cast<unsigned>(writes), pc), read_now);
  return true;
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

/// An access of up to 8 bytes.
template <Access kKind>
__attribute__((always_inline)) inline void race_check_first(std::uint64_t address, unsigned size, std::uint64_t pc) noexcept {
  const Accessed what{address, size, kKind, pc};
  if (__builtin_expect((address & 7) + size > 8, 0)) return race_check_range(what, size);
  Cell& cell = cell_of(address);
  const std::uint64_t bytes = bytes_of(address, size);
  if (!simple_access<kKind>(cell, bytes, pc)) race_check(cell, bytes, what);
}

}  // namespace treadle

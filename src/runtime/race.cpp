// SPDX-License-Identifier: Apache-2.0
// Plain accesses against the two words of a cell. See race.h for the idea.
#include "runtime/race.h"

#include "runtime/scheduler.h"

namespace treadle {

namespace {

/// What remains of `word` beside new bytes can be dropped or merged, so that one word is enough.
bool fits(std::uint64_t word, std::uint64_t bytes, const Thread& self) noexcept {
  if ((bytes_in(word) & ~bytes) == 0 || (word ^ self.epoch) >> 32 == 0) return true;
  return is_settled(word) || (refresh_settled() && is_settled(word));
}

std::uint64_t merged(std::uint64_t word, std::uint64_t bytes, const Thread& self, std::uint64_t pc) noexcept {
  if ((word ^ self.epoch) >> 32 == 0) bytes |= bytes_in(word);
  return make_word(self.epoch, bytes, pc);
}

void expect_ordered(std::uint64_t word, Access earlier, std::uint64_t bytes, const Thread& self, const Accessed& what) noexcept {
  if ((bytes_in(word) & bytes) == 0 || ordered(word, *self.clock)) return;
  report_race(word, earlier, full_pc(word & kPcBits, what.pc), what);
}

/// A thread's own write stands for its reads of the same bytes at the same time, so these are put into the other word as well, where the short way of reads
/// looks; unless they would displace a read that still counts.
std::uint64_t read_as_well(std::uint64_t read, std::uint64_t bytes, const Thread& self, std::uint64_t pc) noexcept {
  const std::uint64_t left = without(read, bytes);
  if (left == 0 || (left ^ self.epoch) >> 32 == 0 || is_settled(left)) return merged(left, bytes, self, pc);
  return left;
}

void check_write(Cell& cell, std::uint64_t bytes, const Thread& self, const Accessed& what) noexcept {
  if (cell.write != 0) {
    if (!fits(cell.write, bytes, self)) return granule_access(cell, bytes, what);
    expect_ordered(cell.write, Access::Write, bytes, self, what);
  }
  if (cell.read != 0) expect_ordered(real_reads(cell), Access::Read, bytes, self, what);
  // Whoever is unordered with the reads that this write follows is unordered with the write too.
  set_cell(cell, merged(cell.write, bytes, self, what.pc), read_as_well(cell.read, bytes, self, what.pc));
}

void check_read(Cell& cell, std::uint64_t bytes, const Thread& self, const Accessed& what) noexcept {
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

}  // namespace

void race_check(Cell& cell, std::uint64_t bytes, const Accessed& what) noexcept {
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

void race_check_range(const Accessed& what, std::uint64_t bytes) noexcept {
  const std::uint64_t epoch = world().current->epoch;
  std::uint64_t at = what.address;
  const std::uint64_t end = at + bytes;
  while (at < end) {
    const std::uint64_t next = (at | 7) + 1 < end ? (at | 7) + 1 : end;
    const auto here = static_cast<unsigned>(next - at);
    Cell& cell = cell_of(at);
    const std::uint64_t mask = bytes_of(at, here);
    const bool known = same_epoch(cell.write, epoch, mask) || (what.kind == Access::Read && same_epoch(cell.read, epoch, mask));
    if (!known) race_check(cell, mask, {at, here, what.kind, what.pc});
    at = next;
  }
}

void race_free(std::uint64_t address, std::uint64_t bytes, std::uint64_t pc) noexcept {
  const RaceState& race = *world().race;
  for (std::uint64_t at = address & ~7ull; at < address + bytes; at += 8) {
    Cell& cell = cell_of(at);
    if (cell.write < kSideRecord && time_in(cell.write) <= race.base && time_in(cell.read) <= race.base) continue;
    if (stale_side_record(cell)) continue;
    race_check(cell, 0xff, {at, 8, Access::Write, pc});
    granule_forget(cell);
  }
}

void race_forget_range(std::uint64_t address, std::uint64_t bytes) noexcept {
  if (!active() || !world().check_races) return;
  for (std::uint64_t at = address & ~7ull; at < address + bytes; at += 8) {
    Cell& cell = cell_of(at);
    if (cell.write != 0 || cell.read != 0) granule_forget(cell);
  }
}

bool refresh_settled() noexcept {
  const World& w = world();
  RaceState& race = *w.race;
  const std::uint64_t version = race.order_version << 8 | w.live_threads;
  if (version == race.settled_version) return false;
  race.settled_version = version;
  bool first = true;
  for (unsigned id = 0; id <= w.highest_thread; ++id) {
    const Thread& t = w.threads[id];
    if (t.state != ThreadState::Live || t.clock == nullptr) continue;
    if (first)
      copy_clock(*race.settled, *t.clock);
    else
      for (unsigned i = 0; i < race.entries; ++i)
        if (t.clock->at[i] < race.settled->at[i]) race.settled->at[i] = t.clock->at[i];
    first = false;
  }
  return true;
}

}  // namespace treadle

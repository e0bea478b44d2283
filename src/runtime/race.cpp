// SPDX-License-Identifier: Apache-2.0
// Ranges, freed memory, and what is settled. See race.h for the idea.
#include "runtime/race.h"

#include "runtime/race_cell.h"

namespace treadle {

void race_check(Cell& cell, std::uint64_t bytes, const Accessed& what) noexcept { cell_access(cell, bytes, what); }

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
    if (!known) cell_access(cell, mask, {at, here, what.kind, what.pc});
    at = next;
  }
}

void race_free(std::uint64_t address, std::uint64_t bytes, std::uint64_t pc) noexcept {
  const Clock& mine = *world().current->clock;
  for (std::uint64_t at = address & ~7ull; at < address + bytes; at += 8) {
    Cell& cell = cell_of(at);
    if (cell.write < kSideRecord && ordered(cell.write, mine) && ordered(cell.read, mine)) {
      if ((cell.write | cell.read) != 0) set_cell(cell, 0, 0);
      continue;
    }
    if (stale_side_record(cell)) continue;
    cell_access(cell, 0xff, {at, 8, Access::Write, pc});
    granule_forget(cell);
  }
}

void race_forget_range(std::uint64_t address, std::uint64_t bytes) noexcept {
  if (!active() || !world().check_races) return;
  constexpr std::uint64_t kPage = 4096, kLarge = 1 << 16;
  if (bytes >= kLarge && process().snapshots_live == 0) {
    const std::uint64_t from = (address + kPage - 1) & ~(kPage - 1), to = (address + bytes) & ~(kPage - 1);
    drop_shadow(from, to - from);
    race_forget_range(address, from - address);
    race_forget_range(to, address + bytes - to);
    return;
  }
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

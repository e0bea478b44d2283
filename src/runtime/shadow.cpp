// SPDX-License-Identifier: Apache-2.0
// Where shadow memory lives, how it outlasts executions, how it is taken back with a snapshot, and how a race is told.
#include <sys/mman.h>

#include "runtime/code.h"
#include "runtime/race.h"
#include "runtime/scheduler.h"
#include "runtime/snapshot.h"
#include "runtime/spin.h"
#include "runtime/start.h"
#include "runtime/store_buffer.h"
#include "runtime/sys.h"

namespace treadle {

namespace {

struct Range {
  std::uint64_t from, to;
};

/// Where a program's memory usually is. Their shadows do not overlap, nor meet the executable, which lies between them.
constexpr Range kUsual[] = {
    {0, 1ull << 32},
    {TREADLE_AT_STACKS, TREADLE_AT_STACKS + 256 * TREADLE_STACK_SLOT},
    {TREADLE_AT_HEAP, TREADLE_AT_HEAP + 256 * TREADLE_HEAP_SLOT},
    {TREADLE_AT_MAPPINGS, TREADLE_AT_MAPPINGS + TREADLE_MAPPINGS_BYTES},
    {0x555500000000ull, 0x555700000000ull},
    {0x7ff000000000ull, 0x800000000000ull},
};

constexpr std::uint64_t kShadowEnd = TREADLE_AT_SHADOW + (kShadowedBits + 1) * 2;
constexpr std::uint64_t kChunk = 2ull << 20;
constexpr unsigned kMostRanges = 1024;

struct Undo {
  Cell* cell;
  Cell was;
};

/// Outlives executions, so it has a place of its own that no reset touches.
struct Book {
  std::uint64_t undo_count;
  unsigned extra_count;  // memory at unusual places
  unsigned chunk_count;  // shadow mapped because somebody touched it
  Range extra[kMostRanges];
  std::uint64_t chunks[kMostRanges];
};
constexpr std::uint64_t kAtBook = 0x2d0000000000ull;
constexpr std::uint64_t kAtUndo = kAtBook + 0x100000;
constexpr std::uint64_t kUndoBytes = 1ull << 26;
constexpr std::uint64_t kMostUndo = kUndoBytes / sizeof(Undo);
static_assert(sizeof(Book) < kAtUndo - kAtBook);

Book& book() noexcept { return *reinterpret_cast<Book*>(kAtBook); }
Undo* undo_log() noexcept { return reinterpret_cast<Undo*>(kAtUndo); }

std::uint64_t shadow_at(std::uint64_t address) noexcept { return TREADLE_AT_SHADOW + (address & kShadowedBits) * 2; }

bool map(std::uint64_t at, std::uint64_t bytes) noexcept {
  if (map_fixed(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE) != at) return false;
  sys(SYS_madvise, static_cast<long>(at), static_cast<long>(bytes), MADV_DONTDUMP);
  return true;
}

void drop(std::uint64_t at, std::uint64_t bytes) noexcept {
  sys(SYS_madvise, static_cast<long>(at), static_cast<long>(bytes), MADV_DONTNEED);
}

void drop_all_shadow() noexcept {
  for (const Range& r : kUsual) drop(shadow_at(r.from), (r.to - r.from) * 2);
  const Book& b = book();
  for (unsigned i = 0; i < b.extra_count; ++i) drop(shadow_at(b.extra[i].from), (b.extra[i].to - b.extra[i].from) * 2);
  for (unsigned i = 0; i < b.chunk_count; ++i) drop(b.chunks[i], kChunk);
}

/// True the first time in an execution.
bool first_time(std::uint64_t key) noexcept {
  RaceState& race = *world().race;
  if (race.reported_count * 2 >= race.reported_capacity) {
    const std::uint64_t* old = race.reported;
    const unsigned old_capacity = race.reported_capacity;
    race.reported_capacity = old_capacity == 0 ? 64 : old_capacity * 2;
    race.reported = arena_new<std::uint64_t>(race.reported_capacity);
    race.reported_count = 0;
    for (unsigned i = 0; i < old_capacity; ++i)
      if (old[i] != 0) first_time(old[i]);
  }
  const unsigned mask = race.reported_capacity - 1;
  for (std::uint64_t at = key >> 32;; ++at) {
    std::uint64_t& slot = race.reported[at & mask];
    if (slot == key) return false;
    if (slot != 0) continue;
    slot = key;
    ++race.reported_count;
    return true;
  }
}

constexpr bool is_write(Access a) noexcept { return a == Access::Write || a == Access::AtomicWrite; }
constexpr bool is_atomic(Access a) noexcept { return a >= Access::AtomicRead; }

}  // namespace

void race_start() noexcept {
  if (!map(kAtBook, kAtUndo - kAtBook + kUndoBytes)) refuse("the program's address space has no room for the race detector");
  for (const Range& r : kUsual)
    if (!map(shadow_at(r.from), (r.to - r.from) * 2)) refuse("the program's address space has no room for the race detector");
  note_code();
}

void race_execution_begin() noexcept {
  World& w = world();
  Process& p = process();
  w.race = arena_new<RaceState>();
  Thread& main = w.threads[0];
  main.epoch = 0;
  set_short_way(main, 0);
  g_running.touched = 0;
  main.clock = nullptr;
  if (!w.check_races) return;
  if (p.snapshots_live == 0) book().undo_count = 0;
  ++p.race_generation;
  const bool nearly_used_up = p.clock_top > kMaxTime / 2 || p.race_generation >= kMaxTime;
  if (nearly_used_up && p.snapshots_live == 0) {
    drop_all_shadow();
    p.clock_top = 0;
    p.race_generation = 1;
  }
  p.clock_base = p.clock_top;
  RaceState& race = *w.race;
  race.base = static_cast<std::uint32_t>(p.clock_base);
  race.tag = kSideRecord | (p.race_generation & kMaxTime) << 32;
  race.entries = (p.prepared_threads + 7) & ~7u;
  race.threads = arena_new<ThreadRace>(p.prepared_threads);
  race.settled = new_clock();
  main.clock = new_clock();
  for (unsigned i = 0; i < race.entries; ++i) race.settled->at[i] = main.clock->at[i] = race.base;
  advance_time(main);
}

}  // namespace treadle

/// Under two names: instrumented code, also that in shared libraries, knows it by the one; the other spares the runtime a detour.
TreadleRunning __treadle_running;

namespace treadle {

extern TreadleRunning g_running __attribute__((alias("__treadle_running")));

void set_short_way(Thread& thread, std::uint64_t whole_granule) noexcept {
  thread.whole_granule = whole_granule;
  if (&thread == world().current) g_running.whole_granule = whole_granule;
}

void refresh_epoch(Thread& thread) noexcept {
  const World& w = world();
  if (thread.clock == nullptr) return;
  thread.epoch = static_cast<std::uint64_t>(thread.id) << 56 | static_cast<std::uint64_t>(thread.clock->at[thread.id]) << 32;
  const bool long_way = w.record_plain || w.plain_is_visible || w.record_symbolic || spin_logs(thread) || stores_under_way(thread);
  set_short_way(thread, long_way ? 0 : whole_granule_at(thread.epoch));
}

void race_take_job() noexcept {
  for (unsigned id = 0; id <= world().highest_thread; ++id) refresh_epoch(world().threads[id]);
}

std::uint64_t plain_hash_of_execution() noexcept {
  std::uint64_t sum = 0;
  for (unsigned id = 0; id <= world().highest_thread; ++id) sum = (sum ^ world().threads[id].plain_hash) * 0x9e3779b97f4a7c15ull;
  return sum;
}

bool race_map_shadow(std::uint64_t address, std::uint64_t bytes) noexcept {
  const std::uint64_t end = address + bytes;
  for (const Range& r : kUsual)
    if (address >= r.from && end <= r.to) return true;
  const std::uint64_t from = shadow_at(address & ~4095ull), to = from + ((end - (address & ~4095ull) + 4095) & ~4095ull) * 2;
  if (to > kShadowEnd) return false;
  auto meets = [&](std::uint64_t other_from, std::uint64_t other_to) { return from < other_to && other_from < to; };
  for (const Range& r : kUsual)
    if (meets(shadow_at(r.from), shadow_at(r.from) + (r.to - r.from) * 2)) return false;
  Book& b = book();
  for (unsigned i = 0; i < b.extra_count; ++i) {
    const Range& r = b.extra[i];
    if (address >= r.from && end <= r.to) return true;
    if (meets(shadow_at(r.from), shadow_at(r.from) + (r.to - r.from) * 2)) return false;
  }
  if (b.extra_count == kMostRanges || !map(from, to - from)) return false;
  b.extra[b.extra_count++] = {address & ~4095ull, (end + 4095) & ~4095ull};
  return true;
}

bool race_fault(std::uint64_t address) noexcept {
  Book& b = book();
  const std::uint64_t chunk = address & ~(kChunk - 1);
  if (address < TREADLE_AT_SHADOW || address >= kShadowEnd || b.chunk_count == kMostRanges || !map(chunk, kChunk)) return false;
  b.chunks[b.chunk_count++] = chunk;
  return true;
}

void drop_shadow(std::uint64_t address, std::uint64_t bytes) noexcept { drop(shadow_at(address), bytes * 2); }

std::uint64_t race_mark() noexcept { return book().undo_count; }

void race_forget_changes() noexcept { book().undo_count = 0; }

void race_undo_to(std::uint64_t mark) noexcept {
  Book& b = book();
  while (b.undo_count > mark) {
    const Undo& u = undo_log()[--b.undo_count];
    *u.cell = u.was;
  }
}

void log_cell(const Cell& cell) noexcept {
  Book& b = book();
  if (b.undo_count == kMostUndo) {  // so long an execution is rather made again
    drop_snapshots();
    race_forget_changes();
    return;
  }
  undo_log()[b.undo_count++] = {const_cast<Cell*>(&cell), cell};
}

void report_race(std::uint64_t earlier_word, Access earlier, std::uint64_t earlier_pc, const Accessed& later) noexcept {
  // The offset is part of it because a word keeps one pc for several bytes.
  std::uint64_t key = (earlier_pc * 0x9e3779b97f4a7c15ull) ^ (later.pc << 3 | (later.address & 7));
  key *= 0xff51afd7ed558ccdull;
  // What a library without hooks does (libstdc++ freeing an exception, say) it may have ordered by atomics that we do not see either.
  if (!has_hooks(later.pc) || !first_time(key | 1)) return;
  const std::uint64_t flags =
      (is_write(earlier) ? TREADLE_RACE_EARLIER_WRITES : 0u) | (is_write(later.kind) ? TREADLE_RACE_LATER_WRITES : 0u) |
      (is_atomic(earlier) ? TREADLE_RACE_EARLIER_ATOMIC : 0u) | (is_atomic(later.kind) ? TREADLE_RACE_LATER_ATOMIC : 0u);
  record(TREADLE_EV_RACE, later.address, earlier_pc,
         flags | static_cast<std::uint64_t>(thread_in(earlier_word)) << 8 | static_cast<std::uint64_t>(later.size) << 16, later.pc,
         later.size);
}

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// Data races, exactly: every pair of conflicting accesses that no happens-before orders is seen, in the execution that shows it, and
// nothing else is.
//
// FastTrack's epochs, with two changes that keep nearly every granule of 8 bytes in one 16-byte cell of shadow memory:
//  - A word of a cell carries a set of bytes, not one access: what a thread does to different bytes of a granule within one epoch is
//  merged.
//  - An epoch that every live thread has already heard of is *settled*: nothing that can still happen is unordered with it, so it may be
//  forgotten.
//    Data initialised before threads start, or before a barrier, thereby never costs more than a word.
// What does not fit (bytes with different histories, several readers at once, atomics) moves to a side record with exact
// per-byte marks (granule.cpp), and back when it fits again.
//
// A word: thread 8 | time 24 | bytes 8 | low bits of pc 24. The pc is that of the last access merged into it; a race reported from it is
// exact in what raced, and the host finds the exact earlier line by replaying with plain accesses recorded.
//
// Nothing is cleared between executions: all clocks of an execution start above every time reached before, so older epochs are ordered
// before everything. When 24 bits run out, the whole shadow is dropped.
#pragma once

#include "runtime/code.h"
#include "runtime/world.h"

namespace treadle {

/// Only the first `clock_entries()` entries exist: one per thread the process is prepared for.
struct Clock {
  std::uint32_t at[256];
};

struct Granule;

struct ThreadRace {
  Clock* to_acquire;  // what relaxed loads have seen, for a later acquire fence
  Clock* released;    // at the last release fence, for later relaxed stores
};

struct RaceState {
  std::uint64_t tag;              // upper half of a cell word that refers to a side record of this execution
  std::uint32_t base;             // all earlier executions' times are <= this
  std::uint32_t entries;          // of a Clock
  Clock* settled;                 // by thread: what everybody alive has heard of
  std::uint64_t order_version;    // counts changes of any thread's clock by others
  std::uint64_t settled_version;  // the one `settled` was computed for
  ThreadRace* threads;
  Granule* free_granules;
  std::uint64_t* reported;  // pairs of pcs already reported in this execution
  std::uint32_t reported_count, reported_capacity;
};

enum class Access : std::uint8_t { Read = 0, Write = 1, AtomicRead = 2, AtomicWrite = 3 };

constexpr std::uint64_t kShadowedBits = 0xfffffffffffull;
constexpr std::uint32_t kMaxTime = 0xffffff;
constexpr std::uint64_t kPcBits = 0xffffff;
constexpr std::uint64_t kSideRecord = 0xffull << 56;  // no thread has number 255

static_assert(kPcBits == kLowPcBits && kPcBits == (1ull << TREADLE_WORD_BYTES_AT) - 1);
static_assert(kShadowedBits == (1ull << TREADLE_SHADOWED_BITS) - 1);

struct Cell {
  std::uint64_t write;  // last plain write; or reference to a side record
  std::uint64_t read;   // last plain reads; with a side record: a read that is known to be in it, so that repeating it is cheap
};

static_assert(sizeof(Cell) == TREADLE_GRANULE * TREADLE_CELL_SCALE);
static_assert(offsetof(Cell, write) == TREADLE_CELL_WRITE && offsetof(Cell, read) == TREADLE_CELL_READ);

inline Cell& cell_of(std::uint64_t address) noexcept {
  static_assert(kShadowedBits == (1ull << 44) - 1);
  return *reinterpret_cast<Cell*>(TREADLE_AT_SHADOW + (((address << 20) >> 19) & ~15ull));  // shifts need no long constants
}

inline std::uint64_t bytes_of(std::uint64_t address, unsigned size) noexcept { return ((1ull << size) - 1) << (address & 7); }

/// What stands in shadow memory once all bytes of a granule have been accessed at this time.
inline std::uint64_t whole_granule_at(std::uint64_t epoch) noexcept { return epoch | 0xffull << TREADLE_WORD_BYTES_AT; }

inline bool agrees(std::uint64_t word, std::uint64_t whole_granule, std::uint64_t bytes) noexcept {
  return (((word ^ whole_granule) >> TREADLE_WORD_BYTES_AT) & (bytes | ~0xffull)) == 0;
}

/// Did this thread, at its present time, already do this to all these bytes?
inline bool same_epoch(std::uint64_t word, std::uint64_t epoch, std::uint64_t bytes) noexcept {
  return agrees(word, whole_granule_at(epoch), bytes);
}

inline unsigned thread_in(std::uint64_t word) noexcept { return static_cast<unsigned>(word >> 56); }
inline std::uint32_t time_in(std::uint64_t word) noexcept { return static_cast<std::uint32_t>(word >> 32) & kMaxTime; }
inline unsigned bytes_in(std::uint64_t word) noexcept { return static_cast<unsigned>(word >> 24) & 0xff; }
inline std::uint64_t make_word(std::uint64_t epoch, std::uint64_t bytes, std::uint64_t pc) noexcept {
  return epoch | bytes << 24 | (pc & kPcBits);
}

inline std::uint64_t without(std::uint64_t word, std::uint64_t bytes) noexcept {
  const std::uint64_t left = bytes_in(word) & ~bytes;
  return left == 0 ? 0 : (word & ~(0xffull << 24)) | left << 24;
}

/// The reads that are not there merely because the same thread wrote (see read_as_well).
inline std::uint64_t real_reads(const Cell& cell) noexcept {
  return (cell.read ^ cell.write) >> 32 == 0 ? without(cell.read, bytes_in(cell.write)) : cell.read;
}

struct Accessed {
  std::uint64_t address;
  std::uint32_t size;
  Access kind;
  std::uint64_t pc;
};

/// One access within one granule, in full. Plain accesses only.
void race_check(Cell& cell, std::uint64_t bytes, const Accessed& what) noexcept;
/// A range, also one that crosses granules.
void race_check_range(const Accessed& what, std::uint64_t bytes) noexcept;

/// An atomic access took effect: conflicts with plain ones, and what it acquires and releases.
void race_atomic(std::uint64_t address, unsigned size, bool reads, bool writes, int order, std::uint64_t pc) noexcept;
void race_fence(int order) noexcept;
/// An atomic store went into its thread's store buffer: it conflicts from now on, but what it releases is found by those who read it from
/// memory. True: that stands in `published` now, as of this moment.
bool race_atomic_store(std::uint64_t address, unsigned size, int order, std::uint64_t pc, Clock*& published) noexcept;
void race_store_reaches_memory(std::uint64_t address, unsigned size, const Clock* published, std::uint64_t pc) noexcept;

/// A block is freed: a write to all of it, after which its history is forgotten.
void race_free(std::uint64_t address, std::uint64_t bytes, std::uint64_t pc) noexcept;
/// Memory got a new life without a free that a race could be with (mmap, munmap).
void race_forget_range(std::uint64_t address, std::uint64_t bytes) noexcept;

/// Memory appears at an unusual place. False: its shadow would coincide with that of other memory, so races there could not be checked.
bool race_map_shadow(std::uint64_t address, std::uint64_t bytes) noexcept;
/// For the SIGSEGV handler: true when the fault was in shadow memory that is now mapped, so that the access is to be tried again.
bool race_fault(std::uint64_t address) noexcept;

/// The job's flags changed under a restored snapshot.
void race_take_job() noexcept;

/// The shadow as it is now, and back to there. Marks form a stack: going back to one drops those made after it.
std::uint64_t race_mark() noexcept;
void race_forget_changes() noexcept;  // there is no mark any more to go back to
void race_undo_to(std::uint64_t mark) noexcept;

/// Over all threads' plain accesses: same schedule, same hash.
std::uint64_t plain_hash_of_execution() noexcept;

// ---- between clocks.cpp, race.cpp, granule.cpp and spin.cpp ----

/// Thread's own time goes on: what it did until now is what a release published.
void advance_time(Thread& thread) noexcept;
void set_short_way(Thread& thread, std::uint64_t whole_granule) noexcept;
/// Sets epoch and whole_granule from the thread's clock and the modes in force.
void refresh_epoch(Thread& thread) noexcept;
Clock* new_clock() noexcept;
void join_clock(Clock& into, const Clock& from) noexcept;
void copy_clock(Clock& into, const Clock& from) noexcept;

/// Whole pages of memory: as if nothing had ever happened there.
void drop_shadow(std::uint64_t address, std::uint64_t bytes) noexcept;
/// Every change of a cell goes through here, so that it can be taken back.
void log_cell(const Cell& cell) noexcept;
inline void set_cell(Cell& cell, std::uint64_t write, std::uint64_t read) noexcept {
  if (__builtin_expect(process().snapshots_live != 0, 0)) log_cell(cell);
  cell.write = write;
  cell.read = read;
}

inline bool ordered(std::uint64_t word, const Clock& clock) noexcept { return time_in(word) <= clock.at[thread_in(word)]; }
/// Recomputes what is settled if clocks have moved since the last time; true when they had.
bool refresh_settled() noexcept;
inline bool is_settled(std::uint64_t word) noexcept { return ordered(word, *world().race->settled); }

void report_race(std::uint64_t earlier_word, Access earlier, std::uint64_t earlier_pc, const Accessed& later) noexcept;

// granule.cpp
void granule_access(Cell& cell, std::uint64_t bytes, const Accessed& what) noexcept;
void granule_forget(Cell& cell) noexcept;
inline bool has_side_record(const Cell& cell) noexcept { return (cell.write & 0xffffffff00000000ull) == world().race->tag; }
inline bool stale_side_record(const Cell& cell) noexcept { return cell.write >= kSideRecord && !has_side_record(cell); }

}  // namespace treadle

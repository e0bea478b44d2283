// SPDX-License-Identifier: Apache-2.0
// Data races of an execution that was acted out but not run: which conflicting accesses does nothing order?
//
// The order is the runtime's (runtime/clocks.h and those who call it, runtime/granule.cpp for atomics), as far as events tell of it: an
// edge too many would hide a race, and one too few only costs an execution. The runtime keeps one pc for what a thread does to a granule
// between two synchronisations, and lets a racing write stand for what it overwrote; here all accesses are kept that might be the one it
// names. So every pair it reports is among these, and for each pair there is at least a race on the same bytes to report.
//
// Not seen, because no event tells of it: a mutex that is given a static initialiser of another kind where one had been. What it was before
// orders here what comes after.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "explore/clock_pool.h"
#include "explore/passing_table.h"
#include "trace/trace.h"

namespace treadle {

/// Two accesses that race, in no particular order.
struct RacingPair {
  enum Kind : std::uint8_t { Read, Write, AtomicRead, AtomicWrite };
  struct Access {
    std::uint64_t pc;
    Kind kind;
    auto operator<=>(const Access&) const = default;
  };
  RacingPair(Access one, Access other) : first(std::min(one, other)), second(std::max(one, other)) {}
  Access first, second;
  bool operator==(const RacingPair&) const = default;
  std::uint64_t key() const;
};

/// What a RACE event tells.
RacingPair pair_of_race(const Event& race);

class RaceWatch {
 public:
  /// Each pair once. Valid until the next call.
  std::span<const RacingPair> look_at(const Trace& trace);

 private:
  using Clock = ClockPool::Clock;
  static constexpr std::uint32_t nothing = UINT32_MAX;  // the end of a list

  struct Thread {
    Clock now = ClockPool::none;
    Clock to_acquire = ClockPool::none;  // seen by relaxed loads, for a later acquire fence
    Clock released = ClockPool::none;    // at the last release fence, for later relaxed stores
  };
  struct Object {
    Clock clock = ClockPool::none;
    Clock readers = ClockPool::none;  // readers-writer locks: of those who have left
    std::uint64_t depth = 0;          // mutexes
  };
  struct Mark {
    std::uint64_t pc;
    std::uint32_t time, next;
    std::uint8_t thread, bytes;
    RacingPair::Kind kind;
  };
  struct AtomicObject {  // what its present value carries to those who acquire it
    Clock clock;
    std::uint32_t next;
    std::uint8_t bytes;
    bool carries;
  };
  struct Word {
    std::uint32_t marks = nothing, atomics = nothing;
  };
  struct StoreUnderWay {
    std::uint64_t event;
    Clock published;
    std::uint8_t thread;
  };

  // race_watch.cpp: who is ordered by what
  void begin(const Trace& trace);
  void take(const Event& event, std::uint64_t number);
  void acquire(Clock from);
  void release(Clock& into);
  void advance() { ++clocks_.time(self().now, current_); }
  void forget_block(const Event& event);
  Thread& self() { return threads_[current_]; }

  // race_watch_memory.cpp: accesses
  void access(std::uint64_t address, std::uint64_t bytes, RacingPair::Kind kind, std::uint64_t pc);
  void access_word(Word& word, std::uint8_t bytes, RacingPair::Kind kind, std::uint64_t pc);
  void atomic(const Event& event, bool reads, bool writes);
  void buffered_store(const Event& event, std::uint64_t number);
  void flush(const Event& event);
  void fence(unsigned order);
  void take_from(const Word& word, std::uint8_t bytes, unsigned order);
  void give_to(Word& word, std::uint8_t bytes, bool reads, Clock published);
  Clock published_by(unsigned order);
  void found(const Mark& mark, RacingPair::Kind kind, std::uint64_t pc);

  ClockPool clocks_;
  std::vector<Thread> threads_;
  unsigned current_ = 0;
  PassingTable<Object> objects_;
  PassingTable<Word> words_;
  std::vector<Mark> marks_;
  std::vector<AtomicObject> atomics_;
  std::vector<StoreUnderWay> under_way_;
  std::vector<RacingPair> pairs_;
};

}  // namespace treadle

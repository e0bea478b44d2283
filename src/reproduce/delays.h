// SPDX-License-Identifier: Apache-2.0
// Chooses the order of conflicting steps: a run that came far is made again, and one thread is held back in it, before a step, until a step
// of somebody else that conflicts with it has been made, or until nobody else can go on. Everything else keeps its order as far as that is
// possible (abi/wish.h).
//
// It is about one thread. Where one left its way, about that: what it read last must have been something else. Where the one that failed
// came to the end of its record and did not fail, about that: the object has to be freed before it is used, the value to change before it
// is read. From its last step backwards each conflict is turned round: with a later step, by holding that thread back; with an earlier one,
// by holding the other back. What comes of it is a run like any other: when it came as far, it is made again in its turn, so that there are
// two delays, three. The run whose last steps have been tried least is next. When nothing comes any further, runs that came less far are
// made again from then on.
//
// The program decides what comes of it, so nothing has to be known about what it calls. No proof of anything, as with steering.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_set>
#include <vector>

#include "explore/transition.h"
#include "reproduce/failure.h"

namespace treadle {

class Delays {
 public:
  explicit Delays(const RecordedFailure& failure);

  /// A run along the recording that did not fail as recorded, and the Schedule that it was made with.
  void consider(const Schedule& schedule, const Trace& trace);

  /// So many schedules, or fewer: there is nothing to go by.
  std::vector<Schedule> next(std::size_t count);

 private:
  /// Who stands before `place` makes it behind `until`.
  struct Delay {
    std::uint32_t place = 0, until = 0;
  };
  /// A run, step by step, and the thread that it is about.
  struct Base {
    Schedule schedule;          // exact
    std::vector<Action> steps;  // what each decision touched
    ThreadId thread{};
    std::uint32_t step = 0;  // those of the thread from there on are done with
    std::uint32_t tried = 0;
    std::deque<Delay> delays{};  // of that step
  };

  void begin_with(std::uint64_t matched);
  std::vector<ThreadId> whom_to_hold(const Trace& trace) const;
  static bool next_step(Base& base);
  static std::deque<Delay> conflicts_of(const Base& base, std::uint32_t step);

  const RecordedFailure& failure_;
  std::deque<Base> bases_;
  std::uint64_t most_matched_ = 0;
  std::uint32_t in_vain_ = 0;     // delays since anything came further
  std::uint32_t patience_ = 512;  // how many of them until other runs are given a chance
  std::unordered_set<std::uint64_t> known_;
};

/// As `schedule`, exact, but the thread of decision `place` stands still there until decision `until` has been made.
Schedule held_back(const Schedule& schedule, std::uint32_t place, std::uint32_t until);

}  // namespace treadle

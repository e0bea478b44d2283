// SPDX-License-Identifier: Apache-2.0
// Chooses the order of conflicting steps: a run that came far is made again, and one thread is held back in it, before a step, until a step
// of somebody else that conflicts with it has been made, or until nobody else can go on. Everything else keeps its order as far as that is
// possible (abi/wish.h).
//
// Where a thread left its way, that is the thread: what it read last must have been something else. Where the thread that failed came to
// the end of its record and did not fail, it is that one: the object has to be freed before it is used, the value to change before it is
// read. From its last step backwards; then the others in the same way, so that it finds what they would have changed. What comes of it is a
// run like any other: when it came as far, it is made again in its turn, so that there are two delays, three. The run whose last steps
// have been tried least is next.
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
  /// A run, step by step, and whose steps are to be put off.
  struct Base {
    Schedule schedule;          // exact
    std::vector<Action> steps;  // what each decision touched
    ThreadId thread{};
    bool of_others = false;             // that thread is done with
    std::uint32_t place = 0;            // so are the steps from there on
    std::uint32_t tried = 0;            // places
    std::deque<std::uint32_t> until{};  // of this place
  };

  std::vector<ThreadId> whom_to_hold(const Trace& trace) const;
  static bool next_place(Base& base);
  static std::deque<std::uint32_t> conflicts_behind(const Base& base, std::uint32_t place);

  const RecordedFailure& failure_;
  std::deque<Base> bases_;
  std::uint64_t most_matched_ = 0;
  std::unordered_set<std::uint64_t> known_;
};

/// As `schedule`, exact, but the thread of decision `place` stands still there until decision `until` has been made.
Schedule held_back(const Schedule& schedule, std::uint32_t place, std::uint32_t until);

}  // namespace treadle

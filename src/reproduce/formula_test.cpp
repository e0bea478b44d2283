// SPDX-License-Identifier: Apache-2.0
#include "reproduce/formula.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "trace/made_up_symbolic.h"

namespace treadle {
namespace {

constexpr std::uint64_t counter = 0x1000;

/// Threads 1 and 2 each add one to a counter without a lock; thread 3 looks whether it is `not_wanted`.
struct Counted : MadeUpSymbolicTrace {
  explicit Counted(std::uint64_t not_wanted, unsigned reason) {
    add(1, 0);
    add(2, 1);
    const ExpressionId seen = read(3, counter, 2);
    note(3, TREADLE_NOTE_BRANCH, e.make(TREADLE_OP_NE, 1, seen, number(not_wanted)), reason);
    end(TREADLE_END_OFF_THE_PATH);
  }
  void add(unsigned thread, std::uint64_t before) {
    const ExpressionId seen = read(thread, counter, before);
    write(thread, counter, plus(seen, 1), before);
  }
  /// It should have gone the other way there.
  void leave(unsigned thread) {
    Event event{};
    event.kind = TREADLE_EV_PATH;
    event.thread = static_cast<std::uint8_t>(thread);
    event.step = static_cast<std::uint32_t>(trace.choices.size()) - 1;
    event.address = 0x99;
    event.extra = TREADLE_PATH_LEFT;
    trace.events.push_back(event);
  }
};

Schedule as_it_was() {
  Schedule schedule;
  schedule.races = Races::Explore;
  return schedule;
}

RecordedFailure assertion_of(const char* thread) {
  RecordedFailure failure;
  failure.thread = thread;
  return failure;
}

/// What thread 3 finds when the steps are made in that order.
int found_by(const Schedule& schedule) {
  int memory = 0, seen[4] = {};
  bool has_read[4] = {};
  for (const Decision& decision : schedule.prefix) {
    const unsigned thread = index_of(decision.thread);
    if (has_read[thread])
      memory = seen[thread] + 1;
    else
      seen[thread] = memory;
    has_read[thread] = true;
  }
  return has_read[3] ? seen[3] : -1;
}

TEST(Formula, LeadsAThreadThatLeftItsWayAlongIt) {
  Counted counted(1, TREADLE_GUARDS_NOTHING);
  counted.leave(3);
  const auto found = solve_for(counted.trace, as_it_was(), assertion_of("0"), 10);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found_by(found.front()), 1);
}

TEST(Formula, MakesFailWhatTheThreadPassedBy) {
  Counted counted(0, TREADLE_GUARDS_ASSERTION);
  const auto found = solve_for(counted.trace, as_it_was(), assertion_of("0.1.1"), 10);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found_by(found.front()), 0);
  EXPECT_TRUE(solve_for(counted.trace, as_it_was(), assertion_of("0.1"), 10).empty()) << "it is not that thread's";
  RecordedFailure crash = assertion_of("0.1.1");
  crash.kind = RecordedFailure::Kind::Signal;
  crash.signal = SIGSEGV;
  EXPECT_TRUE(solve_for(counted.trace, as_it_was(), crash, 10).empty()) << "that was no assertion";
}

TEST(Formula, HasNoAnswerWhereThereIsNone) {
  Counted counted(3, TREADLE_GUARDS_NOTHING);
  counted.leave(3);
  EXPECT_TRUE(solve_for(counted.trace, as_it_was(), assertion_of("0"), 10).empty());
}

TEST(Formula, SaysNothingOfBuildsThatAreNotSymbolic) {
  Counted counted(1, TREADLE_GUARDS_NOTHING);
  counted.leave(3);
  counted.trace.notes.clear();
  EXPECT_TRUE(solve_for(counted.trace, as_it_was(), assertion_of("0"), 10).empty());
}

}  // namespace
}  // namespace treadle

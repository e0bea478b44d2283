// SPDX-License-Identifier: Apache-2.0
#include "explore/guard.h"

#include <gtest/gtest.h>

#include "explore/made_up_program.h"

namespace treadle {
namespace {

const MadeUpProgram sober{{{{Op::Write, 0, 1}, {Op::Read, 1}}, {{Op::Write, 1, 1}, {Op::Read, 0}}}};
const MadeUpProgram dicing{{{{Op::Write, 0, 1}, {Op::Random, 1}}, {{Op::Write, 1, 1}}}};

Schedule random_schedule() {
  Schedule schedule;
  schedule.policy = Policy::Random;
  return schedule;
}

TEST(Guard, RepeatsTheFirstOnesAndThenEachNth) {
  MadeUpRunner program(sober);
  Guard guard(program, 10);
  std::vector<Trace> traces;
  ASSERT_TRUE(guard.run_batch(std::vector<Schedule>(30, random_schedule()), {}, traces));
  EXPECT_EQ(traces.size(), 30u);
  EXPECT_EQ(program.runs, 30u + 4 /* 1, 2, 4, 8 */ + 3 /* 10, 20, 30 */);
  EXPECT_FALSE(guard.take());
}

TEST(Guard, RepeatsAsManyOfLargeBatchesAFewAtOnce) {
  MadeUpRunner program(sober);
  Guard guard(program, 10);
  std::vector<Trace> traces;
  const auto repeated_of = [&](std::size_t executions) {
    const auto before = program.runs;
    EXPECT_TRUE(guard.run_batch(std::vector<Schedule>(executions, random_schedule()), {}, traces));
    return program.runs - before - executions;
  };
  EXPECT_EQ(repeated_of(80), 4u + 8u);  // one by one
  EXPECT_EQ(repeated_of(50), 0u);
  EXPECT_EQ(repeated_of(50), 8u);
  EXPECT_EQ(repeated_of(7), 0u);  // 181 to 187
  EXPECT_EQ(repeated_of(7), 1u);  // 190
  std::size_t repeated = 0;
  for (int batch = 0; batch < 100; ++batch) repeated += repeated_of(64);
  EXPECT_EQ(repeated, 640u);
}

TEST(Guard, OffRepeatsNothing) {
  MadeUpRunner program(dicing);
  Guard guard(program, 0);
  std::vector<Trace> traces;
  ASSERT_TRUE(guard.run_batch(std::vector<Schedule>(30, random_schedule()), {}, traces));
  EXPECT_EQ(program.runs, 30u);
  EXPECT_FALSE(guard.take());
}

TEST(Guard, NamesTheFirstEventThatDiffers) {
  MadeUpRunner program(dicing);
  Guard guard(program, 100);
  Trace trace;
  ASSERT_TRUE(guard.run(Schedule{}, {}, trace));
  const auto difference = guard.take();
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->event, 1u);
  EXPECT_NE(difference->first.events[1].value, difference->second.events[1].value);
}

TEST(Guard, ReportsOnceAndThenRests) {
  MadeUpRunner program(dicing);
  Guard guard(program, 1);
  Trace trace;
  ASSERT_TRUE(guard.run(Schedule{}, {}, trace));
  EXPECT_TRUE(guard.take());
  const auto runs = program.runs;
  ASSERT_TRUE(guard.run(Schedule{}, {}, trace));
  EXPECT_EQ(program.runs, runs + 1);
  EXPECT_FALSE(guard.take());
}

Trace with(std::vector<Event> events, std::uint64_t plain_hash = 0) {
  Trace trace;
  trace.events = std::move(events);
  trace.end.ending = TREADLE_END_COMPLETED;
  trace.plain_hash = plain_hash;
  return trace;
}

TEST(FirstDifference, SeesEveryFieldTheEndAndThePlainAccesses) {
  const Event event{TREADLE_EV_LOCK, 1, 0, 0, 3, 0x10, 0x20, 1, 0};
  EXPECT_FALSE(first_difference(with({event}), with({event})));
  for (const auto change : {+[](Event& e) { ++e.kind; }, +[](Event& e) { ++e.thread; }, +[](Event& e) { ++e.size; },
                            +[](Event& e) { ++e.order; }, +[](Event& e) { ++e.step; }, +[](Event& e) { ++e.pc; },
                            +[](Event& e) { ++e.address; }, +[](Event& e) { ++e.value; }, +[](Event& e) { ++e.extra; }}) {
    Event other = event;
    change(other);
    EXPECT_EQ(first_difference(with({event, event}), with({event, other})), 1u);
  }
  EXPECT_EQ(first_difference(with({event, event}), with({event})), 1u);
  EXPECT_EQ(first_difference(with({event}, 1), with({event}, 2)), 1u);
  Trace crashed = with({event});
  crashed.end.ending = TREADLE_END_SIGNALLED;
  EXPECT_EQ(first_difference(with({event}), crashed), 1u);
}

}  // namespace
}  // namespace treadle

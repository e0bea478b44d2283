// SPDX-License-Identifier: Apache-2.0
#include "explore/pending_steps.h"

#include <gtest/gtest.h>

#include "trace/made_up.h"
#include "trace/marked_decisions.h"

namespace treadle {
namespace {

constexpr std::uint64_t mutex = 0x2000, condition = 0x3000;

/// Thread 1 has the mutex, thread 2 wants it.
MadeUpTrace waiting(Ending ending) {
  MadeUpTrace made;
  made.event(1, TREADLE_EV_LOCK, mutex, 1);
  made.blocked(2, TREADLE_EV_LOCK, mutex, 0x40, 2);
  made.end(ending, 1);
  return made;
}

std::size_t thought_of(const Trace& trace) { return trace.choices.size() - decisions_made(trace); }

TEST(PendingSteps, AreAddedAsIfTheyHadCome) {
  for (const Ending ending : {TREADLE_END_DEADLOCK, TREADLE_END_ASSERTION, TREADLE_END_ASSUMPTION_FAILED}) {
    const Trace with = with_pending_steps(waiting(ending).trace);
    ASSERT_EQ(thought_of(with), 1u) << text_of(ending);
    EXPECT_EQ(with.events.back().kind, TREADLE_EV_LOCK);
    EXPECT_EQ(with.events.back().thread, 2);
    EXPECT_EQ(with.choices.back().taken.thread, ThreadId{2});
  }
}

TEST(PendingSteps, OfAnExecutionThatEndedBeforeItsFirstDecisionStandBehindOneOfTheMainThread) {
  MadeUpTrace made;
  made.event(0, TREADLE_EV_INPUT, 0, 7);
  made.trace.choices.clear();
  made.end(TREADLE_END_ASSERTION, 0);
  const Trace with = with_pending_steps(made.trace);
  ASSERT_EQ(decisions_made(with), 1u);
  EXPECT_EQ(with.choices[0].taken, (Decision{DecisionKind::Step, ThreadId{0}, 0}));
}

TEST(PendingSteps, AreNotThoseOfWhoEndedIt) {
  MadeUpTrace made = waiting(TREADLE_END_ASSERTION);
  made.event(2, TREADLE_EV_ATOMIC_READ, 0x1000);
  EXPECT_EQ(thought_of(with_pending_steps(made.trace)), 0u);
  made.end(TREADLE_END_LIVELOCK);  // nobody did
  EXPECT_EQ(thought_of(with_pending_steps(made.trace)), 1u);
}

TEST(PendingSteps, AreNoneWhenALimitWasReached) { EXPECT_EQ(thought_of(with_pending_steps(waiting(TREADLE_END_STEP_LIMIT).trace)), 0u); }

TEST(PendingSteps, OfWhoWaitsForASignalComeWithOneUnlessItMayTimeOut) {
  MadeUpTrace made;
  made.event(2, TREADLE_EV_COND_WAIT, condition, mutex);
  made.event(1, TREADLE_EV_ATOMIC_READ, 0x1000);
  made.blocked(2, TREADLE_EV_COND_WOKEN, condition, 0x40);
  made.end(TREADLE_END_ASSERTION, 1);
  const Trace with = with_pending_steps(made.trace);
  ASSERT_EQ(thought_of(with), 1u);
  EXPECT_EQ(with.events.back().value, mutex);
  made.trace.alternatives = {{DecisionKind::Step, ThreadId{1}, 0}, {DecisionKind::Timeout, ThreadId{2}, 0}};
  made.trace.choices.back().alternatives = 2;
  EXPECT_EQ(thought_of(with_pending_steps(made.trace)), 0u);
}

}  // namespace
}  // namespace treadle

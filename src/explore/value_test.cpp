// SPDX-License-Identifier: Apache-2.0
#include "explore/value.h"

#include <gtest/gtest.h>

#include "trace/made_up.h"

namespace treadle {
namespace {

/// A thread that waits for a semaphore that nobody will ever post, and how a run of it ended.
Trace waits_in_vain(Ending ending) {
  MadeUpTrace made;
  made.event(0, TREADLE_EV_SEM_INIT, 64, 0);
  made.trace.choices.clear();
  made.blocked(0, TREADLE_EV_SEM_WAIT, 64, 0);
  made.end(ending);
  return made.trace;
}

TEST(Value, DoesNotRunAgainWhatSomethingElseHasRun) {
  Value value({}, ClassBy::Values);
  value.take_note(waits_in_vain(TREADLE_END_DEADLOCK));
  EXPECT_FALSE(value.next());
}

TEST(Value, RunsWhatSomethingElseHasOnlyBegun) {
  for (const Ending ending : {TREADLE_END_STOPPED, TREADLE_END_STEP_LIMIT, TREADLE_END_TIME_LIMIT, TREADLE_END_DIVERGED}) {
    Value value({}, ClassBy::Values);
    value.take_note(waits_in_vain(ending));
    const auto item = value.next();
    ASSERT_TRUE(item) << text_of(ending);
    value.learn_from(item->ticket, waits_in_vain(TREADLE_END_DEADLOCK));
    EXPECT_FALSE(value.next()) << text_of(ending);
    EXPECT_EQ(value.counts().redundant, 0u) << text_of(ending);
  }
}

/// By threads that nobody has created, so that nobody can follow it.
TEST(Value, BeginsWithWhatCouldNotBeFollowed) {
  MadeUpTrace made;
  made.event(1, TREADLE_EV_ATOMIC_WRITE, 128, 1, 0, 0, 4);
  made.event(2, TREADLE_EV_ATOMIC_READ, 128, 1, 0, 0, 4);
  made.end(TREADLE_END_COMPLETED);
  Value value({}, ClassBy::Values);
  value.take_note(waits_in_vain(TREADLE_END_STOPPED));
  value.take_note(made.trace);
  const auto item = value.next();  // the other order, and not the same one again
  ASSERT_TRUE(item);
  ASSERT_FALSE(item->schedule.prefix.empty());
  EXPECT_EQ(item->schedule.prefix.front().thread, ThreadId{2});
}

}  // namespace
}  // namespace treadle

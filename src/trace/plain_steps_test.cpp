// SPDX-License-Identifier: Apache-2.0
#include "trace/plain_steps.h"

#include <gtest/gtest.h>

#include "trace/made_up.h"

namespace treadle {
namespace {

TEST(PlainSteps, GiveEachPlainAccessADecision) {
  MadeUpTrace made;
  const auto plain = [&](unsigned thread, EventKind kind) {  // in the step before it
    made.event(thread, kind, 0x1000);
    made.trace.choices.pop_back();
    --made.trace.events.back().step;
  };
  made.event(1, TREADLE_EV_LOCK, 0x2000);
  plain(1, TREADLE_EV_READ);
  plain(1, TREADLE_EV_WRITE);
  made.event(1, TREADLE_EV_UNLOCK, 0x2000);
  made.event(2, TREADLE_EV_LOCK, 0x2000);
  plain(2, TREADLE_EV_READ);
  const Trace with = with_plain_steps(made.trace);
  ASSERT_EQ(with.choices.size(), 6u);
  for (std::uint32_t e = 0; e < 6; ++e) {
    EXPECT_EQ(with.events[e].step, e);
    EXPECT_EQ(index_of(with.choices[e].taken.thread), with.events[e].thread);
  }
}

TEST(PlainSteps, KeepADecisionWithoutEvents) {
  MadeUpTrace made;
  made.event(1, TREADLE_EV_LOCK, 0x2000);
  made.trace.choices.push_back({Decision{DecisionKind::Step, ThreadId{2}, 0}, 0, 0});
  made.event(1, TREADLE_EV_UNLOCK, 0x2000);
  const Trace with = with_plain_steps(made.trace);
  ASSERT_EQ(with.choices.size(), 3u);
  EXPECT_EQ(with.choices[1].taken.thread, ThreadId{2});
  EXPECT_EQ(with.events[1].step, 2u);
}

}  // namespace
}  // namespace treadle

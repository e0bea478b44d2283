// SPDX-License-Identifier: Apache-2.0
#include "predict/standstill.h"

#include <gtest/gtest.h>

#include "trace/made_up.h"

namespace treadle {
namespace {

constexpr std::uint64_t s = 0x10;

/// Two threads take `each` tokens of two and give them back, one after the other; main joins both.
Trace tokens(unsigned each) {
  MadeUpTrace made;
  made.event(0, TREADLE_EV_SEM_INIT, s, 2);
  made.event(0, TREADLE_EV_THREAD_CREATE, 0, 1);
  made.event(0, TREADLE_EV_THREAD_CREATE, 0, 2);
  for (unsigned t = 1; t <= 2; ++t) {
    made.event(t, TREADLE_EV_THREAD_START, 0, 0);
    for (unsigned i = 0; i < each; ++i) made.event(t, TREADLE_EV_SEM_WAIT, s, 1 - i);
    for (unsigned i = 0; i < each; ++i) made.event(t, TREADLE_EV_SEM_POST, s, 3 - each + i);
    made.event(t, TREADLE_EV_THREAD_EXIT, 0, 0);
  }
  made.event(0, TREADLE_EV_THREAD_JOIN, 0, 1);
  made.event(0, TREADLE_EV_THREAD_JOIN, 0, 2);
  made.end(TREADLE_END_COMPLETED);
  return made.trace;
}

TEST(Standstill, IsImpliedWhereEveryThreadCanTakeATokenThatAnotherOneNeeds) {
  for (const unsigned each : {1u, 2u}) {
    const Trace trace = tokens(each);
    TraceModel model(trace, {}, make_acyclic_solver());
    const Predictions predicted = predict_standstill(trace, model, LockSets(trace), [] { return true; });
    EXPECT_EQ(predicted.found.size(), each - 1);
    EXPECT_TRUE(predicted.coverage.complete);
    if (each == 2) EXPECT_EQ(predicted.found[0].events.size(), 3u);  // both threads, and main at its join
  }
}

}  // namespace
}  // namespace treadle

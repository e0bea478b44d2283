// SPDX-License-Identifier: Apache-2.0
#include "solve/observed_past.h"

#include <gtest/gtest.h>

#include "solve/trace_model.h"
#include "trace/made_up_symbolic.h"

namespace treadle {
namespace {

constexpr std::uint64_t x = 0x10, flag = 0x18, l = 0x20;

MadeUpSymbolicTrace two_threads() {
  MadeUpSymbolicTrace made;
  made.event(0, TREADLE_EV_THREAD_CREATE, 0, 1);
  made.event(0, TREADLE_EV_THREAD_CREATE, 0, 2);
  return made;
}

/// Nothing but a part of the trace is needed: what the lock let come first need not.
TEST(ObservedPast, LetsAccessesMeetWithoutSolver) {
  MadeUpSymbolicTrace made = two_threads();
  const auto a = made.event(1, TREADLE_EV_WRITE, x, 1, 0, 0, 4);
  made.event(1, TREADLE_EV_LOCK, l, 1);
  made.event(1, TREADLE_EV_UNLOCK, l, 0);
  made.event(2, TREADLE_EV_LOCK, l, 1);
  made.event(2, TREADLE_EV_UNLOCK, l, 0);
  const auto b = made.event(2, TREADLE_EV_WRITE, x, 2, 1, 0, 4);
  made.end(TREADLE_END_COMPLETED);
  TraceModel model(made.trace, {}, make_acyclic_solver());
  const UnitId ends[] = {model.units().unit_of[a], model.units().unit_of[b]};
  const auto reply = model.ask_observed(ends);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->units.size(), 6u);  // two creations, the other thread's section, both accesses
  EXPECT_EQ(model.queries(), 0u);
}

TEST(ObservedPast, SaysNothingWhereWhatWasReadWouldBeMissing) {
  MadeUpSymbolicTrace made = two_threads();
  const auto a = made.event(1, TREADLE_EV_WRITE, x, 1, 0, 0, 4);
  made.event(1, TREADLE_EV_ATOMIC_WRITE, flag, 1, 0, 0, 4);
  made.event(2, TREADLE_EV_ATOMIC_READ, flag, 1, 0, 0, 4);
  const auto b = made.event(2, TREADLE_EV_WRITE, x, 2, 1, 0, 4);
  made.end(TREADLE_END_COMPLETED);
  TraceModel model(made.trace, {}, make_acyclic_solver());
  const UnitId ends[] = {model.units().unit_of[a], model.units().unit_of[b]};
  EXPECT_FALSE(model.ask_observed(ends));
}

/// Who goes on because a flag is set comes behind who alone sets it.
TEST(ForcedOrder, FollowsAFlagThatHandsDataOver) {
  for (const bool looks : {false, true}) {
    MadeUpSymbolicTrace made = two_threads();
    const auto a = made.event(1, TREADLE_EV_WRITE, x, 1, 0, 0, 4);
    made.write(1, flag, made.number(1), 0);
    const ExpressionId found = made.read(2, flag, 1);
    if (looks) made.note(2, TREADLE_NOTE_BRANCH, made.is_less(made.number(0), found));
    const auto b = made.event(2, TREADLE_EV_WRITE, x, 2, 1, 0, 4);
    made.end(TREADLE_END_COMPLETED);
    TraceModel model(made.trace, {}, make_acyclic_solver());
    EXPECT_EQ(model.must_precede(model.units().unit_of[a], model.units().unit_of[b]), looks);
  }
}

/// Something of a section comes before something of another one of the same lock: so does its end.
TEST(ForcedOrder, FollowsSectionsOfLocks) {
  MadeUpSymbolicTrace made = two_threads();
  made.event(1, TREADLE_EV_LOCK, l, 1);
  made.write(1, flag, made.number(1), 0);
  const auto a = made.event(1, TREADLE_EV_WRITE, x, 1, 0, 0, 4);
  made.event(1, TREADLE_EV_UNLOCK, l, 0);
  made.event(2, TREADLE_EV_LOCK, l, 1);
  made.note(2, TREADLE_NOTE_BRANCH, made.is_less(made.number(0), made.read(2, flag, 1)));
  const auto b = made.event(2, TREADLE_EV_WRITE, x, 2, 1, 0, 4);
  made.event(2, TREADLE_EV_UNLOCK, l, 0);
  made.end(TREADLE_END_COMPLETED);
  TraceModel model(made.trace, {}, make_acyclic_solver());
  EXPECT_TRUE(model.must_precede(model.units().unit_of[a], model.units().unit_of[b]));
}

}  // namespace
}  // namespace treadle

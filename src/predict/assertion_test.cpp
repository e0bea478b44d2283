// SPDX-License-Identifier: Apache-2.0
#include "predict/assertion.h"

#include <gtest/gtest.h>

#include "trace/made_up_symbolic.h"

namespace treadle {
namespace {

constexpr std::uint64_t x = 0x10, y = 0x18, l = 0x20;

/// Fig. 1 of the seed; `first` is what t3 adds: 2, in the modified example 1.
MadeUpSymbolicTrace figure_1(unsigned first) {
  MadeUpSymbolicTrace made;
  made.event(0, TREADLE_EV_THREAD_CREATE, 0, 1);
  made.event(0, TREADLE_EV_THREAD_CREATE, 0, 2);
  const auto acquire = [&](unsigned thread) { made.event(thread, TREADLE_EV_SEM_WAIT, l, 0); };
  const auto release = [&](unsigned thread) { made.event(thread, TREADLE_EV_SEM_POST, l, 1); };
  const ExpressionId a = made.read(1, x, 0);  // t1
  acquire(1);
  made.write(1, x, made.plus(a, first), 0);  // t3
  release(1);
  made.write(1, y, made.plus(a, 1), 0);  // t5
  acquire(1);
  made.write(1, x, made.plus(a, 1), first);  // t7
  release(1);
  acquire(2);
  made.note(2, TREADLE_NOTE_BRANCH, made.is_less(made.number(0), made.read(2, x, 1)));  // t11
  made.asserts(2, made.is(made.read(2, y, 1), 1));                                      // t12
  release(2);
  made.end(TREADLE_END_COMPLETED);
  return made;
}

Predictions predict(const MadeUpSymbolicTrace& made, CausalKind kind, std::uint32_t bound = 0, bool widen = false) {
  AssertionOptions options;
  options.kind = kind;
  options.context_bound = bound;
  options.widen_bound = widen;
  return predict_assertions(made.trace, options);
}

TEST(PredictAssertion, FigureOneIsFoundByTheSymbolicModelOnly) {
  const auto made = figure_1(2);
  const Predictions symbolic = predict(made, CausalKind::Symbolic);
  ASSERT_EQ(symbolic.found.size(), 1u);
  EXPECT_EQ(symbolic.found[0].guarded, TREADLE_GUARDS_ASSERTION);
  EXPECT_EQ(symbolic.found[0].units.size(), symbolic.found[0].decisions.size());
  EXPECT_TRUE(symbolic.coverage.complete);
  const Predictions maximal = predict(made, CausalKind::Maximal);
  EXPECT_TRUE(maximal.found.empty());
  EXPECT_TRUE(maximal.coverage.complete);
}

TEST(PredictAssertion, TheModifiedExampleIsFoundByBothModels) {
  const auto made = figure_1(1);
  EXPECT_EQ(predict(made, CausalKind::Symbolic).found.size(), 1u);
  EXPECT_EQ(predict(made, CausalKind::Maximal).found.size(), 1u);
}

TEST(PredictAssertion, FigureOneNeedsTwoSwitches) {
  const auto made = figure_1(2);
  const Predictions one = predict(made, CausalKind::Symbolic, 1);
  EXPECT_TRUE(one.found.empty());
  EXPECT_FALSE(one.coverage.complete);
  EXPECT_EQ(one.coverage.context_bound, 1u);
  EXPECT_EQ(predict(made, CausalKind::Symbolic, 2).found.size(), 1u);
  EXPECT_EQ(predict(made, CausalKind::Symbolic, 0, true).found.size(), 1u);
}

/// What no order breaks is not broken by few switches either, and the answer says that it is one for all.
TEST(PredictAssertion, ABoundThatDoesNotMatterIsLifted) {
  MadeUpSymbolicTrace made;
  made.event(0, TREADLE_EV_THREAD_CREATE, 0, 1);
  made.event(0, TREADLE_EV_THREAD_CREATE, 0, 2);
  made.write(1, x, made.plus(made.read(1, x, 0), 1), 0);
  const ExpressionId seen = made.read(2, x, 1);
  made.asserts(2, made.e.make(TREADLE_OP_ULT, 1, seen, made.number(2)));
  made.end(TREADLE_END_COMPLETED);
  const Predictions one = predict(made, CausalKind::Symbolic, 1);
  EXPECT_TRUE(one.found.empty());
  EXPECT_TRUE(one.coverage.complete);
  EXPECT_EQ(one.coverage.context_bound, 0u);
}

/// A counter that two threads increase without care: the sum may be short.
TEST(PredictAssertion, FindsALostUpdateAndNothingWithALock) {
  for (const bool locked : {false, true}) {
    MadeUpSymbolicTrace made;
    made.event(0, TREADLE_EV_THREAD_CREATE, 0, 1);
    made.event(0, TREADLE_EV_THREAD_CREATE, 0, 2);
    for (unsigned t = 1; t <= 2; ++t) {
      if (locked) made.event(t, TREADLE_EV_LOCK, l, 1);
      made.write(t, x, made.plus(made.read(t, x, t - 1), 1), t - 1);
      if (locked) made.event(t, TREADLE_EV_UNLOCK, l, 0);
      made.event(t, TREADLE_EV_THREAD_EXIT, 0, 0);
    }
    made.event(0, TREADLE_EV_THREAD_JOIN, 0, 1);
    made.event(0, TREADLE_EV_THREAD_JOIN, 0, 2);
    made.asserts(0, made.is(made.read(0, x, 2), 2), 0x77);
    made.end(TREADLE_END_COMPLETED);
    const Predictions found = predict(made, CausalKind::Symbolic);
    EXPECT_EQ(found.found.size(), locked ? 0u : 1u);
    EXPECT_TRUE(found.coverage.complete);
    EXPECT_EQ(predict(made, CausalKind::Symbolic, 0, true).found.size(), locked ? 0u : 1u);
  }
}

TEST(PredictAssertion, TellsAPlaceOnce) {
  MadeUpSymbolicTrace made;
  made.event(0, TREADLE_EV_THREAD_CREATE, 0, 1);
  made.event(0, TREADLE_EV_THREAD_CREATE, 0, 2);
  for (unsigned i = 0; i < 3; ++i) {
    made.write(1, x, made.number(i + 1), i);
    made.asserts(2, made.is(made.read(2, x, i + 1), i + 1), 0x55);
  }
  made.end(TREADLE_END_COMPLETED);
  EXPECT_EQ(predict(made, CausalKind::Symbolic).found.size(), 1u);
}

TEST(PredictAssertion, SaysWhatTheTraceDoesNotTell) {
  MadeUpSymbolicTrace made;
  made.event(0, TREADLE_EV_THREAD_CREATE, 0, 1);
  made.event(0, TREADLE_EV_THREAD_CREATE, 0, 2);
  const auto store = made.event(1, TREADLE_EV_ATOMIC_WRITE, x, 1, 0, 0, 4);
  made.asserts(2, made.is(made.read(2, x, 1), 1));
  made.end(TREADLE_END_COMPLETED);
  EXPECT_EQ(predict(made, CausalKind::Symbolic).found.size(), 1u);  // the store has overwritten 0
  made.trace.events[store].kind = TREADLE_EV_RANGE_WRITE;
  made.trace.events[store].extra = 4;
  const Predictions found = predict(made, CausalKind::Symbolic);
  EXPECT_TRUE(found.found.empty());
  EXPECT_FALSE(found.coverage.complete);
  EXPECT_EQ(found.coverage.limits, "memory whose first value nobody has looked at");
}

}  // namespace
}  // namespace treadle

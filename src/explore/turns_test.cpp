// SPDX-License-Identifier: Apache-2.0
#include "explore/turns.h"

#include <gtest/gtest.h>

#include "trace/made_up_symbolic.h"

namespace treadle {
namespace {

constexpr std::uint64_t x = 0x1000, y = 0x1008;

struct Seen {
  explicit Seen(Trace made)
      : trace(std::move(made)), units(units_of(trace, MemoryModel::Sc, Races::Explore)), turns(trace, units, trace.choices.size()) {}
  const std::vector<Turn>& of(unsigned thread) const { return turns.of_threads()[thread]; }
  Trace trace;
  Units units;
  Turns turns;
};

/// Thread 1 reads x and finds `value`; is it 1? Before that thread 2 may read something else.
Trace one_branch(std::uint64_t value, bool other_first = false) {
  MadeUpSymbolicTrace made;
  if (other_first) made.read(2, y, 7);
  const ExpressionId read = made.read(1, x, value);
  const ExpressionId is_one = made.is(read, 1);
  made.note(1, TREADLE_NOTE_BRANCH, value == 1 ? is_one : made.e.make(TREADLE_OP_NOT, 1, is_one));
  made.end(TREADLE_END_COMPLETED);
  return made.trace;
}

TEST(Turns, AreTheSameWhateverWasReadAndWhoeverCameBefore) {
  const Seen two(one_branch(2)), three(one_branch(3, true)), one(one_branch(1));
  ASSERT_EQ(two.of(1).size(), 1u);
  EXPECT_EQ(two.of(1)[0].label, three.of(1)[0].label);
  EXPECT_NE(two.of(1)[0].label, one.of(1)[0].label);
}

TEST(Turns, OfAConditionAndOfItsOppositeAreComplements) {
  const Seen two(one_branch(2)), one(one_branch(1));
  EXPECT_TRUE(are_complements(two.turns.portable(two.of(1)[0]), one.turns.portable(one.of(1)[0])));
  EXPECT_FALSE(are_complements(two.turns.portable(two.of(1)[0]), two.turns.portable(two.of(1)[0])));
}

TEST(Turns, BringAConditionIntoATraceThatHasReadAsMuch) {
  const Seen one(one_branch(1));
  Seen three(one_branch(3, true));
  const auto brought = three.turns.brought_into(three.trace, one.turns.portable(one.of(1)[0]));
  ASSERT_TRUE(brought.has_value());
  ASSERT_EQ(brought->size(), 1u);
  EXPECT_EQ(evaluate(three.trace.expressions)[brought->front()], 0u);  // x is 3 there
}

TEST(Turns, DoNotBringInWhatWasNotRead) {
  const Seen one(one_branch(1));
  MadeUpSymbolicTrace made;
  made.end(TREADLE_END_COMPLETED);
  Seen empty(made.trace);
  EXPECT_FALSE(empty.turns.brought_into(empty.trace, one.turns.portable(one.of(1)[0])).has_value());
}

TEST(Turns, TakeTheCasesOfASwitchForOne) {
  MadeUpSymbolicTrace made;
  const ExpressionId read = made.read(1, x, 9);
  for (const std::uint64_t value : {1, 2, 3})
    made.note(1, TREADLE_NOTE_BRANCH, made.e.make(TREADLE_OP_NOT, 1, made.is(read, value)), 0, 0x40);
  made.note(1, TREADLE_NOTE_BRANCH, made.e.make(TREADLE_OP_NOT, 1, made.is(read, 4)), 0, 0x50);  // an `if` behind it
  made.end(TREADLE_END_COMPLETED);
  const Seen seen(made.trace);
  ASSERT_EQ(seen.of(1).size(), 2u);
  EXPECT_EQ(seen.of(1)[0].notes.size(), 3u);
}

TEST(Turns, SayWhereTheProgramWouldFail) {
  MadeUpSymbolicTrace made;
  made.asserts(1, made.is(made.read(1, x, 1), 1));
  made.end(TREADLE_END_COMPLETED);
  EXPECT_TRUE(Seen(made.trace).of(1)[0].fails);
}

TEST(Turns, AreResultsOfTriesToo) {
  const auto trying = [](bool succeeds) {
    MadeUpSymbolicTrace made;
    made.event(1, TREADLE_EV_TRYLOCK, x, succeeds, succeeds ? 0 : 16);
    made.end(TREADLE_END_COMPLETED);
    return Seen(made.trace).of(1).at(0);
  };
  EXPECT_EQ(trying(true).kind, TurnKind::Result);
  EXPECT_NE(trying(true).label, trying(false).label);
}

}  // namespace
}  // namespace treadle

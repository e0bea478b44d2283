// SPDX-License-Identifier: Apache-2.0
#include "explore/followed_iteration.h"

#include <gtest/gtest.h>

#include "explore/path_execution.h"
#include "trace/made_up_symbolic.h"
#include "trace/spin_iterations.h"

namespace treadle {
namespace {

constexpr std::uint64_t flag = 0x1000;

/// Thread 1 looks at the flag until it is not 1: once in vain, then thread 2 clears it, and it goes on and writes.
Trace spinning() {
  MadeUpSymbolicTrace made;
  const auto look = [&](std::uint64_t value) {
    const ExpressionId is_one = made.is(made.read(1, flag, value), 1);
    made.note(1, TREADLE_NOTE_BRANCH, value == 1 ? is_one : made.e.make(TREADLE_OP_NOT, 1, is_one));
  };
  look(1);
  made.write(2, flag, made.number(0), 1);
  made.event(1, TREADLE_EV_SPIN, flag, 1, 1);
  look(0);
  made.write(1, flag + 8, made.number(1), 0);
  made.end(TREADLE_END_COMPLETED);
  return made.trace;
}

Schedule base() {
  Schedule schedule;
  schedule.races = Races::Explore;
  return schedule;
}

TEST(FollowedIteration, IsNoPartOfTheWayUnlessItIsFollowed) {
  const Trace trace = spinning();
  ASSERT_EQ(all_fruitless_iterations(trace).size(), 1u);
  const PathExecution plain(trace, base(), 0);
  EXPECT_EQ(plain.turns().of_threads()[1].size(), 1u);
  EXPECT_EQ(plain.followed(), nothing);
}

TEST(FollowedIteration, EndsTheWayOfItsThread) {
  PathTree tree;
  const FollowedIteration along = followed_along(spinning(), 1, MemoryModel::Sc, Races::Explore);
  EXPECT_EQ(along.pins, 1u);
  PathExecution followed(along, base(), 1);
  followed.path = tree.place(followed.turns());
  EXPECT_EQ(followed.followed(), 1u);
  ASSERT_EQ(followed.turns_of(1), 2u);  // that it is 1, and what it was
  EXPECT_EQ(followed.turn(1, 1).kind, TurnKind::Pin);
  EXPECT_EQ(followed.steps()[1], 1u);           // it does not get to write
  EXPECT_EQ(followed.telling_turns_of(1), 0u);  // behind it the thread is where it was
  EXPECT_EQ(followed.steps()[2], 1u);           // nothing has changed for the others
}

}  // namespace
}  // namespace treadle

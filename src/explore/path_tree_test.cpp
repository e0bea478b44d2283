// SPDX-License-Identifier: Apache-2.0
#include "explore/path_tree.h"

#include <gtest/gtest.h>

#include "explore/beginning.h"
#include "explore/branch_paths.h"
#include "trace/made_up_symbolic.h"

namespace treadle {
namespace {

/// Thread 1 asks as many times as there are letters whether what it reads is 1: 'y' or 'n'; thread 2 likewise.
struct Asking {
  explicit Asking(const std::string& first, const std::string& second = "") {
    const auto ask = [&](unsigned thread, const std::string& answers) {
      for (const char answer : answers) {
        const ExpressionId is_one = made.is(made.read(thread, 0x1000, answer == 'y' ? 1 : 0), 1);
        made.note(thread, TREADLE_NOTE_BRANCH, answer == 'y' ? is_one : made.e.make(TREADLE_OP_NOT, 1, is_one));
      }
    };
    ask(1, first);
    ask(2, second);
    made.end(TREADLE_END_COMPLETED);
    units = units_of(made.trace, MemoryModel::Sc, Races::Explore);
    turns = std::make_unique<Turns>(made.trace, units, made.trace.choices.size());
  }
  MadeUpSymbolicTrace made;
  Units units;
  std::unique_ptr<Turns> turns;
};

TEST(CommonTurns, AreCountedUpToTheFirstDifference) {
  EXPECT_EQ(common_turns({}, {}), 0u);
  EXPECT_EQ(common_turns({1, 2, 3}, {}), 0u);
  EXPECT_EQ(common_turns({1, 2, 3}, {1, 2, 3}), 3u);
  EXPECT_EQ(common_turns({1, 2, 3}, {1, 2, 3, 4}), 3u);
  EXPECT_EQ(common_turns({1, 2, 3, 4}, {1, 2, 5, 6}), 2u);
  EXPECT_EQ(common_turns({1}, {2}), 0u);
}

TEST(PathTree, HasOneNodeForEachWayToGo) {
  PathTree tree;
  const Path yes_no = tree.add(*Asking("yn").turns, 0), yes_yes = tree.add(*Asking("yy").turns, 1),
             again = tree.add(*Asking("yn").turns, 2);
  EXPECT_EQ(yes_no, again);
  EXPECT_EQ(common_turns(yes_no[1], yes_yes[1]), 1u);
  const PathTree::Node& yes = tree[yes_no[1][0]];
  EXPECT_EQ(yes.children.size(), 2u);
  EXPECT_EQ(yes.executions, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(tree[yes_no[1][1]].executions, (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(tree[yes_no[1][1]].depth, 2u);
}

TEST(PathTree, KeepsThreadsApart) {
  PathTree tree;
  const Path path = tree.add(*Asking("y", "y").turns, 0);
  EXPECT_NE(path[1][0], path[2][0]);
  EXPECT_EQ(tree[path[2][0]].thread, 2u);
}

TEST(PathTree, PlacesAPathWithoutTellingAnybody) {
  PathTree tree;
  const Asking asking("y");
  const Path path = tree.place(*asking.turns);
  EXPECT_TRUE(tree[path[1][0]].executions.empty());
  EXPECT_EQ(tree.add(*asking.turns, 0), path);
}

TEST(BranchPaths, CountsWhatDiffersInTurns) {
  BranchPaths paths;
  for (const char* way : {"yy", "yn", "n"}) paths.add(*Asking(way).turns, true);
  EXPECT_EQ(paths.paths(), 3u);
  paths.add(*Asking("yn").turns, true);
  EXPECT_EQ(paths.paths(), 3u);
}

TEST(BranchPaths, DoesNotCountHowFarSomebodyCameWhereThereIsOneWay) {
  BranchPaths paths;
  paths.add(*Asking("y", "y").turns, true);
  paths.add(*Asking("y", "").turns, true);
  EXPECT_EQ(paths.paths(), 1u);
  paths.add(*Asking("y", "n").turns, false);  // no path itself, but there is another way
  EXPECT_EQ(paths.paths(), 2u);
}

TEST(Beginnings, PartWhereAThreadTurnsOtherwise) {
  const Beginning one{{{}, {1, 2}, {7}}, {}}, other{{{}, {1, 3}, {7}}, {}}, longer{{{}, {1, 2, 4}, {}}, {}};
  EXPECT_TRUE(part(one, other));
  EXPECT_FALSE(part(one, longer));
  EXPECT_FALSE(part(one, one));
}

TEST(Beginnings, PartWhereOneDoesNotGoWhereTheOtherGoes) {
  const Beginning stops{{{}, {1}}, std::pair(1u, PathNode{2})}, goes{{{}, {1, 2}}, {}}, elsewhere{{{}, {1, 3}}, {}};
  EXPECT_TRUE(part(stops, goes));
  EXPECT_TRUE(part(goes, stops));
  EXPECT_FALSE(part(stops, elsewhere));  // that may be where it goes
}

}  // namespace
}  // namespace treadle

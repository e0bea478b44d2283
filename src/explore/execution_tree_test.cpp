// SPDX-License-Identifier: Apache-2.0
#include "explore/execution_tree.h"

#include <gtest/gtest.h>

namespace treadle {
namespace {

constexpr Access x{.address = 0x10, .bytes = 4}, y{.address = 0x20, .bytes = 4};

Access written(Access access) {
  access.writes = true;
  return access;
}

Action step(unsigned thread, std::initializer_list<Access> accesses) {
  Action action;
  action.decision = {DecisionKind::Step, static_cast<ThreadId>(thread), 0};
  action.process = process_of(action.decision);
  for (const Access& access : accesses) action.accesses.add(access);
  return action;
}

Action flush(unsigned thread, const Access& access) {
  Action action;
  action.decision = {DecisionKind::Flush, static_cast<ThreadId>(thread), 0};
  action.process = process_of(action.decision);
  action.store = 1;
  action.accesses.add(written(access));
  return action;
}

/// A load of the first thread is to find its own store. Below a flush of that store it finds it in memory, where a store of the second
/// thread gets in its way, although the flush is not in the sequence that is inserted.
TEST(ExecutionTree, KnowsThatALoadReadsMemoryBelowAFlushOfItsStore) {
  ExecutionTree tree;
  ActionTable& actions = tree.actions();
  ExecutionTree::Node& root = *tree.take_leaf();
  root.state = ExecutionTree::Node::State::Run;
  ExecutionTree::Node& first = tree.grow(root, actions[step(3, {written(x)})]);

  const KnownAction own = actions[flush(1, y)], others = actions[flush(2, y)];
  ASSERT_EQ(tree.insert(root, first, {own}, 1, {}), nullptr);
  ExecutionTree::Node& flushed = *tree.take_leaf();
  tree.came_through(flushed, own);
  ExecutionTree::Node& overwritten = tree.grow(flushed, others);

  Action load = step(1, {});
  load.served = y;
  load.store = 1;
  ASSERT_EQ(tree.insert(root, first, {actions[load], actions[step(4, {x})]}, 2, {}), nullptr);
  const ExecutionTree::Node* leaf = tree.take_leaf();
  ASSERT_NE(leaf, nullptr);
  ASSERT_EQ(leaf->depth, 3u);
  EXPECT_NE(leaf->parent->parent, &overwritten);
  EXPECT_EQ(leaf->parent->parent, &flushed);
  EXPECT_EQ(leaf->parent->action->accesses.size(), 1u);
  EXPECT_EQ(leaf->parent->action->served.bytes, 0u);
}

}  // namespace
}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// How large the tree is: what of it is over, whether a class is part of that, and a guess at the rest.
#include <utility>

#include "explore/execution_tree.h"

namespace treadle {

using Node = ExecutionTree::Node;
using State = Node::State;

std::uint64_t ExecutionTree::executions_over() const {
  if (is_finished()) return root_->executions;
  std::uint64_t sum = 0;
  for (const Node* node = active_; node != nullptr; node = node->parent)
    for (const Node* child = node->first_child; child != nullptr && child->state == State::Done; child = child->next)
      sum += child->executions;
  return sum;
}

bool ExecutionTree::is_over(Sought& sought) {
  for (;;) {
    if (sought.at->serial != sought.serial || sought.at->state == State::Done) return true;
    Initial initial{};
    Node* child = sought.at->first_child;
    for (; child != nullptr; child = child->next)
      if (initial = weak_initial(*child->action, sought.rest); initial.is_weak) break;
    if (child == nullptr || (child->state != State::Run && child->state != State::Done)) return false;
    Sequence& rest = sought.rest;
    if (is_flush(child->action->process))
      for (std::size_t i = 0; i < initial.at; ++i) rest[i] = actions_.after(rest[i], child->action);
    if (initial.at < rest.size()) rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(initial.at));
    sought.at = child;
    sought.serial = child->serial;
  }
}

double ExecutionTree::estimate() const {
  if (root_->state == State::Done) return static_cast<double>(root_->executions);
  struct Level {
    const Node* next;
    double sum = 0;
    double known = 0, all = 0;  // children
  };
  std::vector<Level> levels{{root_->first_child}};
  for (;;) {
    Level& level = levels.back();
    if (level.next == nullptr) {
      const double below = level.known == 0 ? 1 : level.sum * level.all / level.known;
      levels.pop_back();
      if (levels.empty()) return below;
      levels.back().sum += below;
      continue;
    }
    const Node& child = *std::exchange(level.next, level.next->next);
    ++level.all;
    if (child.state != State::Done && child.state != State::Run) continue;
    ++level.known;
    if (child.state == State::Done)
      level.sum += static_cast<double>(child.executions);
    else
      levels.push_back({child.first_child});
  }
}

}  // namespace treadle

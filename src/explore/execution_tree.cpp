// SPDX-License-Identifier: Apache-2.0
#include "explore/execution_tree.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace treadle {

using Node = ExecutionTree::Node;
using State = Node::State;

namespace {

/// Any: in whatever way; the other ways of a thread are put into the tree as soon as one has been taken.
bool same_move(const Decision& a, const Decision& b) { return a == b || a.kind == DecisionKind::Any || b.kind == DecisionKind::Any; }

bool is_known_impossible(const Node& at, std::span<const Action> v) {
  return std::any_of(at.impossible.begin(), at.impossible.end(), [&](const std::vector<Process>& tried) {
    return std::equal(tried.begin(), tried.end(), v.begin(), v.end(), [](Process p, const Action& a) { return p == a.process; });
  });
}

}  // namespace

std::optional<std::size_t> weak_initial(const Action& first, std::span<const Action> v) {
  Action moved;  // only a load that a store buffer serves changes on the way
  const Action* action = &first;
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (v[i].process == first.process) return same_move(v[i].decision, first.decision) ? std::optional(i) : std::nullopt;
    if (dependent(*action, v[i])) return std::nullopt;
    if (action->served.bytes != 0) {
      moved = *action;
      pass_by(moved, v[i]);
      action = &moved;
    }
  }
  return v.size();
}

ExecutionTree::ExecutionTree() : root_(&new_node(nullptr, {})), active_(root_) {
  root_->state = State::Leaf;
  root_->waiting = 1;
}

ExecutionTree::~ExecutionTree() {
  remove(*root_);
  for (Node* node : free_) delete node;
}

Node& ExecutionTree::new_node(Node* parent, const Action& action) {
  Node* node = nullptr;
  if (free_.empty()) {
    node = new Node;
  } else {
    node = free_.back();
    free_.pop_back();
  }
  node->parent = parent;
  node->action = action;
  node->depth = parent ? parent->depth + 1 : 0;
  node->serial = ++serial_;
  node->executions = 0;
  node->first_open = node->waiting = 0;
  node->attempt = false;
  node->state = State::Ahead;
  if (parent) parent->children.push_back(node);
  return *node;
}

/// With everything below. The parent must forget it by itself.
void ExecutionTree::remove(Node& node) {
  std::vector<Node*> all{&node};
  while (!all.empty()) {
    Node* n = all.back();
    all.pop_back();
    all.insert(all.end(), n->children.begin(), n->children.end());
    n->children.clear();
    n->relying.clear();
    n->impossible.clear();
    n->serial = 0;
    free_.push_back(n);
  }
}

void ExecutionTree::count_waiting(Node& leaf, int difference) {
  for (Node* node = &leaf; node != nullptr; node = node->parent) node->waiting += static_cast<std::uint32_t>(difference);
}

Node* ExecutionTree::take_leaf() {
  if (root_->waiting == 0) return nullptr;
  Node* node = root_;
  while (node->state != State::Leaf)
    for (std::size_t i = node->first_open;; ++i)
      if (node->children[i]->waiting > 0) {
        node = node->children[i];
        break;
      }
  node->state = State::Out;
  count_waiting(*node, -1);
  return node;
}

void ExecutionTree::came_through(Node& node, const Action& action) {
  node.action = action;
  node.state = State::Run;
  node.relying.clear();
}

Node& ExecutionTree::grow(Node& node, const Action& action) {
  Node& child = new_node(&node, action);
  child.state = State::Run;
  return child;
}

void ExecutionTree::add_leaf(Node& at, const Sequence& v) {
  Node* end = &at;
  for (const Action& action : v) {
    end = &new_node(end, action);
    end->attempt = v.back().attempt;
    may_be_needed_again_ |= end->attempt;
  }
  end->state = State::Leaf;
  count_waiting(*end, 1);
}

void ExecutionTree::insert(Node& at, Node& from, Sequence v, std::span<const Action> asleep) {
  for (const Action& sleeper : asleep)
    if (weak_initial(sleeper, v)) return;
  insert_below(at, &from, std::move(v));
}

void ExecutionTree::insert_below(Node& start, Node* const start_from, Sequence v) {
  Node* from = start_from;
  Node* at = &start;
  Sequence whole;  // v, kept when it may be needed again
  if (may_be_needed_again_) whole = v;
  const auto rely_on = [&](Node& child) {
    if (!child.attempt || child.state == State::Run || child.state == State::Done) return;
    const bool known = std::any_of(child.relying.begin(), child.relying.end(), [&](const Node::Relying& r) {
      return r.at == &start && r.from == start_from &&
             std::equal(r.v.begin(), r.v.end(), whole.begin(), whole.end(),
                        [](const Action& a, const Action& b) { return a.process == b.process; });
    });
    if (!known) child.relying.push_back({&start, start_from, whole});
  };
  for (;;) {
    Node* into = nullptr;
    bool before = from != nullptr;
    for (Node* child : at->children) {
      if (child == from) {
        before = false;
        continue;
      }
      const auto in_v = weak_initial(child->action, v);
      if (!in_v) continue;
      if (before || child->state == State::Leaf || child->state == State::Out || child->state == State::Done) return rely_on(*child);
      if (*in_v < v.size()) {
        for (std::size_t i = 0; i < *in_v; ++i) pass_by(v[i], v[*in_v]);
        v.erase(v.begin() + static_cast<std::ptrdiff_t>(*in_v));
      }
      if (v.empty()) return rely_on(*child);
      into = child;
      break;
    }
    if (into == nullptr) {
      if (!is_known_impossible(*at, v)) add_leaf(*at, v);
      return;
    }
    at = into;
    from = nullptr;
  }
}

void ExecutionTree::finish(Node& node) {
  node.state = State::Done;
  node.executions = node.children.empty() ? 1 : 0;
  for (Node* child : node.children) {
    node.executions += child->executions;
    remove(*child);
  }
  node.children.clear();
  node.impossible.clear();
}

void ExecutionTree::close() {
  for (;;) {
    while (active_->first_open < active_->children.size() && active_->children[active_->first_open]->state == State::Done)
      ++active_->first_open;
    if (active_->first_open < active_->children.size()) {
      active_ = active_->children[active_->first_open];
      continue;
    }
    if (active_->state != State::Run) return;
    finish(*active_);
    if (active_->parent == nullptr) return;
    active_ = active_->parent;
  }
}

void ExecutionTree::give_up(Node& leaf) {
  // Back to where it branched off from something that was run, or that others still need.
  Node* top = &leaf;
  std::vector<Process> sequence{leaf.action.process};
  while (top->parent->state == State::Ahead && top->parent->children.size() == 1) {
    top = top->parent;
    sequence.push_back(top->action.process);
  }
  std::reverse(sequence.begin(), sequence.end());
  Node* at = top->parent;
  check(at != nullptr, "the first execution is always possible");
  std::vector<Node::Relying> orphans;
  for (Node* node = &leaf;; node = node->parent) {
    orphans.insert(orphans.end(), std::make_move_iterator(node->relying.begin()), std::make_move_iterator(node->relying.end()));
    node->relying.clear();
    if (node == active_) active_ = at;
    if (node == top) break;
  }
  at->impossible.push_back(std::move(sequence));
  std::erase(at->children, top);
  at->first_open = 0;
  remove(*top);
  for (Node::Relying& orphan : orphans) insert_below(*orphan.at, orphan.from, std::move(orphan.v));
}

double ExecutionTree::estimate(const Node& node) const {
  if (node.state == State::Done) return static_cast<double>(node.executions);
  double sum = 0;
  std::size_t known = 0;
  for (const Node* child : node.children) {
    if (child->state != State::Done && child->state != State::Run) continue;
    sum += estimate(*child);
    ++known;
  }
  if (known == 0) return 1;
  return sum * static_cast<double>(node.children.size()) / static_cast<double>(known);
}

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
#include "explore/execution_tree.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"

namespace treadle {

using Node = ExecutionTree::Node;
using State = Node::State;

namespace {

constexpr std::size_t block_nodes = 256;

/// Any: in whatever way; the other ways of a thread are put into the tree as soon as one has been taken.
bool same_move(const Decision& a, const Decision& b) { return a == b || a.kind == DecisionKind::Any || b.kind == DecisionKind::Any; }

/// What nobody has done yet may turn out to fail, and nothing can come after it then: where nothing depends on it, it comes last.
void put_foreseen_last(Sequence& v) {
  const auto one = std::find_if(v.begin(), v.end(), [](KnownAction a) { return a->foreseen && !a->attempt && a->served.bytes == 0; });
  if (one == v.end() || std::any_of(one + 1, v.end(), [&](KnownAction other) { return dependent(**one, *other); })) return;
  std::rotate(one, one + 1, v.end());
}

}  // namespace

Initial weak_initial(const Action& first, std::span<const KnownAction> v) {
  Action moved;  // only a load that a store buffer serves changes on the way
  const Action* action = &first;
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (v[i]->process == first.process) return {same_move(v[i]->decision, first.decision), i};
    if (dependent(*action, *v[i])) return {false, i};
    if (action->served.bytes != 0) {
      moved = *action;
      pass_by(moved, *v[i]);
      action = &moved;
    }
  }
  return {true, v.size()};
}

ExecutionTree::ExecutionTree() : root_(&new_node(nullptr, actions_[{}])), active_(root_) {
  root_->state = State::Leaf;
  root_->waiting = 1;
}

Node& ExecutionTree::new_node(Node* parent, KnownAction action) {
  if (free_ == nullptr) {
    blocks_.push_back(std::make_unique<Node[]>(block_nodes));
    for (std::size_t i = block_nodes; i-- > 0; free_ = &blocks_.back()[i]) blocks_.back()[i].next = free_;
  }
  Node* node = std::exchange(free_, free_->next);
  *node = {};
  node->parent = parent;
  node->action = action;
  node->serial = ++serial_;
  if (parent == nullptr) return *node;
  check(!parent->has_tail, "what went on from a node stands before what is put there");
  node->depth = parent->depth + 1;
  (parent->last_child ? parent->last_child->next : parent->first_child) = node;
  parent->last_child = node;
  if (parent->first_open == nullptr) parent->first_open = node;
  return *node;
}

void ExecutionTree::leave_tail(Node& node, std::span<const KnownAction> actions) {
  check(node.first_child == nullptr && !node.has_tail, "an execution goes on only once");
  if (actions.empty()) return;
  if (free_tails_.empty()) free_tails_.push_back(&tails_.emplace_back());
  node.tail = free_tails_.back();
  free_tails_.pop_back();
  node.tail->actions.assign(actions.begin(), actions.end());
  node.tail->first = 0;
  node.has_tail = true;
}

/// Makes a node of the first action of its tail.
void ExecutionTree::unfold(Node& node) {
  if (!node.has_tail) return;
  Tail* tail = std::exchange(node.tail, nullptr);
  node.has_tail = false;
  Node& child = grow(node, tail->actions[tail->first++]);
  child.tail = tail;
  child.has_tail = true;
  if (tail->first == tail->actions.size()) drop_tail(child);
}

void ExecutionTree::drop_tail(Node& node) {
  if (!node.has_tail) return;
  free_tails_.push_back(std::exchange(node.tail, nullptr));
  node.has_tail = false;
}

void ExecutionTree::forget(Node& node) {
  drop_tail(node);
  if (node.has_notes) notes_.erase(&node);
  node.serial = 0;
  node.next = std::exchange(free_, &node);
}

/// With everything below. The parent must forget it by itself.
void ExecutionTree::remove(Node& top) {
  for (Node* node = &top;;) {
    while (node->first_child != nullptr) node = node->first_child;
    Node* const parent = node->parent;
    Node* const next = node->next;
    const bool last = node == &top;
    forget(*node);
    if (last) return;
    parent->first_child = next;
    node = next ? next : parent;
  }
}

ExecutionTree::Notes& ExecutionTree::notes_of(Node& node) {
  node.has_notes = true;
  return notes_[&node];
}

void ExecutionTree::count_waiting(Node& leaf, int difference) {
  for (Node* node = &leaf; node != nullptr; node = node->parent) node->waiting += static_cast<std::uint32_t>(difference);
}

Node* ExecutionTree::take_leaf() {
  if (root_->waiting == 0) return nullptr;
  Node* node = active_;
  while (node->waiting == 0) node = node->parent;
  while (node->state != State::Leaf)
    for (node = node->first_open; node->waiting == 0;) node = node->next;
  node->state = State::Out;
  count_waiting(*node, -1);
  return node;
}

void ExecutionTree::turned_out(Node& node, KnownAction action) {
  const Action& planned = *std::exchange(node.action, action);
  node.otherwise |= planned.accesses != action->accesses || planned.ends != action->ends || planned.disturbs != action->disturbs;
}

void ExecutionTree::came_through(Node& node, KnownAction action) {
  turned_out(node, action);
  node.state = State::Run;
  if (!node.has_notes || action->fails) return;
  auto& relying = notes_of(node).relying;
  if (node.otherwise) relied_in_vain_.insert(relied_in_vain_.end(), relying.begin(), relying.end());
  relying.clear();
}

void ExecutionTree::insert_again() {
  for (const Notes::Relying& orphan : std::exchange(relied_in_vain_, {})) insert_below(*orphan.at, orphan.finder(), orphan.v, orphan.least);
}

/// What a thread will do when it overtakes another is known, but not whether it fails with it. If it does, nothing else can come after it:
/// it is a weak initial of nothing but what wants to see itself fail.
void ExecutionTree::failed_at(Node& leaf) {
  if (!leaf.has_notes) return;
  const auto orphans = std::exchange(notes_of(leaf).relying, {});
  const Process process = leaf.action->process;
  for (const Notes::Relying& orphan : orphans) {
    std::ptrdiff_t steps = std::count_if(orphan.v.begin(), orphan.v.end(), [&](KnownAction a) { return a->process == process; });
    for (const Node* node = leaf.parent; node != nullptr && node->depth > orphan.at->depth; node = node->parent)
      if (node->action->process == process) --steps;
    if (steps <= 0) insert_below(*orphan.at, orphan.finder(), orphan.v, orphan.least);
  }
}

Node& ExecutionTree::grow(Node& node, KnownAction action) {
  Node& child = new_node(&node, action);
  child.state = State::Run;
  return child;
}

void ExecutionTree::add_leaf(Node& at, std::span<const KnownAction> v) {
  Node* end = &at;
  for (const KnownAction action : v) {
    end = &new_node(end, action);
    end->attempt = v.back()->attempt;
    may_be_needed_again_ |= end->attempt;
  }
  end->state = State::Leaf;
  count_waiting(*end, 1);
}

KnownAction ExecutionTree::insert(Node& at, Node& from, const Sequence& v, std::size_t least, std::span<const KnownAction> asleep) {
  for (const KnownAction sleeper : asleep) {
    const Initial initial = weak_initial(*sleeper, v);
    if (initial.is_weak) return sleeper;
    least = std::max(least, initial.at + 1);
  }
  insert_below(at, &from, v, least);
  return nullptr;
}

bool ExecutionTree::is_known_impossible(const Node& at, std::span<const KnownAction> v) const {
  if (!at.has_notes) return false;
  const auto& impossible = notes_.at(&at).impossible;
  return std::any_of(impossible.begin(), impossible.end(), [&](const std::vector<Process>& tried) {
    return std::equal(tried.begin(), tried.end(), v.begin(), v.end(), [](Process p, KnownAction a) { return p == a->process; });
  });
}

void ExecutionTree::rely_on(Node& child, Node& at, Node* from, const Sequence& v, std::size_t least) {
  if (child.state == State::Run || child.state == State::Done) return;
  auto& relying = notes_of(child).relying;
  const std::uint64_t serial = from ? from->serial : 0;
  const bool known = std::any_of(relying.begin(), relying.end(), [&](const Notes::Relying& r) {
    return r.at == &at && r.from == from && r.from_serial == serial && r.least == least &&
           std::equal(r.v.begin(), r.v.end(), v.begin(), v.end(), [](KnownAction a, KnownAction b) { return a->process == b->process; });
  });
  if (!known) relying.push_back({&at, from, serial, v, least});
}

void ExecutionTree::insert_below(Node& start, Node* const start_from, const Sequence& v, const std::size_t start_least) {
  Node* from = start_from;
  Node* at = &start;
  Sequence& rest = rest_;
  rest = v;
  std::size_t least = start_least;  // of `rest`
  for (;;) {
    unfold(*at);
    Node* into = nullptr;
    bool before = from != nullptr;
    for (Node* child = at->first_child; child != nullptr; child = child->next) {
      if (child == from) {
        before = false;
        continue;
      }
      const Initial initial = weak_initial(*child->action, rest);
      if (!initial.is_weak) {
        least = std::max(least, initial.at + 1);
        continue;
      }
      if (before || child->state == State::Leaf || child->state == State::Out || child->state == State::Done)
        return rely_on(*child, start, start_from, v, start_least);
      if (is_flush(child->action->process))
        for (std::size_t i = 0; i < initial.at; ++i) rest[i] = actions_.after(rest[i], child->action);
      if (initial.at < rest.size()) {
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(initial.at));
        if (initial.at < least) --least;
      }
      if (least == 0) return rely_on(*child, start, start_from, v, start_least);
      into = child;
      break;
    }
    if (into == nullptr) {
      rest.resize(least);
      put_foreseen_last(rest);
      if (!is_known_impossible(*at, rest)) add_leaf(*at, rest);
      return;
    }
    at = into;
    from = nullptr;
  }
}

void ExecutionTree::finish(Node& node) {
  drop_tail(node);
  std::uint64_t executions = node.first_child == nullptr ? 1 : 0;
  for (Node* child = node.first_child; child != nullptr;) {
    executions += child->executions;
    forget(*std::exchange(child, child->next));
  }
  node.first_child = node.last_child = nullptr;
  node.executions = executions;
  node.state = State::Done;
  if (node.has_notes) notes_.erase(&node);
  node.has_notes = false;
}

void ExecutionTree::close() {
  for (;;) {
    Node*& open = active_->first_open;
    while (open != nullptr && open->state == State::Done) open = open->next;
    if (open != nullptr) {
      active_ = open;
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
  std::vector<Process> sequence{leaf.action->process};
  while (top->parent->state == State::Ahead && top->parent->first_child == top->parent->last_child) {
    top = top->parent;
    sequence.push_back(top->action->process);
  }
  std::reverse(sequence.begin(), sequence.end());
  Node* at = top->parent;
  check(at != nullptr, "the first execution is always possible");
  std::vector<Notes::Relying> orphans;
  for (Node* node = &leaf;; node = node->parent) {
    if (node->has_notes) {
      auto& relying = notes_of(*node).relying;
      orphans.insert(orphans.end(), std::make_move_iterator(relying.begin()), std::make_move_iterator(relying.end()));
      relying.clear();
    }
    if (node == active_) active_ = at;
    if (node == top) break;
  }
  // What was found on the way to the leaf itself, by an execution that was given up before, is wanted where the rest of that way branches
  // off now.
  for (Notes::Relying& orphan : orphans) {
    Sequence way;
    for (const Node* node = orphan.at; node->depth >= top->depth; node = node->parent) way.push_back(node->action);
    if (way.empty()) continue;
    orphan.v.insert(orphan.v.begin(), way.rbegin(), way.rend());
    orphan.least += way.size();
    orphan.at = at;
    orphan.from = nullptr;
  }
  notes_of(*at).impossible.push_back(std::move(sequence));
  Node* previous = nullptr;
  for (Node* child = at->first_child; child != top; child = child->next) previous = child;
  (previous ? previous->next : at->first_child) = top->next;
  if (at->last_child == top) at->last_child = previous;
  at->first_open = at->first_child;
  remove(*top);
  for (const Notes::Relying& orphan : orphans) insert_below(*orphan.at, orphan.finder(), orphan.v, orphan.least);
}

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// The open part of the tree as bytes. A leaf that is being run counts as waiting.
#include "explore/action_bytes.h"
#include "explore/execution_tree.h"

namespace treadle {

using Node = ExecutionTree::Node;
using State = Node::State;

/// A sequence that relies on `node`; the child that its finder came from may stand further on in the file.
struct ExecutionTree::NotLinked {
  Node* node;
  std::size_t relying;
  std::uint64_t position;  // of that child
};

void ExecutionTree::save(ByteWriter& out) const {
  const Node* node = root_;
  for (;;) {
    put_node(out, *node);
    if (node->has_tail) put_tail(out, *node);
    if (node->first_child != nullptr) {
      node = node->first_child;
      continue;
    }
    while (node->next == nullptr && node->parent != nullptr) node = node->parent;
    if (node->parent == nullptr) return;
    node = node->next;
  }
}

void ExecutionTree::put_node(ByteWriter& out, const Node& node) const {
  static const Notes nothing;
  const Notes& notes = node.has_notes ? notes_.at(&node) : nothing;
  const auto position_in = [](const Node& at, const Node* child) {
    std::size_t position = 0;
    for (const Node* other = at.first_child; other != nullptr && other != child; other = other->next) ++position;
    return position;
  };
  put(out, *node.action);
  const State state = node.state;
  out.byte(static_cast<std::uint8_t>(state == State::Out ? State::Leaf : state));
  out.byte(node.attempt);
  out.varint(state == State::Done ? node.executions : 0);
  out.varint(notes.impossible.size());
  for (const auto& sequence : notes.impossible) {
    out.varint(sequence.size());
    for (const Process p : sequence) out.varint(static_cast<std::uint32_t>(p));
  }
  // `at` is an ancestor, told by its depth; `from` one of its children, told by its position.
  out.varint(notes.relying.size());
  for (const Notes::Relying& r : notes.relying) {
    out.varint(r.at->depth);
    out.varint(position_in(*r.at, r.finder()));
    out.varint(r.least);
    out.varint(r.v.size());
    for (const KnownAction action : r.v) put(out, *action);
  }
  out.varint(node.has_tail ? 1 : position_in(node, nullptr));
}

/// As if nodes had been made of it.
void ExecutionTree::put_tail(ByteWriter& out, const Node& node) {
  const Sequence& actions = node.tail->actions;
  for (std::size_t i = node.tail->first; i < actions.size(); ++i) {
    put(out, *actions[i]);
    out.byte(static_cast<std::uint8_t>(State::Run));
    for (const std::uint8_t nothing : {0, 0, 0, 0}) out.byte(nothing);  // no attempt, executions, notes
    out.varint(i + 1 < actions.size() ? 1 : 0);
  }
}

/// Returns how many children follow.
std::size_t ExecutionTree::get_node(ByteReader& in, Node& node, std::vector<NotLinked>& not_linked) {
  node.action = actions_[get_action(in)];
  node.state = static_cast<State>(in.up_to(static_cast<std::uint64_t>(State::Done)));
  node.attempt = in.up_to(1) != 0;
  may_be_needed_again_ |= node.attempt;
  const std::uint64_t executions = in.varint();
  for (std::size_t n = in.count(1); n > 0; --n) {
    std::vector<Process> sequence;
    for (std::size_t m = in.count(1); m > 0; --m) sequence.push_back(Process{static_cast<std::uint32_t>(in.up_to(UINT32_MAX))});
    notes_of(node).impossible.push_back(std::move(sequence));
  }
  for (std::size_t n = in.count(3); n > 0; --n) {
    Node* at = &node;
    for (std::uint64_t up = in.up_to(node.depth); at->depth > up;) at = at->parent;
    const std::uint64_t position = in.varint();
    const std::uint64_t least = in.varint();
    Sequence v;
    for (std::size_t m = in.count(8); m > 0; --m) v.push_back(actions_[get_action(in)]);
    if (least == 0 || least > v.size() || at == &node) in.fail();
    auto& relying = notes_of(node).relying;
    not_linked.push_back({&node, relying.size(), position});
    relying.push_back({at, nullptr, 0, std::move(v), least});
  }
  const std::size_t children = in.count(8);
  if (node.state == State::Out || (children > 0 && (node.state == State::Leaf || node.state == State::Done))) in.fail();
  if (children == 0 && node.state == State::Ahead) in.fail();
  if (node.state == State::Done) node.executions = executions;
  return in.ok() ? children : 0;
}

bool ExecutionTree::load(ByteReader& in, std::uint32_t most_decisions) {
  remove(*root_);
  root_ = active_ = &new_node(nullptr, actions_[{}]);
  std::vector<NotLinked> not_linked;
  struct Level {
    Node* node;
    std::size_t children;  // still to come
    std::size_t decisions;
  };
  std::vector<Level> levels;
  const auto get = [&](Node& node, std::size_t decisions) {
    const std::size_t children = get_node(in, node, not_linked);
    if (node.depth > 0) decisions += 1 + node.action->more_decisions.size();
    if (decisions > most_decisions) in.fail();
    if (node.state == State::Leaf) count_waiting(node, 1);
    levels.push_back({&node, children, decisions});
  };
  get(*root_, 0);
  while (in.ok() && !levels.empty()) {
    Level& last = levels.back();
    if (last.children == 0) {
      levels.pop_back();
      continue;
    }
    --last.children;
    get(new_node(last.node, actions_[{}]), last.decisions);
  }
  for (const auto& [node, relying, position] : not_linked) {
    auto& r = notes_of(*node).relying[relying];
    r.from = r.at->first_child;
    for (std::uint64_t p = position; p > 0 && r.from != nullptr; --p) r.from = r.from->next;
    r.from_serial = r.from ? r.from->serial : 0;
  }
  return in.ok();
}

}  // namespace treadle

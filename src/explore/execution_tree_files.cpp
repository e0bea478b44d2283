// SPDX-License-Identifier: Apache-2.0
// The open part of the tree as bytes. A leaf that is being run counts as waiting.
#include "explore/execution_tree.h"

namespace treadle {

using Node = ExecutionTree::Node;
using State = Node::State;

namespace {

constexpr unsigned deepest = 1'000'000;

void put(ByteWriter& out, const Decision& d) {
  out.byte(static_cast<std::uint8_t>(d.kind));
  out.byte(static_cast<std::uint8_t>(d.thread));
  out.varint(d.argument);
}

Decision get_decision(ByteReader& in) {
  Decision d;
  d.kind = static_cast<DecisionKind>(in.up_to(static_cast<std::uint64_t>(DecisionKind::Any)));
  d.thread = ThreadId{static_cast<std::uint8_t>(in.up_to(TREADLE_MAX_THREADS - 1))};
  d.argument = static_cast<std::uint16_t>(in.up_to(UINT16_MAX));
  return d;
}

void put(ByteWriter& out, const Access& a) {
  out.varint(a.address);
  out.varint(a.bytes);
  out.byte(static_cast<std::uint8_t>(static_cast<unsigned>(a.space) << 1 | a.writes));
}

Access get_access(ByteReader& in) {
  Access a;
  a.address = in.varint();
  a.bytes = static_cast<std::uint32_t>(in.up_to(UINT32_MAX));
  const auto what = static_cast<unsigned>(in.up_to(static_cast<unsigned>(Space::Spinlock) << 1 | 1));
  a.space = static_cast<Space>(what >> 1);
  a.writes = (what & 1) != 0;
  return a;
}

void put(ByteWriter& out, const Action& action) {
  put(out, action.decision);
  out.varint(action.more_decisions.size());
  for (const Decision& d : action.more_decisions) put(out, d);
  out.varint(action.accesses.size());
  for (std::size_t i = 0; i < action.accesses.size(); ++i) put(out, action.accesses[i]);
  out.varint(action.disturbs);
  out.byte(static_cast<std::uint8_t>(action.ends | action.attempt << 1 | action.fails << 2));
  out.varint(action.store);
  put(out, action.served);
}

Action get_action(ByteReader& in) {
  Action action;
  action.decision = get_decision(in);
  action.process = process_of(action.decision);
  for (std::size_t n = in.count(3); n > 0; --n) action.more_decisions.push_back(get_decision(in));
  for (std::size_t n = in.count(3); n > 0; --n) action.accesses.add(get_access(in));
  action.disturbs = static_cast<std::uint16_t>(in.up_to(UINT16_MAX));
  const std::uint64_t flags = in.up_to(7);
  action.ends = (flags & 1) != 0;
  action.attempt = (flags & 2) != 0;
  action.fails = (flags & 4) != 0;
  action.store = static_cast<std::uint32_t>(in.up_to(UINT32_MAX));
  action.served = get_access(in);
  return action;
}

}  // namespace

void ExecutionTree::save(ByteWriter& out) const { save(out, *root_); }

bool ExecutionTree::load(ByteReader& in) {
  remove(*root_);
  root_ = active_ = &new_node(nullptr, {});
  return load(in, *root_, 0);
}

void ExecutionTree::save(ByteWriter& out, const Node& node) const {
  put(out, node.action);
  const State state = node.state == State::Out ? State::Leaf : node.state;
  out.byte(static_cast<std::uint8_t>(state));
  out.byte(node.attempt);
  out.varint(node.executions);
  out.varint(node.impossible.size());
  for (const auto& sequence : node.impossible) {
    out.varint(sequence.size());
    for (const Process p : sequence) out.varint(static_cast<std::uint32_t>(p));
  }
  // `at` is an ancestor or the node's parent, told by its depth; `from` one of its children, told by its position.
  out.varint(node.relying.size());
  for (const Node::Relying& r : node.relying) {
    out.varint(r.at->depth);
    std::size_t position = 0;
    while (position < r.at->children.size() && r.at->children[position] != r.from) ++position;
    out.varint(position);
    out.varint(r.v.size());
    for (const Action& action : r.v) put(out, action);
  }
  out.varint(node.children.size());
  for (const Node* child : node.children) save(out, *child);
}

bool ExecutionTree::load(ByteReader& in, Node& node, unsigned depth) {
  if (depth > deepest) in.fail();
  node.action = get_action(in);
  node.state = static_cast<State>(in.up_to(static_cast<std::uint64_t>(State::Done)));
  node.attempt = in.up_to(1) != 0;
  may_be_needed_again_ |= node.attempt;
  node.executions = in.varint();
  for (std::size_t n = in.count(1); n > 0; --n) {
    std::vector<Process> sequence;
    for (std::size_t m = in.count(1); m > 0; --m) sequence.push_back(Process{static_cast<std::uint32_t>(in.up_to(UINT32_MAX))});
    node.impossible.push_back(std::move(sequence));
  }
  for (std::size_t n = in.count(3); n > 0; --n) {
    Node* at = &node;
    for (std::uint64_t up = in.up_to(node.depth); at->depth > up;) at = at->parent;
    const std::uint64_t position = in.up_to(at->children.size());
    Node::Relying r{at, position < at->children.size() ? at->children[position] : nullptr, {}};
    for (std::size_t m = in.count(8); m > 0; --m) r.v.push_back(get_action(in));
    if (r.v.empty()) in.fail();
    node.relying.push_back(std::move(r));
  }
  const std::size_t children = in.count(8);
  if (!in.ok() || node.state == State::Out || (children > 0 && (node.state == State::Leaf || node.state == State::Done))) return false;
  if (children == 0 && node.state == State::Ahead) return false;
  for (std::size_t n = 0; n < children; ++n)
    if (!load(in, new_node(&node, {}), depth + 1)) return false;
  if (node.state == State::Leaf) count_waiting(node, 1);
  return in.ok();
}

}  // namespace treadle

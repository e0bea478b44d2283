// SPDX-License-Identifier: Apache-2.0
#include "axioms.h"

#include <algorithm>
#include <stdexcept>

namespace oracle {
namespace {

struct Node {
  int thread = 0;
  int place = 0;  // in program order
  int variable = -1;
  Order order = Order::Relaxed;
  bool reads = false, writes = false, rmw = false;
  int reg = 0;
  Value value{}, expected{};
  bool is_cas = false, is_add = false;
  int read_value = 0, written_value = 0;  // once known
};

class Graph {
 public:
  explicit Graph(int size) : size_(size), edges_(size * size) {}
  void add(int a, int b) { edges_[a * size_ + b] = true; }
  bool has_cycle() const {
    std::vector<bool> reach = edges_;
    for (int k = 0; k < size_; ++k)
      for (int a = 0; a < size_; ++a)
        if (reach[a * size_ + k])
          for (int b = 0; b < size_; ++b)
            if (reach[k * size_ + b]) reach[a * size_ + b] = true;
    for (int a = 0; a < size_; ++a)
      if (reach[a * size_ + a]) return true;
    return false;
  }

 private:
  int size_;
  std::vector<bool> edges_;
};

bool releases(Order order) { return order == Order::Release || order == Order::AcqRel; }
bool is_full(const Node& node) { return node.rmw || (node.writes && node.order == Order::SeqCst); }

class Judge {
 public:
  Judge(const Program& program, Model model) : program_(program), model_(model) {
    for (int v = 0; v < int(program.variables.size()); ++v) {  // initial writes: nodes 0 … n-1, of thread -1
      Node init{.thread = -1, .variable = v, .writes = true};
      init.written_value = program.variables[v].initial;
      nodes_.push_back(init);
    }
    for (int t = 1; t < int(program.threads.size()); ++t) {
      int place = 0;
      for (const Statement& statement : program.threads[t]) add(t, place++, statement);
    }
    count_ = int(nodes_.size());
    source_.assign(count_, -1);
  }

  std::set<Outcome> run() {
    choose_source(0);
    return std::move(outcomes_);
  }

 private:
  void add(int thread, int place, const Statement& statement) {
    Node node{.thread = thread, .place = place};
    const auto memory = [&](int variable, Order order, bool reads, bool writes) {
      node.variable = variable, node.order = order, node.reads = reads, node.writes = writes;
      node.rmw = reads && writes;
    };
    std::visit(
        Cases{
            [&](const Load& s) { memory(s.variable, s.order, true, false), node.reg = s.reg; },
            [&](const Store& s) { memory(s.variable, s.order, false, true), node.value = s.value; },
            [&](const FetchAdd& s) { memory(s.variable, s.order, true, true), node.reg = s.reg, node.value = s.value, node.is_add = true; },
            [&](const Exchange& s) { memory(s.variable, s.order, true, true), node.reg = s.reg, node.value = s.value; },
            [&](const CompareExchange& s) {
              memory(s.variable, s.order, true, true), node.reg = s.reg, node.value = s.desired;
              node.expected = s.expected, node.is_cas = true;
            },
            [&](const Fence& s) { fences_.push_back({.thread = thread, .place = place, .order = s.order}); },
            [](const auto&) { throw std::invalid_argument("not a straight-line program"); },
        },
        statement.is);
    if (node.variable >= 0) nodes_.push_back(node);
  }

  // Every read may read from any write of its variable.
  void choose_source(int n) {
    if (n == count_) return evaluate();
    if (!nodes_[n].reads) return choose_source(n + 1);
    for (int w = 0; w < count_; ++w) {
      if (w == n || nodes_[w].variable != nodes_[n].variable || !nodes_[w].writes) continue;
      source_[n] = w;
      choose_source(n + 1);
    }
  }

  // Program order and reads-from have no cycle in any of the models, so values can be computed along them; a round that makes no progress
  // is a cycle.
  void evaluate() {
    std::vector<Node> nodes = nodes_;
    std::vector<bool> known(count_);
    std::vector<std::vector<int>> registers(program_.threads.size());
    for (std::size_t t = 0; t < registers.size(); ++t) registers[t].assign(registers_of(program_.threads[t]), 0);
    const int initial = int(program_.variables.size());
    for (int n = 0; n < initial; ++n) known[n] = true;
    for (bool progress = true; progress;) {
      progress = false;
      for (int n = initial; n < count_; ++n) {
        if (known[n] || (n > initial && nodes[n - 1].thread == nodes[n].thread && !known[n - 1])) continue;
        Node& node = nodes[n];
        if (node.reads && !known[source_[n]]) continue;
        auto& own = registers[node.thread];
        const auto value_of = [&own](const Value& value) { return (value.reg < 0 ? 0 : own[value.reg]) + value.add; };
        if (node.reads) {
          if (!nodes[source_[n]].writes) return;  // reads from a compare-exchange that failed
          node.read_value = nodes[source_[n]].written_value;
        }
        if (node.is_cas && node.read_value != value_of(node.expected)) node.writes = false;
        if (node.writes) node.written_value = value_of(node.value) + (node.is_add ? node.read_value : 0);
        if (node.reads) own[node.reg] = node.read_value;
        known[n] = progress = true;
      }
    }
    if (std::find(known.begin(), known.end(), false) != known.end()) return;
    order_writes(nodes, registers, 0, std::vector<int>(count_, 0));
  }

  // Every order of the writes to a variable, the initial one first. `rank` is the position in it.
  void order_writes(const std::vector<Node>& nodes, const std::vector<std::vector<int>>& registers, int variable, std::vector<int> rank) {
    if (variable == int(program_.variables.size())) {
      if (allowed(nodes, rank)) report(nodes, registers, rank);
      return;
    }
    std::vector<int> writes;
    for (int n = int(program_.variables.size()); n < count_; ++n)
      if (nodes[n].variable == variable && nodes[n].writes) writes.push_back(n);
    do {
      for (std::size_t i = 0; i < writes.size(); ++i) rank[writes[i]] = int(i) + 1;
      order_writes(nodes, registers, variable + 1, rank);
    } while (std::next_permutation(writes.begin(), writes.end()));
  }

  bool allowed(const std::vector<Node>& nodes, const std::vector<int>& rank) const {
    Graph coherence(count_), global(count_);
    for (int a = 0; a < count_; ++a) {
      for (int b = 0; b < count_; ++b) {
        if (a == b) continue;
        const Node &first = nodes[a], &second = nodes[b];
        const bool same_variable = first.variable == second.variable;
        if (first.thread == second.thread && first.place < second.place) {
          if (same_variable) coherence.add(a, b);
          if (preserved(first, second)) global.add(a, b);
        }
        if (!same_variable) continue;
        const bool co = first.writes && second.writes && rank[a] < rank[b];
        const bool rf = second.reads && source_[b] == a;
        const bool fr = first.reads && second.writes && rank[source_[a]] < rank[b];
        if (co || rf || fr) coherence.add(a, b);
        if (co || fr || (rf && first.thread != second.thread)) global.add(a, b);
      }
      if (nodes[a].rmw && nodes[a].writes && rank[a] != rank[source_[a]] + 1) return false;
    }
    return !coherence.has_cycle() && !global.has_cycle();
  }

  bool fenced(const Node& first, const Node& second, bool release_is_enough) const {
    return std::any_of(fences_.begin(), fences_.end(), [&](const Node& fence) {
      return fence.thread == first.thread && first.place < fence.place && fence.place < second.place &&
             (fence.order == Order::SeqCst || (release_is_enough && releases(fence.order)));
    });
  }

  bool preserved(const Node& first, const Node& second) const {
    if (model_ == Model::Sc || is_full(first) || is_full(second) || first.reads) return true;
    if (second.reads) return fenced(first, second, false);  // store → load
    return model_ == Model::Tso || releases(second.order) || fenced(first, second, true);
  }

  void report(const std::vector<Node>& nodes, const std::vector<std::vector<int>>& registers, const std::vector<int>& rank) {
    Outcome outcome(program_.variables.size());
    std::vector<int> newest(program_.variables.size(), -1);
    for (int n = 0; n < count_; ++n)
      if (nodes[n].writes && rank[n] > newest[nodes[n].variable]) {
        newest[nodes[n].variable] = rank[n];
        outcome[nodes[n].variable] = nodes[n].written_value;
      }
    for (const auto& own : registers) outcome.insert(outcome.end(), own.begin(), own.end());
    outcomes_.insert(std::move(outcome));
  }

  const Program& program_;
  Model model_;
  std::vector<Node> nodes_, fences_;
  int count_ = 0;
  std::vector<int> source_;
  std::set<Outcome> outcomes_;
};

}  // namespace

bool is_straight_line(const Program& program) {
  if (program.bytes) return false;  // a read has one source here
  for (std::size_t t = 0; t < program.threads.size(); ++t) {
    bool joined = false;
    for (const Statement& statement : program.threads[t]) {
      const bool fits = std::visit(Cases{
                                       [&](const Create&) { return t == 0 && !joined; },
                                       [&](const Join&) { return joined = t == 0; },
                                       [&](const Load&) { return t > 0; },
                                       [&](const Store&) { return t > 0; },
                                       [&](const FetchAdd&) { return t > 0; },
                                       [&](const Exchange&) { return t > 0; },
                                       [&](const CompareExchange&) { return t > 0; },
                                       [&](const Fence&) { return t > 0; },
                                       [](const auto&) { return false; },
                                   },
                                   statement.is);
      if (!fits) return false;
    }
  }
  return true;
}

std::set<Outcome> outcomes_by_axioms(const Program& program, Model model) {
  if (!is_straight_line(program)) throw std::invalid_argument("not a straight-line program");
  return Judge(program, model).run();
}

}  // namespace oracle

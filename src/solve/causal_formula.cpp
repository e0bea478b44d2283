// SPDX-License-Identifier: Apache-2.0
#include "solve/causal_formula.h"

#include <unordered_map>

#include "solve/context_bound.h"

namespace treadle {

CausalFormula::CausalFormula(const Units& units, std::vector<char> prefix, UnitId end, OrderSolver& solver, bool apart)
    : units_(units), prefix_(std::move(prefix)), end_(end), solver_(solver) {
  if (apart && UnitClocks::pays(units))
    clocks_ = std::make_unique<UnitClocks>(units);
  else
    pasts_ = std::make_shared<UnitPasts>(units_, prefix_);
  add_nodes(apart, nullptr);
  separate_branches();
}

CausalFormula::CausalFormula(const Units& units, const std::vector<char>& prefix, UnitId end, OrderSolver& solver,
                             std::shared_ptr<const UnitPasts> pasts, const Scope& scope)
    : units_(units), prefix_(prefix), end_(end), solver_(solver), pasts_(std::move(pasts)) {
  add_nodes(false, &scope);
  separate_branches();
}

CausalFormula::~CausalFormula() = default;

void CausalFormula::add_nodes(bool apart, const Scope* scope) {
  nodes_.assign(size(), no_node);
  happens_.assign(size(), Truth(false));
  reached_.assign(size(), Truth(false));
  for (UnitId u = 0; u < size(); ++u) {
    const Unit& one = unit(u);
    if (in_prefix(u)) {
      happens_[u] = reached_[u] = true;
      continue;
    }
    if (scope != nullptr && scope->possible[u] == 0) continue;
    const bool possible = !is_cut_off(u) && !(apart && one.left_out) &&
                          std::all_of(one.must.begin(), one.must.end(), [&](UnitId m) { return !happens_[m].is_false(); });
    nodes_[u] = solver_.add_node();
    for (const UnitId m : one.must)
      if (!in_prefix(m) && (scope == nullptr || scope->possible[m] != 0)) solver_.add_edge(nodes_[m], nodes_[u]);
    if (!possible) continue;
    if (scope != nullptr && (u == scope->target || scope->certain[u] != 0)) {
      reached_[u] = true;
      happens_[u] = u != scope->target && !one.ends;
      continue;
    }
    const bool same = !apart && (scope == nullptr ? one.reads.empty() : scope->plain[u] != 0) && one.syncs.empty() && !one.ends;
    reached_[u] = open();
    happens_[u] = one.ends ? Truth(false) : same ? reached_[u] : open();
    if (!same) clause({~happens_[u], reached_[u]});
    for (const UnitId m : one.must) clause({~reached_[u], happens_[m]});
  }
}

/// A thread goes one way: along an iteration that is otherwise left out, or past it.
void CausalFormula::separate_branches() {
  if (std::none_of(units_.all.begin(), units_.all.end(), [](const Unit& one) { return one.left_out; })) return;
  std::unordered_map<std::uint64_t, std::vector<UnitId>> ways;  // by where they part
  for (UnitId u = 0; u < size(); ++u)
    if (!unit(u).is_flush && !reached_[u].is_false()) ways[std::uint64_t{unit(u).before} << 8 | index_of(unit(u).thread)].push_back(u);
  for (const auto& [from, units] : ways)
    for (std::size_t i = 0; i < units.size(); ++i)
      for (std::size_t k = i + 1; k < units.size(); ++k) clause({~reached_[units[i]], ~reached_[units[k]]});
}

Truth CausalFormula::before(UnitId a, UnitId b) {
  if (must_precede(a, b)) return true;
  if (must_precede(b, a) || a == b) return false;
  if (in_prefix(a)) return in_prefix(b) ? a < b : true;
  if (in_prefix(b)) return false;
  if (nodes_[a] == no_node || nodes_[b] == no_node) return nodes_[a] != no_node;
  if (sections_ != nullptr)
    if (const auto [one, other] = sections_->apart(a, b); one != nullptr && (one->acquire != a || other->acquire != b))
      return before(one->acquire, other->acquire);
  const Literal order = solver_.before(nodes_[a], nodes_[b]);
  return switches_ == nullptr ? Truth(order) : switches_->precedes(a, b, order);
}

ContextBound& CausalFormula::count_switches() {
  if (switches_ == nullptr) switches_ = std::make_unique<ContextBound>(*this);
  return *switches_;
}

void CausalFormula::clause(std::span<const Truth> truths) {
  scratch_.clear();
  for (const Truth& t : truths) {
    if (t.is_true()) return;
    if (t.is_open()) scratch_.push_back(t.literal());
  }
  ++constraints_;
  solver_.add_clause(scratch_);
}

void Past::include(UnitId u) {
  if (formula_.in_prefix(u) || includes(u)) return;
  included_[u] = 1;
  list_.push_back(u);
  changed_ = true;
  for (const UnitId m : formula_.unit(u).must) include(m);
}

std::span<const UnitRead> Past::reads_of(UnitId u) const {
  const std::span<const UnitRead> reads = formula_.unit(u).reads;
  for (const Target& target : targets_)
    if (target.unit == u) return reads.first(target.reads);
  return reads;
}

std::vector<UnitId> Past::in_order() const {
  std::vector<UnitId> order;
  for (const UnitId u : list_)
    if (!is_target(u)) order.push_back(u);
  const auto targets = static_cast<std::ptrdiff_t>(order.size());
  for (const Target& target : targets_) order.push_back(target.unit);
  std::vector<std::pair<std::uint64_t, UnitId>> placed;
  placed.reserve(order.size());
  for (const UnitId u : order) placed.emplace_back(formula_.position(u), u);
  std::sort(placed.begin(), placed.begin() + targets);
  std::sort(placed.begin() + targets, placed.end());
  std::ranges::transform(placed, order.begin(), &std::pair<std::uint64_t, UnitId>::second);
  return order;
}

}  // namespace treadle

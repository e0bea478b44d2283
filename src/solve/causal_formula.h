// SPDX-License-Identifier: Apache-2.0
// The ground that the parts of the causal model stand on: units as nodes of an OrderSolver, whether each happens, and which comes first.
//
// What is decided beforehand (the prefix, must-happen-before) is a constant here and never reaches the solver.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "solve/lock_sections.h"
#include "solve/order_solver.h"
#include "solve/truth.h"
#include "solve/unit_clocks.h"
#include "solve/unit_pasts.h"
#include "solve/units.h"

namespace treadle {

class ContextBound;

/// Of all that a trace has, what one question is about (question_scope.h). By unit.
struct Scope {
  std::vector<char> possible;  // it may happen
  std::vector<char> certain;   // it does
  std::vector<char> plain;     // whoever gets there makes it as in the trace: nothing that it reads has to keep its value
  std::vector<char> sure;      // whenever it happens, it leaves what it left
  std::vector<char> kept;      // by read (KeptReads::number_of()): it has its value, whenever its unit happens
  UnitId target = nothing;     // is reached and made last: nobody sees what it does
};

class CausalFormula {
 public:
  /// Units of `prefix` happen first, in their order; those from `end` on never do. `apart`: any unit can be reached and yet not happen, so
  /// that it is the last one of its thread and nobody sees what it does; and fruitless iterations of spin loops never happen.
  CausalFormula(const Units& units, std::vector<char> prefix, UnitId end, OrderSolver& solver, bool apart = false);
  /// For one question only. What does not belong to it never happens.
  CausalFormula(const Units& units, const std::vector<char>& prefix, UnitId end, OrderSolver& solver,
                std::shared_ptr<const UnitPasts> pasts, const Scope& scope);
  ~CausalFormula();

  const Units& units() const { return units_; }
  const Unit& unit(UnitId u) const { return units_.all[u]; }
  UnitId size() const { return static_cast<UnitId>(units_.all.size()); }
  bool in_prefix(UnitId u) const { return prefix_[u] != 0; }
  bool is_cut_off(UnitId u) const { return u >= end_ && units_.all[u].choice != nothing; }

  const std::shared_ptr<const UnitPasts>& pasts() const { return pasts_; }
  /// a happens before b whenever b happens.
  bool must_precede(UnitId a, UnitId b) const {
    if (clocks_ != nullptr) return clocks_->must_precede(a, b);
    return pasts_->must_precede(a, b);
  }

  /// It happens as in the trace: reads the same values, has the same results.
  Truth happens(UnitId u) const { return happens_[u]; }
  /// Its thread gets there and makes the step; what it reads, and what comes of it, is open.
  Truth reached(UnitId u) const { return reached_[u]; }
  /// One that is wanted. It may be false and yet come true when switches are counted: what need not be in order is not.
  Truth before(UnitId a, UnitId b);

  /// From now on units within sections of locks come in the order of the sections; before anything is encoded.
  void set_sections(std::vector<LockSection> sections) { sections_ = std::make_unique<LockSections>(units_, std::move(sections)); }
  /// Of more than so many things each pair is not spelled out beforehand, but when an answer breaks it (ModelPart::refine()).
  void set_most_beforehand(std::size_t most) { most_beforehand_ = most; }
  std::size_t most_beforehand() const { return most_beforehand_; }
  const LockSections* sections() const { return sections_.get(); }

  /// From now on switches between threads are counted (context_bound.h); before anything is encoded.
  ContextBound& count_switches();
  bool counts_switches() const { return switches_ != nullptr; }

  void clause(std::initializer_list<Truth> truths) { clause(std::span(truths.begin(), truths.size())); }
  void clause(std::span<const Truth> truths);
  Truth open() { return solver_.add_literal(); }
  void suggest(Truth t, bool value) { solver_.suggest(t.literal(), value); }

  std::uint64_t constraints() const { return constraints_; }

  OrderNode node(UnitId u) const { return nodes_[u]; }

  // After Yes
  bool did_happen(UnitId u) const { return holds(happens_[u]); }
  bool holds(Truth t) const { return t.is_true() || (t.is_open() && solver_.holds(t.literal())); }
  bool came_first(UnitId a, UnitId b) const { return position(a) < position(b); }
  std::uint64_t position(UnitId u) const {
    if (in_prefix(u)) return u;
    return nodes_[u] == no_node ? ~0ull : size() + std::uint64_t{solver_.position(nodes_[u])};
  }

 private:
  static constexpr OrderNode no_node{nothing};  // of what does not belong to the question

  void add_nodes(bool apart, const Scope* scope);
  void separate_branches();

  const Units& units_;
  std::vector<char> prefix_;
  UnitId end_;
  OrderSolver& solver_;
  std::shared_ptr<const UnitPasts> pasts_;
  std::unique_ptr<UnitClocks> clocks_;  // or else these
  std::vector<OrderNode> nodes_;
  std::vector<Truth> happens_, reached_;
  std::vector<Literal> scratch_;
  std::uint64_t constraints_ = 0;
  std::size_t most_beforehand_ = std::size_t{0} - 1;
  std::unique_ptr<LockSections> sections_;
  std::unique_ptr<ContextBound> switches_;
};

/// A unit that a question is about. It is made last, and of it only the first `reads` reads count.
struct Target {
  UnitId unit = 0;
  std::uint32_t reads = 0;
  std::uint32_t before = std::numeric_limits<std::uint32_t>::max();  // of its inputs, those of events before this one
};

/// What a solution is reduced to: the units that the question needs.
class Past {
 public:
  Past(const CausalFormula& formula, std::span<const Target> targets)
      : formula_(formula), included_(formula.size(), 0), targets_(targets.begin(), targets.end()) {
    for (const Target& target : targets) include(target.unit);
  }
  bool includes(UnitId u) const { return included_[u] != 0; }
  void include(UnitId u);
  bool changed() { return std::exchange(changed_, false); }
  const std::vector<Target>& targets() const { return targets_; }
  bool is_target(UnitId u) const {
    return std::any_of(targets_.begin(), targets_.end(), [&](const Target& target) { return target.unit == u; });
  }
  std::span<const UnitRead> reads_of(UnitId u) const;
  /// In no order; prefix units are not among them.
  std::span<const UnitId> units() const { return list_; }
  std::vector<UnitId> in_order() const;
  const CausalFormula& formula() const { return formula_; }

 private:
  const CausalFormula& formula_;
  std::vector<char> included_;
  std::vector<UnitId> list_;
  std::vector<Target> targets_;
  bool changed_ = false;
};

/// Something else that could have come of a unit: a try-lock that fails, a wait that times out.
struct OtherResult {
  UnitId unit = 0;
  DecisionKind decision = DecisionKind::Step;  // how the unit's last step is then made
  std::uint32_t tag = 0;                       // for the part that knows about it
};

/// One kind of object and its rules.
class ModelPart {
 public:
  virtual ~ModelPart() = default;
  virtual void encode() = 0;
  /// Adds what the units of `past` need in the order that was found.
  virtual void close(Past& past) const = 0;
  /// Adds what the order that was found breaks and was not said yet; false: it breaks nothing. For what would be too much to say
  /// beforehand.
  virtual bool refine(const Past&) { return false; }
  /// Its result is that of the trace. Only of units whose result is not that of everybody who gets there.
  virtual Truth as_recorded(UnitId) { return true; }
  virtual std::vector<OtherResult> other_results() const { return {}; }
  virtual Truth can_be(const OtherResult&) { return false; }
  /// How a signal of the solution is to be given.
  virtual void decide(UnitId, const Past&, std::vector<Decision>&) const {}
  /// The unit cannot make its step (any more) at the very end, when all that happens has happened. Only for operations that wait.
  virtual bool waits(UnitId) const { return false; }
  virtual Truth is_stuck(UnitId) { return false; }
};

}  // namespace treadle

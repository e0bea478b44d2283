// SPDX-License-Identifier: Apache-2.0
// Every way to put the steps of a trace in order, each thread going along its way, as a walk over states: how far everybody has come, what
// stands in memory, and what that asks of the inputs. States that come to the same are one, so where threads are few there are few of them,
// and one walk answers all questions about turns that a trace can be asked: what a solver would be asked one by one.
//
// What nobody's turns depend on is left out of the states. A step that no step to come of another thread can meet is made at once.
//
// Knows memory, locks, creating and joining threads, under sequential consistency. For anything else, and where there are too many states,
// there is the solver (trace_model.h).
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "solve/cell_expressions.h"
#include "solve/input_terms.h"
#include "solve/lock_sections.h"

namespace treadle {

class TraceWalk {
 public:
  /// A thread may go another way behind these notes of a unit.
  struct Fork {
    std::uint32_t thread = 0;
    UnitId unit = 0;
    std::vector<std::uint32_t> notes;  // one of whose conditions does not hold then
    std::vector<ExpressionId> leaves;  // expressions of the trace whose values there are asked for
  };
  /// One way to get there and turn.
  struct Arrival {
    std::vector<std::uint16_t> made;        // by thread: how many steps; nobody needs to have made fewer
    InputTerms::Conditions conditions = 0;  // on the inputs
    std::vector<TermValue> leaves;          // values of Fork::leaves
    std::vector<std::uint8_t> order;        // whose steps, in order
  };

  /// `ways`: by thread, its units in order. Of `forks` all must be on them.
  TraceWalk(const SymbolicTrace& symbolic, const CellExpressions& expressions, const CausalFormula& formula,
            std::span<const LockSection> sections, std::vector<std::vector<UnitId>> ways, std::vector<Fork> forks, InputTerms& terms);

  /// False: there is something that it does not know, or there are more states than that; then it says nothing.
  bool explore(std::size_t most_states);

  std::size_t states() const { return parents_.size(); }
  /// By fork; those that come furthest.
  std::vector<std::vector<Arrival>>& arrivals() { return arrivals_; }

 private:
  struct Reading {
    std::uint32_t slot = nothing;  // of the cell; nothing: it does not matter
    std::uint32_t leaf = nothing;  // likewise
    const UnitRead* what = nullptr;
    bool keeps = false;
  };
  struct Condition {
    ExpressionId expression = 0;
    std::uint32_t event = 0;
    std::uint32_t fork = nothing;
    bool ends_fork = false;
  };
  struct Writing {
    std::uint32_t slot = 0;
    Written written;
  };
  struct Step {
    bool happens = true;
    std::vector<Reading> reads;
    std::vector<Condition> conditions;
    std::vector<Writing> writes;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> needs;  // of that thread so many steps
    std::vector<std::uint32_t> acquires;                         // sections
    std::vector<std::uint32_t> done_with;                        // leaves that nobody asks for any more
  };
  struct State {
    std::vector<std::uint16_t> made;
    InputTerms::Conditions conditions = 0;
    std::vector<TermValue> values;  // of cells, then of leaves
  };

  bool is_known() const;
  void find_what_matters();
  bool mark_leaves(ExpressionId expression);
  void build_steps();
  void find_last_uses();
  void find_holds();
  bool may_begin(const State& state, std::uint32_t thread) const;
  bool is_unmet(const State& state, std::uint32_t thread) const;
  enum class Record : std::uint8_t { No, Yes };
  bool make(State& state, std::uint32_t thread, Record record);
  bool keeps_values(const Step& step, const State& state, std::size_t& next, std::uint32_t before) const;
  void arrive(std::uint32_t fork, InputTerms::Conditions conditions, const State& state);
  void go_on(State& state);
  void add(const State& state, std::uint32_t parent);
  bool is_new_state();
  State unpacked(std::uint32_t number) const;
  void pack(const State& state);
  TermValue evaluate(ExpressionId id, const State& state);
  TermValue compute(const Expression& e, const State& state);
  TermValue content(const Written& written, const State& state);
  std::vector<std::uint8_t> order_of(std::uint32_t state) const;

  const SymbolicTrace& symbolic_;
  const CellExpressions& expressions_;
  const CausalFormula& formula_;
  std::vector<LockSection> sections_;
  std::vector<std::vector<UnitId>> ways_;
  std::vector<Fork> forks_;
  InputTerms& terms_;

  std::vector<char> matters_;                                         // by leaf
  std::vector<std::uint32_t> slots_;                                  // by cell
  std::vector<std::uint32_t> leaf_slots_;                             // by leaf
  std::vector<CellId> cells_;                                         // by slot
  std::uint32_t leaves_ = 0;                                          // that matter
  std::vector<std::vector<Step>> steps_;                              // by thread
  std::vector<std::vector<std::uint16_t>> last_write_, last_access_;  // by thread and slot: behind so many steps there is none
  std::vector<std::vector<std::vector<std::uint32_t>>> holds_;        // by thread and steps made: sections
  std::vector<std::vector<std::uint16_t>> last_acquire_;              // by thread and lock
  std::unordered_map<std::uint32_t, InputTerms::Input> inputs_;       // by event
  std::vector<std::vector<Arrival>> arrivals_;
  std::vector<std::vector<std::uint32_t>> arrival_states_;  // by fork, likewise

  std::size_t width_ = 0;                // words of a state
  std::vector<std::uint64_t> pool_;      // states
  std::vector<std::uint32_t> table_;     // of states, by hash
  std::vector<std::uint64_t> scratch_;   // a state as words
  std::vector<std::uint32_t> parents_;   // by state
  std::vector<std::uint32_t> via_;       // by state: where its steps begin
  std::vector<std::uint8_t> via_steps_;  // whose
  std::vector<std::uint8_t> going_;      // whose steps lead from the present state to the next
  std::uint32_t current_ = 0;
  bool gave_up_ = false;

  std::vector<TermValue> values_;  // by expression, of the step that is being made
  std::vector<std::uint32_t> value_round_;
  std::uint32_t round_ = 0;
  std::vector<ExpressionId> open_;
};

}  // namespace treadle

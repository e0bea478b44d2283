// SPDX-License-Identifier: Apache-2.0
// All executions that a trace implies, as one formula: what may be asked about them is put together from a small vocabulary.
//
// Every thread is followed along the way it went, up to a cut anywhere, whatever it reads there (symbolic model) or as long as it reads the
// same (maximal causal model): happens(u) says that unit u comes about as recorded, and with it
// everything before it in its thread; reached(u), that its thread makes that step, whatever comes of it then. Any unit may be reached
// without happening, and is then the last one of its thread; nobody sees what it does.
//
// A Yes comes with the units that the question needs, closed under causes, and nothing else (an erroneous prefix), in one order that shows
// it, as decisions for a Schedule. It has been thought through, not run: the program decides.
//
// What has no model (Units::unmodelled) cuts the trace off there: nothing behind it happens, and limits() says so.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "solve/causal_parts.h"
#include "solve/observed_past.h"
#include "solve/order_solver.h"
#include "solve/symbolic_memory.h"
#include "solve/trace_machine.h"
#include "solve/trace_walk.h"

namespace treadle {

struct TraceModelOptions {
  MemoryModel model = MemoryModel::Sc;
  Races races = Races::Explore;
  CausalKind kind = CausalKind::Symbolic;  // of a trace without expressions both are the same
  Inputs inputs = Inputs::Kept;            // Free: they may have any values that the conditions on the threads' ways allow
  bool count_switches = false;             // switches_within() may be asked for
  std::size_t most_beforehand = 64;        // see CausalFormula
  SolveLimit limit;                        // for each question
};

/// The inputs of these units: for a Schedule. Of the last ones only those that the question is about.
GivenInputs inputs_of_units(const Trace& trace, const std::vector<std::vector<std::uint32_t>>& input_events, std::span<const UnitId> units,
                            std::span<const Target> ends, const std::function<std::uint64_t(std::uint32_t event)>& value);
/// By unit.
std::vector<std::vector<std::uint32_t>> input_events_of(const Trace& trace, const Units& units);

class TraceModel {
 public:
  /// The trace must outlive this.
  TraceModel(const Trace& trace, const TraceModelOptions& options, std::unique_ptr<OrderSolver> solver);
  ~TraceModel();

  const Units& units() const { return units_; }

  /// Why this is not all of the trace; empty: it is.
  std::string limits() const;

  Truth happens(UnitId unit) const { return formula_->happens(unit); }
  Truth reached(UnitId unit) const { return formula_->reached(unit); }
  /// Its thread gets to where it would make that step, whether it can or not.
  Truth arrives(UnitId unit);
  /// Of two that are reached. The order of others says nothing.
  Truth before(UnitId a, UnitId b) { return formula_->before(a, b); }
  /// It has happened before the other whenever that is reached.
  bool must_precede(UnitId a, UnitId b) const { return formula_->must_precede(a, b); }
  Truth open() { return formula_->open(); }
  void clause(std::initializer_list<Truth> truths) { formula_->clause(truths); }
  void clause(std::span<const Truth> truths) { formula_->clause(truths); }

  /// At most so many switches between threads, in the sense of Section 5 of the seed: each unit has a time, within a thread (and from who
  /// creates a thread to it, from it to who joins it) it does not decrease, and from one that must come first to one of another thread it
  /// increases. A No whose core does not hold this is one for any number.
  Truth switches_within(std::uint32_t bound);

  /// What two accesses to the same bytes leave there (a read: what it found) is not the same. Adds what it takes for that to be known.
  Truth differ(std::uint32_t a, std::uint32_t b, std::vector<Truth>& wanted);

  /// One that waits for something, and in the end nobody will give it that: the lock, a token, a signal, the end of the thread it joins.
  bool waits(UnitId unit) const;
  Truth is_stuck(UnitId unit);

  /// A thread gets to a note: adds what that takes and says what to ask about (`ends`). None: no thread ever does.
  std::optional<Target> way_to(std::uint32_t note, std::vector<Truth>& wanted);
  /// The condition of the note, for whoever gets there.
  Truth holds(std::uint32_t note);
  /// Of an expression of the trace that has one bit.
  Truth condition(ExpressionId expression);

  /// Its thread has gone the way that it went up to and with the note: to be used where this is wanted, never where it is not.
  Truth passes(std::uint32_t note);
  /// Where the thread is at the note; nothing: nowhere.
  UnitId unit_of_note(std::uint32_t note) const { return symbolic_->unit_of_note(note); }

  /// All results of the unit's operations are those of the trace.
  void add_as_recorded(UnitId unit, std::vector<Truth>& wanted) { parts_->add_as_recorded(unit, wanted); }

  /// What else could have come of units, and with which part of the model that is.
  struct Result {
    std::uint32_t part = 0;
    OtherResult other;
  };
  std::vector<Result> other_results() const;
  Truth can_be(const Result& result) { return (*parts_)[result.part].can_be(result.other); }

  /// The unit happens when this holds.
  struct Condition {
    Truth truth{false};
    UnitId unit = 0;
  };

  /// Can all that is wanted hold? `ends` are then reached and do not happen: they are made last, in one of the orders in which they can be.
  /// `also` happen, and `maybe` if they have to. The units of the reply are what these need.
  enum class Needs : std::uint8_t { Causes, Everything };  // Everything: the reply has all that happens, needed or not
  Reply ask(std::span<const Truth> wanted, std::span<const Target> ends, std::span<const UnitId> also = {},
            std::span<const Condition> maybe = {}, Needs needs = Needs::Causes);
  /// After Yes, until anything else is asked.
  bool came_true(Truth truth) const { return formula_->holds(truth); }

  /// The same where a part of the trace in its own order, with every read seeing what it saw, leads to `ends`, made in the order given:
  /// found in one walk, without solver. None says nothing.
  std::optional<Reply> ask_observed(std::span<const UnitId> ends, std::span<const UnitId> also = {});

  /// To try things out in; none where it does not know all of the model.
  std::unique_ptr<TraceMachine> machine() const;
  /// The answer that it gives: it stands before `end`, the order of `units` leads there.
  Reply reply_of(std::vector<UnitId> units, UnitId end) const;

  /// All orders at once, along these ways; where it is over this is not needed any more.
  TraceWalk walk(std::vector<std::vector<UnitId>> ways, std::vector<TraceWalk::Fork> forks, InputTerms& terms) const;

  /// For what has turned out to be hard: whenever that holds, nothing of the thread behind `from` happens, and what follows for values is
  /// said.
  void bound_without_rest_of(UnitId from, Truth when);

  void set_limit(const SolveLimit& limit) { options_.limit = limit; }
  std::uint64_t constraints() const { return formula_->constraints(); }
  std::uint64_t queries() const { return queries_; }

 private:
  Answer solve(std::span<const Truth> wanted, const SolveLimit& limit, Reply& reply);
  /// Conditions are encoded only where an answer breaks them, and order that they force is said beforehand. Not when switches are counted,
  /// since that is about all that happens, nor for free inputs, whose values are the solver's.
  bool answers_lazily() const { return !options_.count_switches && options_.inputs == Inputs::Kept; }
  void add_order_that_is_forced(const Trace& trace);
  /// Every unit of it obeys its conditions from now on; false: they did.
  bool oblige(const Past& past);
  GivenInputs inputs(std::span<const UnitId> units, std::span<const Target> ends) const;
  /// The same for those that do not in the order that was found.
  bool oblige_broken(const Past& past);
  std::vector<UnitId> stages_of(std::span<const Target> ends, std::span<const UnitId> also) const;
  void add_decisions(Reply& reply) const;
  void begin_as_observed(std::span<const Target> ends, std::span<const UnitId> also);

  TraceModelOptions options_;
  Units units_;
  std::unique_ptr<SymbolicTrace> symbolic_;
  std::unique_ptr<OrderSolver> solver_;
  std::unique_ptr<CausalFormula> formula_;
  SymbolicMemory* memory_ = nullptr;
  std::unique_ptr<CausalParts> parts_;
  std::vector<std::vector<std::uint32_t>> input_events_;  // by unit, when inputs are free
  std::unique_ptr<ObservedPast> observed_;
  std::vector<Literal> beginning_;
  std::uint64_t queries_ = 0;
};

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
#include "solve/trace_model.h"

#include <chrono>

#include "base/check.h"
#include "solve/causal_locks.h"
#include "solve/context_bound.h"

namespace treadle {

TraceModel::TraceModel(const Trace& trace, const TraceModelOptions& options, std::unique_ptr<OrderSolver> solver)
    : options_(options), units_(modelled_units(trace, options.model, options.races, options.inputs)), solver_(std::move(solver)) {
  symbolic_ = std::make_unique<SymbolicTrace>(trace, units_, options.kind, options.races, options.inputs);
  const UnitId end = units_.unmodelled ? units_.unmodelled->unit : nothing;
  formula_ = std::make_unique<CausalFormula>(units_, std::vector<char>(units_.all.size(), 0), end, *solver_, true);
  if (options.count_switches) formula_->count_switches();
  formula_->set_most_beforehand(options.most_beforehand);
  formula_->set_sections(CausalLocks(*formula_, trace).sections());
  auto memory = std::make_unique<SymbolicMemory>(*formula_, *symbolic_, *solver_, options.inputs);
  memory_ = memory.get();
  parts_ = std::make_unique<CausalParts>(*formula_, trace, std::move(memory));
  parts_->encode();
  if (options.inputs == Inputs::Kept) return;
  input_events_.resize(units_.all.size());
  for (std::uint32_t e = 0; e < trace.events.size(); ++e)
    if (trace.events[e].kind == TREADLE_EV_INPUT && units_.unit_of[e] != nothing) input_events_[units_.unit_of[e]].push_back(e);
}

TraceModel::~TraceModel() = default;

std::string TraceModel::limits() const {
  if (units_.unmodelled) return units_.unmodelled->why;
  return memory_->met_unknown() ? "memory whose first value nobody has looked at" : "";
}

std::optional<Target> TraceModel::way_to(std::uint32_t note, std::vector<Truth>& wanted) {
  const UnitId unit = symbolic_->unit_of_note(note);
  if (unit == nothing || formula_->reached(unit).is_false()) return std::nullopt;
  parts_->add_as_recorded(unit, wanted);
  memory_->add_way_to(note, wanted);
  const auto& reads = units_.all[unit].reads;
  const std::uint32_t event = symbolic_->trace().notes[note].event;
  const auto count = std::count_if(reads.begin(), reads.end(), [&](const UnitRead& read) { return read.event < event; });
  return Target{unit, static_cast<std::uint32_t>(count), event};
}

Truth TraceModel::arrives(UnitId unit) {
  const Unit& what = units_.all[unit];
  std::vector<Truth> needed;
  for (const UnitId m : what.must)
    if (what.before == nothing || m == what.before) needed.push_back(formula_->happens(m));
  memory_->add_entry(unit, needed);
  const Truth arrives = formula_->open();
  for (const Truth& one : needed) formula_->clause({~arrives, one});
  return arrives;
}

Truth TraceModel::holds(std::uint32_t note) { return memory_->holds(note); }

Truth TraceModel::condition(ExpressionId expression) { return memory_->condition(expression); }

Truth TraceModel::passes(std::uint32_t note) {
  const UnitId unit = symbolic_->unit_of_note(note);
  if (unit == nothing || formula_->happens(unit).is_false()) return false;
  const Truth passes = formula_->open();
  formula_->clause({~passes, formula_->happens(unit)});
  for (const std::uint32_t one : symbolic_->conditions_of(unit))
    if (one <= note && symbolic_->is_trailing(one)) formula_->clause({~passes, memory_->holds(one)});
  return passes;
}

std::vector<TraceModel::Result> TraceModel::other_results() const {
  std::vector<Result> all;
  for (std::uint32_t p = 0; p < parts_->size(); ++p)
    for (const OtherResult& other : (*parts_)[p].other_results()) all.push_back({p, other});
  return all;
}

/// Inputs are handed out in the order of the units; of the last ones only those that the question is about.
std::vector<std::uint64_t> TraceModel::inputs(std::span<const UnitId> units, std::span<const Target> ends) const {
  std::vector<std::uint64_t> all;
  if (options_.inputs == Inputs::Kept) return all;
  for (const UnitId unit : units) {
    const auto end = std::find_if(ends.begin(), ends.end(), [&](const Target& target) { return target.unit == unit; });
    for (const std::uint32_t event : input_events_[unit])
      if (end == ends.end() || event < end->before) all.push_back(memory_->input(event));
  }
  return all;
}

Truth TraceModel::switches_within(std::uint32_t bound) {
  check(options_.count_switches, "switches are counted from the start");
  return formula_->count_switches().within(bound);
}

void TraceModel::bound_without_rest_of(UnitId from, Truth when) {
  std::unordered_set<UnitId> absent;
  for (UnitId u = 0; u < units_.all.size(); ++u) {
    const Unit& unit = units_.all[u];
    const UnitId made_by = unit.is_flush && unit.partner != nothing ? unit.partner : u;
    if (made_by == from || formula_->must_precede(from, made_by)) absent.insert(u);
  }
  memory_->bound_without(absent, when);
}

bool TraceModel::waits(UnitId unit) const {
  for (std::uint32_t p = 0; p < parts_->size(); ++p)
    if ((*parts_)[p].waits(unit)) return true;
  return false;
}

Truth TraceModel::is_stuck(UnitId unit) {
  for (std::uint32_t p = 0; p < parts_->size(); ++p)
    if ((*parts_)[p].waits(unit)) return (*parts_)[p].is_stuck(unit);
  return false;
}

Answer TraceModel::solve(std::span<const Truth> wanted, const SolveLimit& limit, Reply& reply) {
  ++queries_;
  std::vector<Literal> assumptions;
  for (const Truth& t : wanted) {
    if (t.is_false()) {
      reply.core = {t};
      return Answer::No;
    }
    if (t.is_open()) assumptions.push_back(t.literal());
  }
  const Answer answer = solver_->solve(assumptions, limit);
  if (answer == Answer::No)
    for (const Literal literal : solver_->core()) reply.core.emplace_back(literal);
  return answer;
}

bool TraceModel::oblige(const Past& past) {
  bool any = false;
  for (const UnitId u : past.units())
    if (!past.is_target(u)) any |= memory_->oblige(u);
  return any;
}

Reply TraceModel::ask(std::span<const Truth> wanted, std::span<const Target> ends, std::span<const UnitId> also,
                      std::span<const Condition> maybe) {
  std::vector<Truth> all(wanted.begin(), wanted.end());
  for (const Target& end : ends) {
    all.push_back(formula_->reached(end.unit));
    all.push_back(~formula_->happens(end.unit));
    memory_->oblige_past(end.unit);
  }
  for (const UnitId unit : also) {
    all.push_back(formula_->happens(unit));
    memory_->oblige(unit);
  }
  const auto begin = std::chrono::steady_clock::now();
  for (;;) {
    const double used = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    Reply reply;
    reply.answer = solve(all, {options_.limit.seconds - used}, reply);
    if (reply.answer != Answer::Yes) return reply;
    Past past(*formula_, ends);
    for (const UnitId unit : also) past.include(unit);
    for (const Condition& one : maybe)
      if (formula_->holds(one.truth)) past.include(one.unit);
    parts_->close(past);
    const bool broken = parts_->refine(past);
    if (oblige(past) || broken) continue;
    reply.units = past.in_order();
    reply.decisions = parts_->decisions(reply.units, past);
    reply.inputs = inputs(reply.units, ends);
    return reply;
  }
}

}  // namespace treadle

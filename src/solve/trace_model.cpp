// SPDX-License-Identifier: Apache-2.0
#include "solve/trace_model.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "base/check.h"
#include "base/deadline.h"
#include "solve/causal_locks.h"
#include "solve/context_bound.h"
#include "solve/forced_order.h"

namespace treadle {

TraceModel::TraceModel(const Trace& trace, const TraceModelOptions& options, std::unique_ptr<OrderSolver> solver)
    : options_(options), units_(modelled_units(trace, options.model, options.races)), solver_(std::move(solver)) {
  symbolic_ = std::make_unique<SymbolicTrace>(trace, units_, options.kind, options.races, options.inputs);
  if (answers_lazily()) add_order_that_is_forced(trace);
  const UnitId end = units_.unmodelled ? units_.unmodelled->unit : nothing;
  formula_ = std::make_unique<CausalFormula>(units_, std::vector<char>(units_.all.size(), 0), end, *solver_, true);
  if (options.count_switches) formula_->count_switches();
  formula_->set_most_beforehand(options.most_beforehand);
  const std::vector<LockSection> sections = CausalLocks(*formula_, trace).sections();
  formula_->set_sections(sections);
  observed_ = std::make_unique<ObservedPast>(trace, units_, sections);
  auto memory = std::make_unique<SymbolicMemory>(*formula_, *symbolic_, *solver_, options.inputs, answers_lazily());
  memory_ = memory.get();
  parts_ = std::make_unique<CausalParts>(*formula_, trace, std::move(memory));
  parts_->encode();
  if (options.inputs == Inputs::Kept) return;
  input_events_ = input_events_of(trace, units_);
}

TraceModel::~TraceModel() = default;

void TraceModel::add_order_that_is_forced(const Trace& trace) {
  const auto solver = make_acyclic_solver();
  CausalFormula formula(units_, std::vector<char>(units_.all.size(), 0), nothing, *solver, true);
  add_forced_order(*symbolic_, CausalLocks(formula, trace).sections(), units_);
}

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

std::vector<std::vector<std::uint32_t>> input_events_of(const Trace& trace, const Units& units) {
  std::vector<std::vector<std::uint32_t>> events(units.all.size());
  for (std::uint32_t e = 0; e < trace.events.size(); ++e)
    if (trace.events[e].kind == TREADLE_EV_INPUT && units.unit_of[e] != nothing) events[units.unit_of[e]].push_back(e);
  return events;
}

GivenInputs inputs_of_units(const Trace& trace, const std::vector<std::vector<std::uint32_t>>& input_events, std::span<const UnitId> units,
                            std::span<const Target> ends, const std::function<std::uint64_t(std::uint32_t event)>& value) {
  GivenInputs all;
  for (const UnitId unit : units) {
    const auto end = std::find_if(ends.begin(), ends.end(), [&](const Target& target) { return target.unit == unit; });
    for (const std::uint32_t event : input_events[unit])
      if (end == ends.end() || event < end->before) all.add(name_of(ThreadId{trace.events[event].thread}, trace.threads), value(event));
  }
  return all;
}

GivenInputs TraceModel::inputs(std::span<const UnitId> units, std::span<const Target> ends) const {
  if (options_.inputs == Inputs::Kept) return {};
  return inputs_of_units(symbolic_->trace(), input_events_, units, ends, [&](std::uint32_t event) { return memory_->input(event); });
}

TraceWalk TraceModel::walk(std::vector<std::vector<UnitId>> ways, std::vector<TraceWalk::Fork> forks, InputTerms& terms) const {
  return TraceWalk(*symbolic_, memory_->expressions(), *formula_, formula_->sections()->all(), std::move(ways), std::move(forks), terms);
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

Truth TraceModel::differ(std::uint32_t a, std::uint32_t b, std::vector<Truth>& wanted) { return memory_->differ(a, b, wanted); }

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
  const Answer answer = solver_->solve(assumptions, {std::min(limit.seconds, Deadline::seconds_left())});
  if (answer == Answer::Unknown) Deadline::look();
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

bool TraceModel::oblige_broken(const Past& past) {
  const std::vector<UnitId> broken = memory_->broken(past);
  bool any = false;
  for (const UnitId u : broken) any |= past.is_target(u) ? memory_->oblige_entry(u) : memory_->oblige_only(u);
  return any || (!broken.empty() && oblige(past));
}

/// What each of these needs, one after the other, so that a thread has left the sections of locks that the next one will enter.
std::vector<UnitId> TraceModel::stages_of(std::span<const Target> ends, std::span<const UnitId> also) const {
  std::vector<UnitId> stages(also.begin(), also.end());
  for (const Target& end : ends) stages.push_back(end.unit);
  const LockSections& sections = *formula_->sections();
  for (std::size_t i = 0; i < also.size() && i + 1 < stages.size(); ++i)
    for (const std::uint32_t here : sections.around(also[i]))
      for (const std::uint32_t there : sections.around(stages[i + 1]))
        if (sections.exclude(here, there) && sections[here].release != nothing) stages[i] = std::max(stages[i], sections[here].release);
  return stages;
}

/// What happened, without what the question leaves no room for.
void TraceModel::begin_as_observed(std::span<const Target> ends, std::span<const UnitId> also) {
  std::vector<UnitId> refused, needed;
  for (const Target& end : ends) refused.push_back(end.unit);
  std::vector<std::uint32_t> stage(formula_->size(), nothing);  // the first one that needs it
  std::uint32_t count = 0;
  for (const UnitId unit : stages_of(ends, also)) {
    if (std::find(refused.begin(), refused.end(), unit) == refused.end())
      needed.push_back(unit);
    else
      needed.insert(needed.end(), units_.all[unit].must.begin(), units_.all[unit].must.end());
    if (also.empty() && ++count < ends.size()) continue;  // all at once
    observed_->find(refused, needed);
    for (const UnitId u : observed_->units()) stage[u] = std::min(stage[u], count);
    ++count;
  }
  beginning_.clear();
  for (UnitId u = 0; u < formula_->size(); ++u)
    for (const Truth& truth : {formula_->happens(u), formula_->reached(u)})
      if (truth.is_open()) beginning_.push_back(stage[u] != nothing ? truth.literal() : ~truth.literal());
  std::vector<UnitId> order(formula_->size());
  std::iota(order.begin(), order.end(), UnitId{0});
  std::sort(order.begin(), order.end(), [&](UnitId a, UnitId b) { return std::pair(stage[a], a) < std::pair(stage[b], b); });
  std::vector<OrderNode> line;
  for (const UnitId u : order) line.push_back(formula_->node(u));
  solver_->begin_with(beginning_, line);
}

std::optional<Reply> TraceModel::ask_observed(std::span<const UnitId> ends, std::span<const UnitId> also) {
  const auto is_plain = [&](UnitId u) { return units_.all[u].syncs.empty() && !formula_->reached(u).is_false(); };
  if (!std::all_of(ends.begin(), ends.end(), is_plain)) return std::nullopt;
  std::vector<UnitId> needed(also.begin(), also.end());
  for (const UnitId end : ends) needed.insert(needed.end(), units_.all[end].must.begin(), units_.all[end].must.end());
  if (!observed_->find(ends, needed)) return std::nullopt;
  Reply reply;
  reply.answer = Answer::Yes;
  reply.units = observed_->units();
  if (std::any_of(reply.units.begin(), reply.units.end(), [&](UnitId u) { return formula_->happens(u).is_false(); })) return std::nullopt;
  reply.units.insert(reply.units.end(), ends.begin(), ends.end());
  add_decisions(reply);
  return reply;
}

std::unique_ptr<TraceMachine> TraceModel::machine() const {
  if (!answers_lazily() || options_.races != Races::Explore ||
      std::any_of(units_.all.begin(), units_.all.end(), [](const Unit& unit) { return unit.is_flush; }))
    return nullptr;
  return std::make_unique<TraceMachine>(*symbolic_, memory_->expressions(), *formula_, formula_->sections()->all(),
                                        order_on_objects(symbolic_->trace(), units_));
}

Reply TraceModel::reply_of(std::vector<UnitId> units, UnitId end) const {
  Reply reply;
  reply.answer = Answer::Yes;
  reply.units = std::move(units);
  reply.units.push_back(end);
  add_decisions(reply);
  return reply;
}

/// As they were taken in the trace.
void TraceModel::add_decisions(Reply& reply) const {
  for (const UnitId u : reply.units)
    reply.decisions.insert(reply.decisions.end(), units_.all[u].decisions.begin(), units_.all[u].decisions.end());
}

Reply TraceModel::ask(std::span<const Truth> wanted, std::span<const Target> ends, std::span<const UnitId> also,
                      std::span<const Condition> maybe, Needs needs) {
  std::vector<Truth> all(wanted.begin(), wanted.end());
  for (const Target& end : ends) {
    all.push_back(formula_->reached(end.unit));
    all.push_back(~formula_->happens(end.unit));
    if (!answers_lazily()) memory_->oblige_past(end.unit);
  }
  for (const UnitId unit : also) {
    all.push_back(formula_->happens(unit));
    if (!answers_lazily()) memory_->oblige(unit);
  }
  if (answers_lazily()) begin_as_observed(ends, also);
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
    for (UnitId u = 0; needs == Needs::Everything && u < formula_->size(); ++u)
      if (formula_->did_happen(u)) past.include(u);
    memory_->start_closing();
    parts_->close(past);
    if (parts_->refine(past)) continue;
    if (answers_lazily() ? oblige_broken(past) : oblige(past)) continue;
    reply.units = past.in_order();
    reply.decisions = parts_->decisions(reply.units, past);
    reply.inputs = inputs(reply.units, ends);
    return reply;
  }
}

}  // namespace treadle

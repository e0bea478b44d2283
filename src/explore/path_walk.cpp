// SPDX-License-Identifier: Apache-2.0
#include "explore/path_walk.h"

#include <algorithm>
#include <array>
#include <set>

namespace treadle {
namespace {

/// READs and INPUTs that the expression is made of.
void add_leaves(const Trace& trace, ExpressionId expression, std::set<ExpressionId>& leaves) {
  std::set<ExpressionId> seen;
  std::vector<ExpressionId> open{expression};
  while (!open.empty()) {
    const ExpressionId id = open.back();
    open.pop_back();
    if (!seen.insert(id).second) continue;
    const Expression& e = trace.expressions[id];
    if (e.op == TREADLE_OP_READ || e.op == TREADLE_OP_INPUT) leaves.insert(id);
    const std::array operands{e.a, e.b, e.c};
    for (unsigned i = 0; i < operands_of(static_cast<ExpressionOp>(e.op)); ++i) open.push_back(operands[i]);
  }
}

/// Other ways than one may lead on from there, and which one it is depends on more than that this one is not taken.
bool has_several(const Trace& trace, const Turn& turn) {
  return turn.kind == TurnKind::Pin || turn.notes.size() > 1 ||
         trace.expressions[trace.notes[turn.notes[0]].expression].op == TREADLE_OP_EQ;
}

}  // namespace

std::unique_ptr<PathWalk> PathWalk::along(PathExecution& execution, InputTerms& terms, std::size_t most_states) {
  std::unique_ptr<PathWalk> walk(new PathWalk(execution, terms));
  const Trace& trace = execution.trace();
  std::vector<TraceWalk::Fork> forks;
  std::vector<std::size_t> questions;  // by fork
  for (std::uint32_t t = 0; t < execution.path.size(); ++t) {
    walk->first_.push_back(static_cast<std::uint32_t>(walk->questions_.size()));
    for (std::uint32_t k = 0; k < execution.turns_of(t); ++k) {
      const Turn& turn = execution.turn(t, k);
      if (turn.kind == TurnKind::Result) return nullptr;
      Question& question = walk->questions_.emplace_back();
      if (turn.kind == TurnKind::Assume) continue;
      question.unit = turn.unit;
      question.event = trace.notes[turn.notes.front()].event;
      std::set<ExpressionId> leaves;
      if (has_several(trace, turn))
        for (const std::uint32_t note : turn.notes) add_leaves(trace, trace.notes[note].expression, leaves);
      question.leaves.assign(leaves.begin(), leaves.end());
      forks.push_back({t, turn.unit, turn.notes, question.leaves});
      questions.push_back(walk->questions_.size() - 1);
    }
  }
  TraceWalk states = execution.model().walk(execution.units_of_steps(), std::move(forks), terms);
  if (!states.explore(most_states)) return nullptr;
  for (std::size_t f = 0; f < questions.size(); ++f) walk->questions_[questions[f]].arrivals = std::move(states.arrivals()[f]);
  return walk;
}

/// Over what the arrival tells. None: it does not tell all of it.
std::optional<TermValue> PathWalk::evaluate(ExpressionId id, const Question& question, const TraceWalk::Arrival& arrival) {
  const auto told = std::ranges::lower_bound(question.leaves, id);
  if (told != question.leaves.end() && *told == id) return arrival.leaves[static_cast<std::size_t>(told - question.leaves.begin())];
  const auto& all = execution_.trace().expressions;
  const Expression& e = all[id];
  if (e.op == TREADLE_OP_CONSTANT) return TermValue::number(value_in(e));
  const unsigned count = operands_of(static_cast<ExpressionOp>(e.op));
  if (count == 0) return std::nullopt;
  const std::array operands{e.a, e.b, e.c};
  std::array<TermValue, 3> values;
  for (unsigned i = 0; i < count; ++i) {
    const auto value = evaluate(operands[i], question, arrival);
    if (!value) return std::nullopt;
    values[i] = *value;
  }
  return terms_.apply(e, all[e.a].bits, count > 1 ? all[e.b].bits : 0, values[0], values[1], values[2]);
}

bool PathWalk::exclude(std::uint32_t thread, std::uint32_t turn, const std::vector<std::uint32_t>& steps,
                       const std::vector<ExpressionId>& conditions) {
  Question& question = about(thread, turn);
  bool can_tell = true;
  std::erase_if(question.arrivals, [&](TraceWalk::Arrival& arrival) {
    for (std::size_t t = 0; t < steps.size(); ++t)
      if (arrival.made[t] >= steps[t]) return false;
    if (conditions.empty()) return true;
    TermValue otherwise = TermValue::number(0);
    for (const ExpressionId condition : conditions) {
      const auto holds = evaluate(condition, question, arrival);
      if (!holds || holds->is_unknown()) return can_tell = false;
      otherwise = terms_.either(otherwise, terms_.negated(*holds));
    }
    if (!otherwise.is_number()) arrival.conditions = terms_.with(arrival.conditions, static_cast<InputTerms::Term>(otherwise.what));
    return otherwise.is_number() && otherwise.what == 0;
  });
  return can_tell;
}

Reply PathWalk::answer(std::uint32_t thread, std::uint32_t turn) {
  Question& question = about(thread, turn);
  while (!question.arrivals.empty()) {
    const auto possible = terms_.are_possible(question.arrivals.back().conditions);
    Reply none;
    if (!possible || (*possible && !terms_.choose(question.arrivals.back().conditions))) return none.answer = Answer::Unknown, none;
    if (*possible) return reply(question, question.arrivals.back());
    question.arrivals.pop_back();
  }
  return {};
}

Reply PathWalk::reply(const Question& question, const TraceWalk::Arrival& arrival) const {
  Reply reply;
  reply.answer = Answer::Yes;
  std::vector<std::uint32_t> next(execution_.units_of_steps().size(), 0);
  for (const std::uint8_t t : arrival.order) reply.units.push_back(execution_.units_of_steps()[t][next[t]++]);
  reply.units.push_back(question.unit);
  const Units& units = execution_.units();
  for (const UnitId u : reply.units)
    reply.decisions.insert(reply.decisions.end(), units.all[u].decisions.begin(), units.all[u].decisions.end());
  const Trace& trace = execution_.trace();
  std::vector<std::uint32_t> asked(256, 0);
  std::vector<std::uint32_t> number(trace.events.size(), 0);  // of inputs: which one of its thread
  for (std::uint32_t e = 0; e < trace.events.size(); ++e)
    if (trace.events[e].kind == TREADLE_EV_INPUT) number[e] = asked[trace.events[e].thread]++;
  const Target end{question.unit, 0, question.event};
  reply.inputs = inputs_of_units(trace, input_events_of(trace, units), reply.units, std::span(&end, 1), [&](std::uint32_t event) {
    const Event& input = trace.events[event];
    return terms_.value({input.thread, number[event], input.size}).value_or(input.value);
  });
  return reply;
}

}  // namespace treadle

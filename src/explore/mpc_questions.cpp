// SPDX-License-Identifier: Apache-2.0
// What a question says: what is asked for, and that it is the beginning of no path that was executed.
#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "explore/mpc.h"

namespace treadle {
namespace {

constexpr double quick = 0.02;  // seconds for what is not hard
constexpr std::size_t most_models = 64;

/// As far as is known beforehand: a seq_cst store does, a relaxed one does not.
bool may_wait_for_own_stores(EventKind kind) {
  return kind != TREADLE_EV_READ && kind != TREADLE_EV_ATOMIC_READ && kind != TREADLE_EV_WRITE && kind != TREADLE_EV_SPIN;
}

}  // namespace

bool Mpc::is_pointless(const Execution& execution, const Question& question) {
  if (question.done) return true;
  if (execution.goes_on(question)) return false;
  const PathTree::Node& taken = tree_[execution.path[question.thread][question.turn]];
  if (taken.kind == TurnKind::Pin && tree_[taken.parent].children.size() >= options_.most_values) {
    inquiries_.tell(fmt::format("a value that is used in a way without a model has more than {} values", options_.most_values));
    return true;
  }
  return false;
}

TraceModel& Mpc::model_of(Execution& execution) {
  use_model(execution);
  if (execution.has_model()) return execution.model();
  const double begin = seconds_now();
  TraceModel& model = execution.model();
  inquiries_.spend(seconds_now() - begin);
  return model;
}

void Mpc::use_model(Execution& execution) {
  built_.remove(execution.number());
  built_.push_front(execution.number());
  if (built_.size() > most_models) forget_model(*executions_[built_.back()]);
}

void Mpc::forget_model(Execution& execution) {
  execution.forget_model();
  for (Question& question : execution.questions) {
    question.heard = 0;
    question.when.reset();
    question.others.clear();
    question.said.clear();
  }
  built_.remove(execution.number());
}

/// What other executions did at that turn, said about this one.
void Mpc::bring_in_alternatives(Execution& execution, const Question& question) {
  if (execution.goes_on(question)) return;
  const PathNode taken = execution.path[question.thread][question.turn];
  for (const PathNode other : tree_[tree_[taken].parent].children) {
    if (other == taken || tree_[other].kind == TurnKind::Result || execution.brought_in(other) != nullptr) continue;
    if (are_complements(tree_[taken].condition, tree_[other].condition)) continue;
    if (execution.bring_in(other, tree_[other].condition, loops_spin_)) forget_model(execution);
  }
  if (!loops_spin_) return;
  for (const std::uint32_t other : tree_[tree_[taken].parent].executions)
    for (const PathNode pin : goes_round_with(execution, question, *executions_[other]).value_or(Way{}))
      if (execution.brought_in(pin) == nullptr && execution.bring_in(pin, tree_[pin].condition, true)) forget_model(execution);
}

/// The other thread of that name turned there into the last turn of an iteration that changed nothing: what it had read then. Who turns
/// there and has read the same is where he was, whatever the others do meanwhile.
std::optional<Way> Mpc::goes_round_with(const Execution& execution, const Question& question, const Execution& known) const {
  const std::uint32_t thread = question.thread, turn = question.turn;
  if (known.followed() != thread || known.telling_turns_of(thread) != turn || known.turns_of(thread) <= turn) return std::nullopt;
  const Way& way = known.path[thread];
  if (way[turn] == execution.path[thread][turn] || tree_[way[turn]].kind == TurnKind::Pin) return std::nullopt;
  return Way(way.begin() + turn + 1, way.end());
}

/// False: it is not known here what was read there.
bool Mpc::exclude_going_round(Execution& execution, Question& question, const Way& pins) {
  std::vector<ExpressionId> conditions;
  for (const PathNode pin : pins) {
    const auto* brought = execution.brought_in(pin);
    if (brought == nullptr || brought->empty()) return false;
    conditions.insert(conditions.end(), brought->begin(), brought->end());
  }
  say(execution, question, {}, conditions);
  return true;
}

/// Before the thread in question turns.
Truth Mpc::passed_before(Execution& execution, Question& question, std::uint32_t thread, std::uint32_t turn) {
  const auto [known, is_new] = question.others.try_emplace(std::uint64_t{thread} << 32 | turn);
  if (!is_new) return known->second.truth;
  TraceModel& model = execution.model();
  const TraceModel::Condition passes = execution.passing(thread, turn);
  known->second.unit = passes.unit;
  if (passes.truth.is_false() || execution.goes_on(question)) return known->second.truth = passes.truth;
  known->second.truth = model.open();
  model.clause({~known->second.truth, passes.truth});
  model.clause({~known->second.truth, model.before(passes.unit, execution.turn(question.thread, question.turn).unit)});
  return known->second.truth;
}

/// Who passes a turn has passed those before it.
bool Mpc::Question::implies(const Further& further) const {
  return std::ranges::any_of(said, [&](const Further& known) {
    return std::ranges::all_of(known, [&](const auto& one) {
      return std::ranges::any_of(further, [&](const auto& other) { return other.first == one.first && other.second <= one.second; });
    });
  });
}

/// Under which conditions, expressions of this trace, another execution has done already what is asked for. None: it has not, or it will be
/// asked the same.
std::optional<std::vector<ExpressionId>> Mpc::what_it_did(const Execution& execution, const Question& question,
                                                          const Execution& known) const {
  const std::uint32_t thread = question.thread, turns = known.turns_of(thread);
  const bool is_earlier = known.number() < execution.number();
  if (execution.goes_on(question)) {
    const std::uint32_t steps = known.steps()[thread], own = execution.steps()[thread];
    const bool knows_more = turns > question.turn || steps > own;
    const bool knows_as_much = turns == question.turn && steps == own;
    if (!knows_more && !(knows_as_much && is_earlier)) return std::nullopt;
    return std::vector<ExpressionId>{};
  }
  if (turns <= question.turn) return std::nullopt;
  if (is_earlier) return std::vector<ExpressionId>{};
  const PathNode did = known.path[thread][question.turn];
  if (did == execution.path[thread][question.turn]) return std::nullopt;
  const auto* alternative = execution.brought_in(did);
  return alternative == nullptr ? std::vector<ExpressionId>{} : *alternative;
}

/// Each of the others' ways that this has not in common with the other execution, and where it leaves it. Who fails where that one failed
/// does the same, however far the others have come.
Mpc::Further Mpc::where_they_part(const Execution& execution, const Question& question, const Execution& known) const {
  Further further;
  const bool fails = !execution.goes_on(question) && known.failed_at_a_turn() == question.thread && known.number() > execution.number() &&
                     known.turns_of(question.thread) == question.turn + 1;
  for (std::uint32_t t = 0; t < execution.path.size(); ++t) {
    if (t == question.thread) continue;
    std::size_t common = t < known.path.size() ? common_turns(execution.path[t], known.path[t]) : 0;
    const bool was_cut_off = fails && (t >= known.path.size() || common == known.path[t].size());
    if (t == known.followed()) common = std::min<std::size_t>(common, known.telling_turns_of(t));
    if (common < execution.telling_turns_of(t) && !was_cut_off) further.emplace_back(t, static_cast<std::uint32_t>(common));
  }
  return further;
}

void Mpc::say(Execution& execution, Question& question, const Further& further, const std::vector<ExpressionId>& conditions) {
  TraceModel& model = model_of(execution);
  std::vector<Truth> clause;
  for (const ExpressionId condition : conditions) clause.push_back(~model.condition(condition));
  for (const auto& [thread, turn] : further) clause.push_back(passed_before(execution, question, thread, turn));
  if (!question.when) question.when = model.open();
  clause.push_back(~*question.when);
  model.clause(clause);
}

/// What the question asks for is the beginning of no path that was executed. An execution that came before this one, and could be asked the
/// same of the same beginning, is asked instead. False: everything is known already.
bool Mpc::exclude_known(Execution& execution, Question& question) {
  bring_in_alternatives(execution, question);
  const PathNode before = question.turn == 0 ? tree_.root(question.thread) : execution.path[question.thread][question.turn - 1];
  const auto& came_by = tree_[before].executions;
  std::vector<Further> known_ways;
  for (; question.heard < came_by.size(); ++question.heard) {
    if (came_by[question.heard] == execution.number()) continue;
    const Execution& known = *executions_[came_by[question.heard]];
    if (const auto pins = execution.goes_on(question) ? std::nullopt : goes_round_with(execution, question, known);
        pins && exclude_going_round(execution, question, *pins))
      continue;
    const auto conditions = what_it_did(execution, question, known);
    if (!conditions) continue;
    Further further = where_they_part(execution, question, known);
    if (!conditions->empty()) {
      say(execution, question, further, *conditions);
      continue;
    }
    if (further.empty()) return false;
    known_ways.push_back(std::move(further));
  }
  std::ranges::sort(known_ways, {}, &Further::size);  // the shorter it is the more it says
  for (const Further& further : known_ways) {
    if (question.implies(further)) continue;
    say(execution, question, further, {});
    question.said.push_back(further);
  }
  return true;
}

Reply Mpc::solve(Execution& execution, const Question& question) const {
  PathExecution::Others others;
  for (const auto& [where, condition] : question.others) others.push_back(condition);
  std::vector<Truth> wanted;
  if (question.when) wanted.push_back(*question.when);
  return execution.goes_on(question) ? go_on(execution, question, std::move(wanted), others)
                                     : turn_otherwise(execution, question, std::move(wanted), others);
}

Reply Mpc::turn_otherwise(Execution& execution, const Question& question, std::vector<Truth> wanted,
                          const PathExecution::Others& others) const {
  TraceModel& model = execution.model();
  const auto target = execution.turn_otherwise(question.thread, question.turn, wanted);
  if (!target) return {};
  const std::span ends(&*target, 1);
  model.set_limit({quick});
  Reply reply = model.ask(wanted, ends, {}, others);
  if (reply.answer == Answer::Unknown) {
    const Truth hard = model.open();
    wanted.push_back(hard);
    model.bound_without_rest_of(target->unit, hard);
    model.set_limit({options_.seconds_per_question});
    reply = model.ask(wanted, ends, {}, others);
  }
  if (reply.answer == Answer::Yes && execution.turn(question.thread, question.turn).kind == TurnKind::Result)
    reply.decisions.back().kind = execution.other_decision(question.thread, question.turn);
  return reply;
}

/// The thread was stopped by what another one did: can it make one step more before that?
Reply Mpc::go_on(Execution& execution, const Question& question, std::vector<Truth> wanted, const PathExecution::Others& others) const {
  TraceModel& model = execution.model();
  model.set_limit({options_.seconds_per_question});
  if (question.turn > 0) wanted.push_back(execution.passing(question.thread, question.turn - 1).truth);
  if (const UnitId pending = execution.pending_unit_of(question.thread); pending != nothing) {
    model.add_as_recorded(pending, wanted);
    const Target target{pending, 0, 0};
    return model.ask(wanted, std::span(&target, 1), {}, others);
  }
  std::vector<UnitId> also;
  const auto add_all_of = [&](std::uint32_t thread) {
    if (const UnitId last = execution.last_unit_of(thread); last != nothing) also.push_back(last);
  };
  add_all_of(question.thread);
  const PendingOperation* pending = execution.pending_of(question.thread);
  if (pending->kind == TREADLE_EV_THREAD_JOIN && pending->extra > 0) {
    const auto joined = static_cast<std::uint32_t>(pending->extra - 1);
    if (!execution.has_ended(joined)) return {};
    add_all_of(joined);
  }
  const auto ask = [&] {
    Reply reply = model.ask(wanted, {}, also, others);
    if (reply.answer == Answer::Yes)
      reply.decisions.push_back({DecisionKind::Any, ThreadId{static_cast<std::uint8_t>(question.thread)}, 0});
    return reply;
  };
  if (base_.model == MemoryModel::Sc || !may_wait_for_own_stores(pending->kind)) return ask();
  const std::size_t steps = also.size();
  for (const UnitId flush : execution.flushes_of(question.thread)) also.push_back(flush);
  if (Reply reply = ask(); reply.answer != Answer::No || also.size() == steps) return reply;
  also.resize(steps);
  return ask();
}

/// As far as the units of the reply say.
Beginning Mpc::beginning_of(const Execution& execution, const Question& question, const Reply& reply) const {
  std::vector<UnitId> last(execution.path.size(), nothing);
  for (const UnitId u : reply.units) {
    const Unit& unit = execution.units().all[u];
    const std::uint32_t t = index_of(unit.thread);
    if (!unit.is_flush && t < last.size() && (last[t] == nothing || last[t] < u)) last[t] = u;
  }
  Beginning beginning;
  for (std::uint32_t t = 0; t < execution.path.size(); ++t) {
    const auto is_passed = [&](std::uint32_t k) {  // a turn behind all that the unit does is not, before its thread goes on
      return t == question.thread ? k < question.turn : last[t] != nothing && execution.turn(t, k).unit < last[t];
    };
    Way& way = beginning.ways.emplace_back();
    for (std::uint32_t k = 0; k < execution.turns_of(t) && is_passed(k); ++k) way.push_back(execution.path[t][k]);
  }
  if (!execution.goes_on(question)) beginning.not_to = std::pair(question.thread, execution.path[question.thread][question.turn]);
  return beginning;
}

}  // namespace treadle

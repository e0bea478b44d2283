// SPDX-License-Identifier: Apache-2.0
#include "explore/mpc.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/check.h"

namespace treadle {
namespace {

constexpr double quick = 0.02;  // seconds for what is not hard
constexpr std::size_t most_models = 64;
constexpr double patience = 0.2;  // seconds until the search gets a word in

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

Mpc::Mpc(Schedule base, const MpcOptions& options) : base_(std::move(base)), options_(options) {
  base_.prefix.clear();
  base_.policy = Policy::Continue;
}

Mpc::~Mpc() = default;

std::optional<Item> Mpc::next() {
  thinking_ = false;
  if (out_) return std::nullopt;
  Item item{base_, next_ticket_};
  if (!began_) {
    began_ = true;
    out_ = Out{next_ticket_++, nothing, 0};
    return item;
  }
  const double begin = now();
  const auto hand_out = [&](std::uint32_t execution, std::uint32_t question) {
    out_ = Out{next_ticket_++, execution, question};
    return item;
  };
  for (; !urgent_.empty(); urgent_.pop_front()) {
    const auto [execution, question] = urgent_.front();
    if (ask(*executions_[execution], executions_[execution]->questions[question], item)) return hand_out(execution, question);
    if (now() - begin > patience) return thinking_ = true, std::nullopt;
  }
  for (; !open_.empty(); open_.pop_back()) {
    Execution& execution = *executions_[open_.back()];
    for (; execution.next_question < execution.questions.size(); ++execution.next_question) {
      if (ask(execution, execution.questions[execution.next_question], item)) return hand_out(execution.number(), execution.next_question);
      if (now() - begin > patience) return thinking_ = true, std::nullopt;
    }
    forget_model(execution);
    execution.forget_trace();
  }
  return std::nullopt;
}

void Mpc::learn_from(Ticket ticket, const Trace& trace) {
  check(out_ && out_->ticket == ticket, "a strategy learns only from what it asked for");
  if (trace.threads.size() > base_.threads.size()) base_.threads = trace.threads;
  if (trace.end.ending == TREADLE_END_DIVERGED) {
    tell_gap("an order that should have been possible was not");
    if (out_->execution != nothing) executions_[out_->execution]->questions[out_->question].done = true;
    out_.reset();
    return;
  }
  auto execution = std::make_unique<Execution>(trace, base_, static_cast<std::uint32_t>(executions_.size()));
  execution->path = tree_.add(execution->turns(), execution->number());
  const bool is_new = paths_.insert(execution->path).second;
  branches_.add(execution->turns(), ends_a_path(trace));
  if (!is_new) ++counts_.redundant;
  judge(*execution, is_new);
  find_questions(*execution);
  open_.push_back(execution->number());
  executions_.push_back(std::move(execution));
  out_.reset();
}

/// Did it turn where it was asked to? An iteration of a spin loop that changes nothing counts for nothing, so that turning into one is no
/// turn. It could have gone on otherwise within the iteration; that is not asked.
void Mpc::judge(const Execution& execution, bool is_new) {
  if (out_->execution == nothing) return;
  Execution& asked = *executions_[out_->execution];
  Question& question = asked.questions[out_->question];
  if (asked.goes_on(question)) {
    question.done |= execution.steps()[question.thread] <= asked.steps()[question.thread];
    return;
  }
  const Way &before = asked.path[question.thread], &after = execution.path[question.thread];
  if (common_turns(before, after) == question.turn && after.size() > question.turn && is_new) return;
  question.done = true;
  const auto spins = [&](const Unit& unit) { return unit.left_out; };
  if (std::ranges::any_of(execution.units().all, spins)) {
    tree_.mark_as_leading_nowhere(before[question.turn]);
    tell_gap("loops that spin may be left on more ways than were tried");
  } else {
    tell_gap("a thread did not turn where the model said it would");
  }
}

void Mpc::find_questions(Execution& execution) {
  const auto add = [&](std::uint32_t thread, std::uint32_t turn) {
    Question question;
    question.thread = thread;
    question.turn = turn;
    execution.questions.push_back(std::move(question));
  };
  for (std::uint32_t t = 0; t < execution.path.size(); ++t)
    for (std::uint32_t k = 0; k < execution.turns_of(t); ++k) {
      if (execution.turn(t, k).kind == TurnKind::Assume) continue;
      if (execution.turn(t, k).fails) urgent_.emplace_back(execution.number(), static_cast<std::uint32_t>(execution.questions.size()));
      add(t, k);
    }
  const Trace& trace = execution.trace();
  if (trace.choices.empty() || trace.end.ending == TREADLE_END_STEP_LIMIT) return;
  for (const PendingOperation& pending : trace.pending) {
    const std::uint32_t t = index_of(pending.thread);
    if (pending.kind == TREADLE_EV_FLUSH || pending.state == TREADLE_THREAD_FINISHED || t >= execution.path.size()) continue;
    const bool ended_it = trace.end.ending != TREADLE_END_DEADLOCK && trace.choices.back().taken.thread == pending.thread;
    if (!ended_it) add(t, execution.turns_of(t));
  }
}

bool Mpc::is_pointless(const Execution& execution, const Question& question) {
  if (question.done) return true;
  if (execution.goes_on(question)) return false;
  const PathTree::Node& taken = tree_[execution.path[question.thread][question.turn]];
  if (taken.leads_nowhere) return true;
  if (taken.kind == TurnKind::Pin && tree_[taken.parent].children.size() >= options_.most_values) {
    tell_gap(fmt::format("a value that is used in a way without a model has more than {} values", options_.most_values));
    return true;
  }
  return false;
}

bool Mpc::ask(Execution& execution, Question& question, Item& item) {
  if (is_pointless(execution, question) || !exclude_known(execution, question)) {
    question.done = true;
    return false;
  }
  TraceModel& model = model_of(execution);
  const double begin = now();
  const std::uint64_t queries = model.queries(), constraints = model.constraints();
  const Reply reply = solve(execution, question);
  statistics_.seconds += now() - begin;
  statistics_.queries += model.queries() - queries;
  statistics_.constraints += model.constraints() - constraints;
  if (const std::string limits = model.limits(); !limits.empty()) tell_gap("not what follows " + limits);
  if (reply.answer == Answer::Unknown) tell_gap("questions that took the solver too long were given up");
  if (reply.answer != Answer::Yes) {
    question.done = true;
    return false;
  }
  item.schedule.prefix = reply.decisions;
  item.schedule.inputs = reply.inputs;
  return true;
}

TraceModel& Mpc::model_of(Execution& execution) {
  built_.remove(execution.number());
  built_.push_front(execution.number());
  if (execution.has_model()) return execution.model();
  if (built_.size() > most_models) forget_model(*executions_[built_.back()]);
  const double begin = now();
  TraceModel& model = execution.model();
  statistics_.seconds += now() - begin;
  return model;
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
    if (execution.bring_in(other, tree_[other].condition)) forget_model(execution);
  }
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
    const std::size_t common = t < known.path.size() ? common_turns(execution.path[t], known.path[t]) : 0;
    const bool was_cut_off = fails && (t >= known.path.size() || common == known.path[t].size());
    if (common < execution.path[t].size() && !was_cut_off) further.emplace_back(t, static_cast<std::uint32_t>(common));
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

Reply Mpc::solve(Execution& execution, const Question& question) {
  PathExecution::Others others;
  for (const auto& [where, condition] : question.others) others.push_back(condition);
  std::vector<Truth> wanted;
  if (question.when) wanted.push_back(*question.when);
  return execution.goes_on(question) ? go_on(execution, question, std::move(wanted), others)
                                     : turn_otherwise(execution, question, std::move(wanted), others);
}

Reply Mpc::turn_otherwise(Execution& execution, const Question& question, std::vector<Truth> wanted, const PathExecution::Others& others) {
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
Reply Mpc::go_on(Execution& execution, const Question& question, std::vector<Truth> wanted, const PathExecution::Others& others) {
  TraceModel& model = execution.model();
  model.set_limit({options_.seconds_per_question});
  if (question.turn > 0) wanted.push_back(execution.passing(question.thread, question.turn - 1).truth);
  if (const UnitId pending = execution.pending_unit_of(question.thread); pending != nothing) {
    model.add_as_recorded(pending, wanted);
    const Target target{pending, 0, 0};
    return model.ask(wanted, std::span(&target, 1), {}, others);
  }
  const UnitId last = execution.last_unit_of(question.thread);
  Reply reply = model.ask(wanted, {}, std::span(&last, last == nothing ? 0 : 1), others);
  if (reply.answer == Answer::Yes) reply.decisions.push_back({DecisionKind::Any, ThreadId{static_cast<std::uint8_t>(question.thread)}, 0});
  return reply;
}

Counts Mpc::counts() const {
  Counts out = counts_;
  out.paths = branches_.paths();
  return out;
}

std::string Mpc::gaps() const {
  std::string all;
  for (const std::string& gap : gaps_) all += (all.empty() ? "" : ", ") + gap;
  return all;
}

}  // namespace treadle

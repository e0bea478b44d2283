// SPDX-License-Identifier: Apache-2.0
#include "explore/mpc.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/check.h"
#include "explore/coverage.h"

namespace treadle {
namespace {

constexpr double quick = 0.02;  // seconds for what is not hard
constexpr std::size_t most_models = 64;
constexpr double patience = 0.2;  // seconds until the search gets a word in

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// How far each thread came.
std::vector<std::uint32_t> steps_of(const Units& units, std::size_t threads) {
  std::vector<std::uint32_t> steps(threads, 0);
  for (const Unit& unit : units.all)
    if (!unit.left_out && !unit.is_flush && unit.choice != nothing) ++steps[index_of(unit.thread)];
  return steps;
}

/// Whoever makes these turns fails, no matter how far the others are.
bool fails_at_a_turn(const Trace& trace, const Units& units, const Turns& turns) {
  switch (trace.end.ending) {
    case TREADLE_END_COMPLETED:
    case TREADLE_END_DEADLOCK:
    case TREADLE_END_LIVELOCK:
    case TREADLE_END_STOPPED:
    case TREADLE_END_STEP_LIMIT:
      return false;
    default:
      break;
  }
  for (UnitId u = static_cast<UnitId>(units.all.size()); u-- > 0;) {
    const Unit& unit = units.all[u];
    if (unit.is_flush) continue;
    const auto& way = turns.of_threads()[index_of(unit.thread)];
    return !unit.left_out && !way.empty() && way.back().unit == u;
  }
  return false;
}

}  // namespace

struct Mpc::Execution {
  explicit Execution(const Trace& what, const Schedule& base)
      : trace(what), units(units_of(trace, base.model, base.races)), turns(trace, units) {}

  std::uint32_t turns_of(std::uint32_t thread) const { return static_cast<std::uint32_t>(path[thread].size()); }

  std::uint32_t number = 0;
  Trace trace;
  Units units;
  Turns turns;
  Path path;
  std::vector<std::uint32_t> steps;       // by thread
  bool fails_whatever_others_do = false;  // its last step is where it turned for the last time, and it failed in that step
  std::vector<Question> questions;
  std::uint32_t next_question = 0;
  std::unique_ptr<TraceModel> model;
  std::unordered_map<UnitId, TraceModel::Result> results;
  std::unordered_map<std::uint64_t, TraceModel::Condition> passed;       // by thread and turn
  std::unordered_map<PathNode, std::vector<ExpressionId>> alternatives;  // what other executions did at one of its turns
};

Mpc::Mpc(Schedule base, const MpcOptions& options) : base_(std::move(base)), options_(options) {
  base_.prefix.clear();
  base_.policy = Policy::Continue;
}

Mpc::~Mpc() = default;

Recording Mpc::needs() const {
  Recording recording;
  recording.plain = recording.choices = recording.symbolic = true;
  return recording;
}

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
    if (ask(execution, question, item)) return hand_out(execution, question);
    if (now() - begin > patience) return thinking_ = true, std::nullopt;
  }
  for (; !open_.empty(); open_.pop_back()) {
    Execution& execution = *executions_[open_.back()];
    for (; execution.next_question < execution.questions.size(); ++execution.next_question) {
      if (ask(execution.number, execution.next_question, item)) return hand_out(execution.number, execution.next_question);
      if (now() - begin > patience) return thinking_ = true, std::nullopt;
    }
    forget_model(execution);
    execution.trace = Trace{};  // nothing is asked about it any more
    execution.units = Units{};
  }
  return std::nullopt;
}

void Mpc::learn_from(Ticket ticket, const Trace& trace) {
  check(out_ && out_->ticket == ticket, "a strategy learns only from what it asked for");
  if (trace.threads.size() > base_.threads.size()) base_.threads = trace.threads;
  if (trace.end.ending == TREADLE_END_DIVERGED) {  // the verdict will say so
    if (out_->execution != nothing) executions_[out_->execution]->questions[out_->question].done = true;
    out_.reset();
    return;
  }
  auto execution = std::make_unique<Execution>(trace, base_);
  execution->number = static_cast<std::uint32_t>(executions_.size());
  execution->path = tree_.add(execution->turns, execution->number);
  execution->steps = steps_of(execution->units, execution->path.size());
  const bool is_new = paths_.insert(execution->path).second;
  if (is_new && trace.end.ending != TREADLE_END_ASSUMPTION_FAILED) ++counts_.paths;
  if (!is_new) ++counts_.redundant;
  if (getenv("MPC_DEBUG")) {
    fmt::print(stderr, "execution {} {} from {} q {}\n", execution->number, is_new ? "new" : "AGAIN", out_->execution, out_->question);
    for (std::size_t t = 0; t < execution->path.size(); ++t) {
      fmt::print(stderr, "  {}:", t);
      for (std::size_t k = 0; k < execution->path[t].size(); ++k) {
        const Turn& turn = execution->turns.of_threads()[t][k];
        fmt::print(stderr, " {}[k{} u{} pc{:x}]", execution->path[t][k], int(turn.kind), turn.unit,
                   turn.notes.empty() ? 0 : trace.notes[turn.notes[0]].pc & 0xffff);
      }
      fmt::print(stderr, "\n");
    }
  }
  execution->fails_whatever_others_do = fails_at_a_turn(execution->trace, execution->units, execution->turns);
  judge(*execution, is_new);
  find_questions(*execution);
  open_.push_back(execution->number);
  executions_.push_back(std::move(execution));
  out_.reset();
}

/// Did it turn where it was asked to? An iteration of a spin loop that changes nothing counts for nothing, so that turning into one is no
/// turn; it would be so again.
void Mpc::judge(const Execution& execution, bool is_new) {
  if (out_->execution == nothing) return;
  Execution& asked = *executions_[out_->execution];
  Question& question = asked.questions[out_->question];
  if (question.turn == asked.turns_of(question.thread)) {
    question.done |= execution.steps[question.thread] <= asked.steps[question.thread];
    return;
  }
  const Way &before = asked.path[question.thread], &after = execution.path[question.thread];
  if (common_turns(before, after) == question.turn && after.size() > question.turn && is_new) return;
  question.done = true;
  const bool spun =
      std::ranges::any_of(execution.units.all, [&](const Unit& unit) { return unit.left_out && index_of(unit.thread) == question.thread; });
  if (spun)
    tree_.mark_as_leading_nowhere(before[question.turn]);
  else
    tell_gap("a thread did not turn where the model said it would");
}

void Mpc::find_questions(Execution& execution) {
  for (std::uint32_t t = 0; t < execution.path.size(); ++t)
    for (std::uint32_t k = 0; k < execution.turns_of(t); ++k)
      if (execution.turns.of_threads()[t][k].kind != TurnKind::Assume) {
        Question question;
        question.thread = t;
        question.turn = k;
        if (execution.turns.of_threads()[t][k].fails)
          urgent_.emplace_back(execution.number, static_cast<std::uint32_t>(execution.questions.size()));
        execution.questions.push_back(std::move(question));
      }
  for (const PendingOperation& pending : execution.trace.pending) {
    const std::uint32_t t = index_of(pending.thread);
    if (pending.kind == TREADLE_EV_FLUSH || pending.state == TREADLE_THREAD_FINISHED || t >= execution.path.size() ||
        execution.trace.choices.empty())
      continue;
    const bool ended_it =
        execution.trace.end.ending != TREADLE_END_DEADLOCK && execution.trace.choices.back().taken.thread == pending.thread;
    if (ended_it || execution.trace.end.ending == TREADLE_END_STEP_LIMIT) continue;
    Question question;
    question.thread = t;
    question.turn = execution.turns_of(t);
    execution.questions.push_back(std::move(question));
  }
}

PathNode Mpc::node_before(const Execution& execution, const Question& question) {
  return question.turn == 0 ? tree_.root(question.thread) : execution.path[question.thread][question.turn - 1];
}

bool Mpc::is_pointless(const Execution& execution, const Question& question) {
  if (question.done) return true;
  if (question.turn == execution.turns_of(question.thread)) return false;
  const PathTree::Node& taken = tree_[execution.path[question.thread][question.turn]];
  if (taken.leads_nowhere) return true;
  if (taken.kind == TurnKind::Pin && tree_[taken.parent].children.size() >= options_.most_values) {
    tell_gap(fmt::format("a value that is used in a way without a model has more than {} values", options_.most_values));
    return true;
  }
  return false;
}

bool Mpc::ask(std::uint32_t number, std::uint32_t which, Item& item) {
  Execution& execution = *executions_[number];
  Question& question = execution.questions[which];
  if (is_pointless(execution, question) || !exclude_known(number, question)) {
    question.done = true;
    return false;
  }
  const double begin = now();
  const std::uint64_t queries = execution.model->queries(), constraints = execution.model->constraints();
  const Reply reply = solve(execution, question);
  if (getenv("MPC_SLOW") && now() - begin > 0.05)
    fmt::print(stderr, "slow {:.2f} execution {} thread {} turn {} answer {} said {}\n", now() - begin, number, question.thread,
               question.turn, int(reply.answer), question.said.size());
  statistics_.seconds += now() - begin;
  statistics_.queries += execution.model->queries() - queries;
  statistics_.constraints += execution.model->constraints() - constraints;
  if (const std::string limits = execution.model->limits(); !limits.empty()) tell_gap("not what follows " + limits);
  if (reply.answer == Answer::Unknown) tell_gap("questions that took the solver too long were given up");
  if (reply.answer != Answer::Yes) {
    question.done = true;
    return false;
  }
  if (getenv("MPC_DEBUG")) {
    fmt::print(stderr, "ask {} thread {} turn {} of {}:", number, question.thread, question.turn, execution.turns_of(question.thread));
    for (UnitId u : reply.units) fmt::print(stderr, " u{}", u);
    fmt::print(stderr, " |");
    for (auto d : reply.decisions) fmt::print(stderr, " {}{}", index_of(d.thread), d.kind == DecisionKind::Step ? "" : "*");
    fmt::print(stderr, " | inputs");
    for (auto d : reply.inputs) fmt::print(stderr, " {}", (long)d);
    fmt::print(stderr, " |");
    for (auto& f : question.said) {
      for (auto [t, k] : f) fmt::print(stderr, " {}.{}", t, k);
      fmt::print(stderr, ";");
    }
    fmt::print(stderr, "\n");
  }
  item.schedule.prefix = reply.decisions;
  item.schedule.inputs = reply.inputs;
  return true;
}

/// What other executions did at that turn, said about this one. False: it was all there.
bool Mpc::bring_in_alternatives(Execution& execution, const Question& question) {
  if (question.turn == execution.turns_of(question.thread)) return false;
  const PathNode taken = execution.path[question.thread][question.turn];
  const std::size_t before = execution.trace.expressions.size();
  for (const PathNode other : tree_[tree_[taken].parent].children) {
    if (other == taken || tree_[other].kind == TurnKind::Result || execution.alternatives.contains(other)) continue;
    if (are_complements(tree_[taken].condition, tree_[other].condition)) continue;
    auto brought = execution.turns.brought_into(execution.trace, tree_[other].condition);
    check(brought.has_value(), "threads that made the same turns have read the same");
    execution.alternatives.emplace(other, std::move(*brought));
  }
  return execution.trace.expressions.size() > before;
}

void Mpc::forget_model(Execution& execution) {
  execution.model.reset();
  execution.results.clear();
  execution.passed.clear();
  for (Question& question : execution.questions) {
    question.heard = 0;
    question.when.reset();
    question.others.clear();
    question.said.clear();
  }
  built_.remove(execution.number);
}

void Mpc::build(std::uint32_t number) {
  Execution& execution = *executions_[number];
  built_.remove(number);
  built_.push_front(number);
  if (execution.model) return;
  if (built_.size() > most_models) forget_model(*executions_[built_.back()]);
  const double begin = now();
  TraceModelOptions options;
  options.model = base_.model;
  options.races = base_.races;
  options.inputs = Inputs::Free;
  options.limit.seconds = options_.seconds_per_question;
  execution.model = std::make_unique<TraceModel>(execution.trace, options, make_acyclic_solver());
  for (const TraceModel::Result& result : execution.model->other_results()) execution.results.emplace(result.other.unit, result);
  statistics_.seconds += now() - begin;
}

TraceModel::Condition Mpc::passing(Execution& execution, std::uint32_t thread, std::uint32_t turn) {
  const auto [known, is_new] = execution.passed.try_emplace(std::uint64_t{thread} << 32 | turn);
  if (!is_new) return known->second;
  const Turn& what = execution.turns.of_threads()[thread][turn];
  known->second.unit = what.unit;
  known->second.truth = what.kind == TurnKind::Result ? execution.model->happens(what.unit) : execution.model->passes(what.notes.back());
  return known->second;
}

/// Before the thread in question turns.
Truth Mpc::passed_before(Execution& execution, Question& question, std::uint32_t thread, std::uint32_t turn) {
  const auto [known, is_new] = question.others.try_emplace(std::uint64_t{thread} << 32 | turn);
  if (!is_new) return known->second.truth;
  TraceModel& model = *execution.model;
  const TraceModel::Condition passes = passing(execution, thread, turn);
  known->second.unit = passes.unit;
  if (passes.truth.is_false() || question.turn == execution.turns_of(question.thread)) return known->second.truth = passes.truth;
  known->second.truth = model.open();
  model.clause({~known->second.truth, passes.truth});
  model.clause({~known->second.truth, model.before(passes.unit, execution.turns.of_threads()[question.thread][question.turn].unit)});
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
  const bool is_earlier = known.number < execution.number;
  if (question.turn == execution.turns_of(thread)) {
    const bool knows_more = turns > question.turn || known.steps[thread] > execution.steps[thread];
    const bool knows_as_much = turns == question.turn && known.steps[thread] == execution.steps[thread];
    if (!knows_more && !(knows_as_much && is_earlier)) return std::nullopt;
    return std::vector<ExpressionId>{};
  }
  if (turns <= question.turn) return std::nullopt;
  if (is_earlier) return std::vector<ExpressionId>{};
  const PathNode did = known.path[thread][question.turn];
  if (did == execution.path[thread][question.turn]) return std::nullopt;
  const auto alternative = execution.alternatives.find(did);
  return alternative == execution.alternatives.end() ? std::vector<ExpressionId>{} : alternative->second;
}

void Mpc::say(Execution& execution, Question& question, const Further& further, const std::vector<ExpressionId>& conditions) {
  std::vector<Truth> clause;
  for (const ExpressionId condition : conditions) clause.push_back(~execution.model->condition(condition));
  for (const auto& [thread, turn] : further) clause.push_back(passed_before(execution, question, thread, turn));
  if (!question.when) question.when = execution.model->open();
  clause.push_back(~*question.when);
  execution.model->clause(clause);
}

/// What the question asks for is the beginning of no path that was executed. An execution that came before this one, and could be asked the
/// same of the same beginning, is asked instead. False: everything is known already.
bool Mpc::exclude_known(std::uint32_t number, Question& question) {
  Execution& execution = *executions_[number];
  if (bring_in_alternatives(execution, question)) forget_model(execution);
  const auto& came_by = tree_[node_before(execution, question)].executions;
  std::vector<Further> known_ways;
  for (; question.heard < came_by.size(); ++question.heard) {
    if (came_by[question.heard] == number) continue;
    const Execution& known = *executions_[came_by[question.heard]];
    const auto alternative = what_it_did(execution, question, known);
    if (!alternative) continue;
    Further further;
    for (std::uint32_t t = 0; t < execution.path.size(); ++t) {
      if (t == question.thread) continue;
      const std::size_t common = t < known.path.size() ? common_turns(execution.path[t], known.path[t]) : 0;
      const bool was_cut_off = known.fails_whatever_others_do && (t >= known.path.size() || common == known.path[t].size());
      if (common < execution.path[t].size() && !was_cut_off) further.emplace_back(t, static_cast<std::uint32_t>(common));
    }
    if (!alternative->empty()) {
      build(number);
      say(execution, question, further, *alternative);
      continue;
    }
    if (further.empty()) return false;
    known_ways.push_back(std::move(further));
  }
  std::ranges::sort(known_ways, {}, &Further::size);  // the shorter it is the more it says
  for (const Further& further : known_ways) {
    if (question.implies(further)) continue;
    build(number);
    say(execution, question, further, {});
    question.said.push_back(further);
  }
  build(number);
  return true;
}

Reply Mpc::solve(Execution& execution, const Question& question) {
  std::vector<TraceModel::Condition> others;
  for (const auto& [where, condition] : question.others) others.push_back(condition);
  return question.turn == execution.turns_of(question.thread) ? go_on(execution, question, others)
                                                              : turn_otherwise(execution, question, others);
}

Reply Mpc::turn_otherwise(Execution& execution, const Question& question, const Others& others) {
  TraceModel& model = *execution.model;
  const Turn& turn = execution.turns.of_threads()[question.thread][question.turn];
  std::vector<Truth> wanted;
  if (question.when) wanted.push_back(*question.when);
  if (turn.kind == TurnKind::Result) {
    const auto other = execution.results.find(turn.unit);
    if (other == execution.results.end()) return {};
    wanted.push_back(model.can_be(other->second));
    const Target target{turn.unit, 0, 0};
    model.set_limit({options_.seconds_per_question});
    Reply reply = model.ask(wanted, std::span(&target, 1), {}, others);
    if (reply.answer == Answer::Yes) reply.decisions.back().kind = other->second.other.decision;
    return reply;
  }
  std::vector<Truth> otherwise;
  for (const std::uint32_t note : turn.notes) otherwise.push_back(~model.holds(note));
  if (otherwise.size() == 1) {
    wanted.push_back(otherwise.front());
  } else {
    const Truth any = model.open();
    otherwise.push_back(~any);
    model.clause(otherwise);
    wanted.push_back(any);
  }
  const auto target = model.way_to(turn.notes.front(), wanted);
  if (!target) return {};
  model.set_limit({quick});
  Reply reply = model.ask(wanted, std::span(&*target, 1), {}, others);
  if (reply.answer != Answer::Unknown) return reply;
  const Truth hard = model.open();
  wanted.push_back(hard);
  model.bound_without_rest_of(turn.unit, hard);
  model.set_limit({options_.seconds_per_question});
  return model.ask(wanted, std::span(&*target, 1), {}, others);
}

/// The thread was stopped by what another one did: can it make one step more before that?
Reply Mpc::go_on(Execution& execution, const Question& question, const Others& others) {
  TraceModel& model = *execution.model;
  model.set_limit({options_.seconds_per_question});
  UnitId last = nothing;
  for (UnitId u = 0; u < execution.units.all.size(); ++u) {
    const Unit& unit = execution.units.all[u];
    if (unit.left_out || unit.is_flush) continue;
    const bool creates = std::ranges::any_of(unit.syncs, [&](std::uint32_t e) {
      return execution.trace.events[e].kind == TREADLE_EV_THREAD_CREATE && execution.trace.events[e].value == question.thread;
    });
    if (index_of(unit.thread) == question.thread || (creates && last == nothing)) last = u;
  }
  std::vector<Truth> wanted;
  if (question.when) wanted.push_back(*question.when);
  if (question.turn > 0) wanted.push_back(passing(execution, question.thread, question.turn - 1).truth);
  Reply reply = last == nothing ? model.ask(wanted, {}, {}, others) : model.ask(wanted, {}, std::span(&last, 1), others);
  if (reply.answer == Answer::Yes) reply.decisions.push_back({DecisionKind::Any, ThreadId{static_cast<std::uint8_t>(question.thread)}, 0});
  return reply;
}

std::string Mpc::covers() const {
  std::string schedules = covered_schedules(base_);
  const std::string fixed = " for these inputs";
  if (const auto at = schedules.find(fixed); at != std::string::npos) schedules.replace(at, fixed.size(), " and all inputs");
  return fmt::format("{}, by {} path{}", schedules, counts_.paths, counts_.paths == 1 ? "" : "s");
}

std::string Mpc::gaps() const {
  std::string all;
  for (const std::string& gap : gaps_) all += (all.empty() ? "" : ", ") + gap;
  return all;
}

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
#include "explore/mpc.h"

#include <algorithm>

#include "base/check.h"
#include "base/clock.h"
#include "explore/patience.h"
#include "explore/pending_steps.h"
#include "trace/spin_iterations.h"

namespace treadle {
namespace {

constexpr double patience = 0.2;  // seconds until the search gets a word in

Schedule without_patience(Schedule schedule) {
  schedule.prefix.clear();
  schedule.policy = Policy::Continue;
  return schedule;
}

}  // namespace

Mpc::Mpc(Schedule base, const MpcOptions& options)
    : base_(std::move(base)), options_(options), without_inputs_(std::make_unique<Value>(without_patience(base_), ClassBy::Values)) {
  base_.prefix.clear();
  base_.policy = Policy::Patient;  // nobody is cut off who could have gone on
  options_.jobs = std::clamp(options.jobs, 1u, most_jobs);
}

std::optional<Item> Mpc::next() {
  if (around_) return around_->next();
  thinking_ = false;
  if (options_.by_schedules) return go_on_by_schedules();
  if (wants_schedules()) {
    take_back_what_is_ready();
    return out_.empty() ? go_on_by_schedules() : std::nullopt;
  }
  if (!began_) {
    began_ = true;
    out_.emplace(next_ticket_, Out{});
    return Item{base_, next_ticket_++};
  }
  const double begin = seconds_now();
  send_out_who_waited();
  while (ready_.empty() && out_.size() < options_.jobs && waiting_.size() < most_waiting * options_.jobs) {
    std::vector<Asked> asked = to_ask_with_patience();
    if (asked.empty() && !thinking_) return out_.empty() ? go_on_by_schedules() : std::nullopt;
    ask_all(asked);
    for (Asked& one : asked) take_answer(one);
    thinking_ = ready_.empty() && (thinking_ || seconds_now() - begin > patience);
    if (thinking_) return std::nullopt;
  }
  if (ready_.empty()) return std::nullopt;
  Item item = std::move(ready_.front());
  ready_.pop_front();
  return item;
}

/// None: every question had an answer, as far as order goes.
std::optional<Item> Mpc::go_on_by_schedules() {
  without_model_.add(inquiries_.without_model());
  if (options_.by_schedules) without_model_.tell("a test");
  const std::string why = without_model_.text();
  if (why.empty()) return std::nullopt;
  executions_.clear();
  InputsAroundSchedules::Options options{options_.seconds_per_question, options_.most_values, why};
  InputsAroundSchedules::Earlier earlier{std::move(branches_), std::move(known_paths_), without_inputs_ == nullptr,
                                         std::move(without_inputs_), std::move(first_)};
  around_ = std::make_unique<InputsAroundSchedules>(without_patience(base_), std::move(options), std::move(earlier));
  return around_->next();
}

/// What was to be asked by paths will be run, if it can happen, by schedules.
void Mpc::take_back_what_is_ready() {
  for (const Item& item : ready_) out_.erase(item.ticket);
  ready_.clear();
}

/// For a search by schedules, should one be needed. That knows no patience: who let the others go on before he failed did not, there.
void Mpc::note_schedule(const Trace& trace, bool is_first) {
  if (trace.end.ending == TREADLE_END_STOPPED || trace.end.ending == TREADLE_END_DIVERGED) return;
  const bool was_patient = lets_others_go_first(trace);
  if (is_first && !was_patient) first_ = trace;
  if (asks_for_inputs(trace)) without_inputs_.reset();
  if (without_inputs_ == nullptr) return;
  auto without_patience = was_patient ? as_if_it_failed_last(trace, base_.races, base_.model) : std::nullopt;
  if (was_patient && !without_patience) without_patience = as_if_it_failed_at_once(trace);
  if (was_patient && !without_patience) return;
  const Trace& noted = without_patience ? *without_patience : trace;
  without_inputs_->take_note(noted);
}

/// What is hard to answer from one execution may be easy from another, or known by the time there is nothing else to ask.
std::vector<Mpc::Asked> Mpc::to_ask_with_patience() {
  patience_ = seconds_at_first;
  std::vector<Asked> found = to_ask();
  while (found.empty() && !thinking_ && out_.empty() && patience_ < options_.seconds_per_question) {
    patience_ = std::min(patience_ * 10, options_.seconds_per_question);
    found = to_ask();
  }
  return found;
}

/// One question for each execution: as many as can be asked at once. None, and not because it took long: there is none.
std::vector<Mpc::Asked> Mpc::to_ask() {
  const double begin = seconds_now();
  const std::size_t wanted = options_.jobs;  // more than can go out: an answer can wait
  std::vector<Asked> found;
  const auto is_asked = [&](const Execution& execution) {
    return std::ranges::any_of(found, [&](const Asked& one) { return one.execution == &execution; });
  };
  thinking_ = false;
  const auto has_time = [&] { return !(thinking_ = seconds_now() - begin > patience); };
  std::erase_if(urgent_, [&](const auto& one) { return executions_[one.first]->questions[one.second].done; });
  for (std::size_t i = 0; i < urgent_.size() && found.size() < wanted && has_time(); ++i) {
    Execution& execution = *executions_[urgent_[i].first];
    if (!is_asked(execution)) consider(execution, urgent_[i].second, found);
  }
  for (std::size_t i = open_.size(); i-- > 0 && found.size() < wanted && has_time();) {
    Execution& execution = *executions_[open_[i]];
    if (is_asked(execution) || find_in(execution, found)) continue;
    forget_model(execution);
    execution.walk.reset();
    execution.forget_trace();
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return found;
}

/// The first question that is not known to have no answer. False: none is left, nor out.
bool Mpc::find_in(Execution& execution, std::vector<Asked>& found) {
  auto& next = execution.next_question;
  while (next < execution.questions.size() && execution.questions[next].done) ++next;
  bool any_left = false;
  for (std::uint32_t q = next; q < execution.questions.size(); ++q) {
    if (execution.questions[q].done) continue;
    if (consider(execution, q, found)) return true;
    any_left |= !execution.questions[q].done;
  }
  return any_left;
}

bool Mpc::consider(Execution& execution, std::uint32_t which, std::vector<Asked>& found) {
  Question& question = execution.questions[which];
  if (question.done || question.out || question.waits || question.seconds > patience_) return false;
  if (!execution.goes_on(question)) look_at(execution);
  const bool walked = question.walked;
  if (is_pointless(execution, question) || !exclude_known(execution, question) ||
      (walked && !question.walked && !ask_solver_instead(execution, question))) {
    question.done = true;
    return false;
  }
  if (const auto reply = answer_by_walk(execution, question)) {
    question.done = reply->answer == Answer::No;
    if (!question.done) found.push_back({&execution, which, *reply, true});
    return !question.done;
  }
  use_model(execution);
  found.push_back({&execution, which});
  return true;
}

/// Where a walk over all its states is possible questions about its turns need no solver.
void Mpc::look_at(Execution& execution) {
  if (std::exchange(execution.was_looked_at, true) || loops_spin_ || options_.most_states == 0) return;
  if (not_walked_ > 0) {
    --not_walked_;
    return;
  }
  const double begin = seconds_now();
  execution.walk = PathWalk::along(execution, terms_, options_.most_states);
  inquiries_.spend(seconds_now() - begin);
  walks_failed_ = execution.walk == nullptr ? std::min(walks_failed_ + 1, 10u) : walks_failed_ - std::min(walks_failed_, 1u);
  not_walked_ = execution.walk == nullptr ? 1u << walks_failed_ : 0;
  if (execution.walk == nullptr) return;
  execution.forget_model();
  for (Question& question : execution.questions) question.walked = !execution.goes_on(question);
}

/// None: it cannot be told, or this is not for it.
std::optional<Reply> Mpc::answer_by_walk(Execution& execution, Question& question) {
  if (!question.walked) return std::nullopt;
  inquiries_.count();
  Reply reply = execution.walk->answer(question.thread, question.turn);
  if (reply.answer != Answer::Unknown) return reply;
  if (!ask_solver_instead(execution, question)) return Reply{};
  return std::nullopt;
}

void Mpc::learn_from(Ticket ticket, const Trace& trace) {
  if (around_) return around_->learn_from(ticket, trace);
  const auto returned = out_.extract(ticket);
  check(!returned.empty(), "a strategy learns only from what it asked for");
  learn_names(trace);
  const Out& out = returned.mapped();
  Question* question = out.execution == nothing ? nullptr : &executions_[out.execution]->questions[out.question];
  if (question != nullptr) question->out = false;
  const auto first = static_cast<std::uint32_t>(executions_.size());
  if (question != nullptr && stopped_in_vain(trace)) {
    ++counts_.blocked;
    follow_loops(trace);
    judge(out, first, true);
    return;
  }
  if (trace.end.ending == TREADLE_END_DIVERGED || (trace.end.ending == TREADLE_END_STOPPED && question != nullptr)) {
    inquiries_.tell(trace.end.ending == TREADLE_END_DIVERGED ? "an order that should have been possible was not"
                                                             : "a thread that waited may go on in more orders than were tried");
    if (question != nullptr) question->done = true;
    return;
  }
  const bool is_new = take_in(trace);
  note_schedule(trace, out.execution == nothing);
  if (question != nullptr) judge(out, first, is_new);
}

void Mpc::hear_of(const Trace& trace) {
  if (around_) return;
  learn_names(trace);
  if (trace.end.ending == TREADLE_END_DIVERGED || trace.end.ending == TREADLE_END_STOPPED) return;
  take_in(trace);
  note_schedule(trace, false);
}

/// False: its threads have gone just so far on the same ways before.
bool Mpc::take_in(const Trace& trace) {
  auto execution = std::make_unique<Execution>(trace, base_, static_cast<std::uint32_t>(executions_.size()));
  execution->path = tree_.place(execution->turns());
  auto& known_steps = paths_[{execution->path_before_failure(), execution->failed()}];
  const bool repeats = !known_steps.empty();
  const bool is_new = known_steps.insert(execution->steps()).second;
  branches_.add(execution->turns(), ends_a_path(trace));
  known_paths_.insert(number_of_path(*execution));
  if (const auto& unmodelled = execution->units().unmodelled) without_model_.tell(unmodelled->why);
  if (execution->units().frees_what_others_use) without_model_.tell("memory that is freed while others may still use it");
  if (repeats) ++counts_.redundant;
  add(std::move(execution));
  follow_loops(trace);
  return is_new;
}

void Mpc::add(std::unique_ptr<Execution> execution) {
  tree_.tell(execution->path, execution->number());
  ends_.learn(*execution);
  for (std::uint32_t t = 0; t < execution->path.size(); ++t) {
    const PathNode last = execution->path[t].empty() ? tree_.root(t) : execution->path[t].back();
    const auto number = static_cast<std::uint32_t>(ways_.size());
    execution->ways.push_back(ways_.try_emplace({t, last, execution->telling_turns_of(t), execution->steps()[t]}, number).first->second);
    if (went_.size() < ways_.size()) went_.push_back(execution->number());
  }
  if (is_whole(*execution)) whole_.add(execution->ways, execution->number());
  find_questions(*execution);
  open_.push_back(execution->number());
  executions_.push_back(std::move(execution));
}

/// Each way round a loop that led nowhere is as good as an execution that stops there, for questions.
void Mpc::follow_loops(const Trace& trace) {
  const std::vector<FruitlessIteration> all = all_fruitless_iterations(trace);
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    const FollowedIteration followed = followed_along(trace, i + 1, base_.model, base_.races);
    auto execution = std::make_unique<Execution>(followed, base_, static_cast<std::uint32_t>(executions_.size()));
    execution->path = tree_.place(execution->turns());
    loops_spin_ = true;
    if (!starts_as_known(trace, followed, *execution)) inquiries_.tell("loops that spin may be left on more ways than were tried");
    if (followed_[execution->path].insert(execution->steps()).second) add(std::move(execution));
  }
}

/// What a loop carries is the same whenever a thread has come there by the same turns. Where it is not, the same turns may lead somewhere.
bool Mpc::starts_as_known(const Trace& trace, const FollowedIteration& followed, const Execution& execution) {
  const auto note = std::find_if(trace.events.rbegin(), trace.events.rend(), [&](const Event& e) {
    return e.kind == TREADLE_EV_ITERATION && e.thread == followed.thread && e.step < followed.first;
  });
  if (note == trace.events.rend() || note->value == 0) return true;
  const std::uint32_t before = execution.turns_before_iteration();
  const PathNode place = before == 0 ? tree_.root(followed.thread) : execution.path[followed.thread][before - 1];
  return loops_.try_emplace({place, note->address}, note->value).first->second == note->value;
}

/// Did the execution, or where it can be followed, turn where it was asked to, or go on?
void Mpc::judge(const Out& out, std::uint32_t first, bool is_new) {
  const Execution& asked = *executions_[out.execution];
  Question& question = executions_[out.execution]->questions[out.question];
  if (question.fails) {
    question.done = true;  // how far the others can have come is asked about the execution in which it did
    return;
  }
  const auto did = [&](const std::unique_ptr<Execution>& execution) {
    if (asked.goes_on(question)) return execution->steps()[question.thread] > asked.steps()[question.thread];
    if (execution->number() == first && !is_new) return false;
    const Way &before = asked.path[question.thread], &after = execution->path[question.thread];
    return common_turns(before, after) == question.turn && after.size() > question.turn;
  };
  if (std::any_of(executions_.begin() + first, executions_.end(), did)) return;
  question.done = true;
  if (!asked.goes_on(question)) inquiries_.tell("a thread did not turn where the model said it would");
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
      // Past what failed all come to their ends: nothing before it has to be executed again to see how the others go on.
      const bool failed = t == execution.failed_at_a_turn() && k + 1 == execution.turns_of(t);
      if (failed || execution.turn(t, k).fails)
        urgent_.emplace_back(execution.number(), static_cast<std::uint32_t>(execution.questions.size()));
      add(t, k);
    }
  const Trace& trace = execution.trace();
  std::vector<std::uint32_t> cut_off;
  for (const PendingOperation& pending : trace.pending) {
    const std::uint32_t t = index_of(pending.thread);
    if (!may_go_on(trace, pending) || t >= execution.path.size() || t == execution.followed()) continue;
    if (execution.about_to_fail(t) != nothing) {
      add(t, execution.turns_of(t));
      execution.questions.back().fails = true;
      continue;
    }
    const bool is_followed = stands_in_loop(pending) && iteration_at_the_end(trace, t).steps > 0;
    if (!is_followed) cut_off.push_back(t);
  }
  // Round from the thread that ended it: whoever goes on is followed by the rest of them before that one's turn comes (Policy::Continue).
  const unsigned ended = index_of(trace.end.thread);
  std::ranges::sort(cut_off, {}, [&](std::uint32_t t) { return (t - ended - 1) & 255u; });
  for (const std::uint32_t t : cut_off) add(t, execution.turns_of(t));
}

/// What goes schedule by schedule leaves nothing of the questions open, once it is done.
std::string Mpc::gaps() const {
  if (!around_) return inquiries_.gaps().text();
  Gaps all = around_->all_gaps();
  if (!around_->is_over()) all.add(inquiries_.gaps());
  return all.text();
}

Counts Mpc::counts() const {
  Counts out = counts_;
  if (!around_) {
    out.paths = branches_.paths();
    return out;
  }
  const Counts more = around_->counts();
  return {out.blocked + more.blocked, out.redundant + more.redundant, more.paths};
}

std::optional<SolverCounts> Mpc::solver() const {
  SolverCounts all = inquiries_.counts();
  if (!around_) return all;
  const SolverCounts more = around_->solver().value_or(SolverCounts{});
  all.queries += more.queries;
  all.seconds += more.seconds;
  return all;
}

}  // namespace treadle

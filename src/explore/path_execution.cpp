// SPDX-License-Identifier: Apache-2.0
#include "explore/path_execution.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "explore/coverage.h"
#include "explore/pending_steps.h"
#include "solve/causal_parts.h"
#include "trace/marked_decisions.h"

namespace treadle {
namespace {

std::vector<std::uint32_t> steps_of(const Units& units, std::size_t threads, std::size_t made) {
  std::vector<std::uint32_t> steps(threads, 0);
  for (const Unit& unit : units.all)
    if (!unit.left_out && !unit.is_flush && unit.choice < made) ++steps[index_of(unit.thread)];
  return steps;
}

std::uint32_t failed(const Trace& trace) {
  switch (trace.end.ending) {
    case TREADLE_END_COMPLETED:
    case TREADLE_END_DEADLOCK:
    case TREADLE_END_LIVELOCK:
    case TREADLE_END_STOPPED:
    case TREADLE_END_STEP_LIMIT:
      return nothing;
    default:
      return index_of(trace.end.thread);
  }
}

std::uint32_t failed_at_a_turn(std::uint32_t thread, const Units& units, const Turns& turns) {
  if (thread >= turns.of_threads().size() || turns.of_threads()[thread].empty()) return nothing;
  const Unit& last = units.all[turns.of_threads()[thread].back().unit];
  return last.ends && !last.left_out ? thread : nothing;
}

}  // namespace

PathExecution::PathExecution(const Trace& trace, const Schedule& base, std::uint32_t number)
    : base_(base),
      number_(number),
      made_(std::max<std::size_t>(trace.choices.size(), 1)),
      trace_(with_pending_steps(trace)),
      units_(modelled_units(trace_, base.model, base.races)),
      turns_(trace_, units_, made_),
      steps_(steps_of(units_, turns_.of_threads().size(), made_)),
      failed_(treadle::failed(trace_)),
      failed_at_a_turn_(treadle::failed_at_a_turn(failed_, units_, turns_)),
      followed_(nothing) {
  const std::size_t made = decisions_made(trace_);
  const auto fails = [&](const Event& e) { return e.kind == TREADLE_EV_FAIL && e.step + 1 == made; };
  if (std::ranges::any_of(trace_.events, fails))
    for (const Unit& unit : units_.all)
      if (unit.ends && unit.thread == trace_.end.thread) failing_choice_ = unit.choice;
  set_marks();
}

UnitId PathExecution::about_to_fail(std::uint32_t thread) const {
  const PendingOperation* pending = pending_of(thread);
  if (pending == nullptr || pending->kind != TREADLE_EV_FAIL || thread == index_of(trace_.end.thread)) return nothing;
  return units_of_steps_[thread].empty() ? nothing : units_of_steps_[thread].back();
}

Path PathExecution::path_before_failure() const {
  Path before = path;
  for (std::uint32_t t = 0; t < before.size(); ++t) before[t].resize(turns_before_failure(t));
  return before;
}

void PathExecution::set_marks() {
  const std::size_t threads = turns_.of_threads().size();
  units_of_steps_.resize(threads), steps_at_.resize(threads), turns_at_.resize(threads);
  for (UnitId u = 0; u < units_.all.size(); ++u) {
    const Unit& unit = units_.all[u];
    if (!unit.left_out && !unit.is_flush && unit.choice < made_) units_of_steps_[index_of(unit.thread)].push_back(u);
  }
  for (std::size_t t = 0; t < threads; ++t) {
    const auto& turns = turns_.of_threads()[t];
    std::uint32_t mark = 0;
    std::size_t turn = 0;
    const auto take_turns_before = [&](UnitId unit) {
      for (; turn < turns.size() && turns[turn].unit < unit; ++turn) turns_at_[t].push_back(mark++);
    };
    for (const UnitId unit : units_of_steps_[t]) {
      take_turns_before(unit);
      steps_at_[t].push_back(mark++);
    }
    take_turns_before(nothing);
    const auto is_before = [&](const Turn& turn) { return units_.all[turn.unit].choice <= failing_choice_; };
    turns_before_failure_.push_back(static_cast<std::uint32_t>(std::ranges::count_if(turns, is_before)));
  }
}

std::uint32_t PathExecution::step_of_mark(std::uint32_t thread, std::uint32_t mark) const {
  const auto behind = std::ranges::upper_bound(steps_at_[thread], mark);  // turns stand behind the step that they belong to
  return static_cast<std::uint32_t>(behind - steps_at_[thread].begin()) - 1;
}

TraceModel::Condition PathExecution::reaching(std::uint32_t thread, std::uint32_t mark) {
  const auto& turns = turns_at_[thread];
  if (const auto turn = std::ranges::lower_bound(turns, mark); turn != turns.end() && *turn == mark)
    return passing(thread, static_cast<std::uint32_t>(turn - turns.begin()));
  const auto step = std::ranges::lower_bound(steps_at_[thread], mark);
  const UnitId unit = units_of_steps_[thread][static_cast<std::size_t>(step - steps_at_[thread].begin())];
  TraceModel::Condition reached;
  reached.unit = unit;
  reached.truth = model().happens(unit);
  return reached;
}

PathExecution::PathExecution(const FollowedIteration& followed, const Schedule& base, std::uint32_t number)
    : PathExecution(followed.trace, base, number) {
  followed_ = followed.thread;
  const auto& turns = turns_.of_threads()[followed_];
  const auto is_before = [&](const Turn& turn) { return units_.all[turn.unit].choice < followed.first; };
  turns_before_iteration_ = static_cast<std::uint32_t>(std::ranges::count_if(turns, is_before));
  const auto all = static_cast<std::uint32_t>(turns.size()) - followed.pins;
  telling_turns_ = all > turns_before_iteration_ ? all - 1 : turns_before_iteration_;
}

TraceModel& PathExecution::model() {
  if (model_) return *model_;
  TraceModelOptions options;
  options.model = base_.model;
  options.races = base_.races;
  options.inputs = Inputs::Free;
  model_ = std::make_unique<TraceModel>(trace_, options, make_acyclic_solver());
  for (const TraceModel::Result& result : model_->other_results()) results_.emplace(result.other.unit, result);
  return *model_;
}

void PathExecution::forget_model() {
  model_.reset();
  results_.clear();
  otherwise_.clear();
  counts_.clear();
  passed_.clear();
}

void PathExecution::forget_trace() {
  forget_model();
  trace_ = Trace{};
  units_ = Units{};
  brought_in_.clear();
  steps_at_.clear(), turns_at_.clear(), units_of_steps_.clear();
}

bool PathExecution::bring_in(PathNode node, const PortableCondition& condition, bool loops_spin) {
  const std::size_t before = trace_.expressions.size();
  auto brought = turns_.brought_into(trace_, condition);
  check(loops_spin || brought.has_value(), "threads that made the same turns have read the same");
  brought_in_.emplace(node, brought.value_or(std::vector<ExpressionId>{}));
  if (trace_.expressions.size() == before) return false;
  forget_model();
  return true;
}

const std::vector<ExpressionId>* PathExecution::brought_in(PathNode node) const {
  const auto known = brought_in_.find(node);
  return known == brought_in_.end() ? nullptr : &known->second;
}

TraceModel::Condition PathExecution::passing(std::uint32_t thread, std::uint32_t which) {
  const auto [known, is_new] = passed_.try_emplace(std::uint64_t{thread} << 32 | which);
  if (!is_new) return known->second;
  const Turn& what = turn(thread, which);
  known->second.unit = what.unit;
  known->second.truth = what.kind == TurnKind::Result ? model().happens(what.unit) : model().passes(what.notes.back());
  return known->second;
}

bool PathExecution::can_be_otherwise(std::uint32_t thread, std::uint32_t which) {
  TraceModel& asked = model();
  const Turn& what = turn(thread, which);
  if (what.kind == TurnKind::Result) return results_.contains(what.unit);
  return what.kind != TurnKind::Assume && std::ranges::any_of(what.notes, [&](std::uint32_t note) { return !asked.holds(note).is_true(); });
}

std::optional<Target> PathExecution::turn_otherwise(std::uint32_t thread, std::uint32_t which, std::vector<Truth>& wanted) {
  TraceModel& asked = model();
  const Turn& what = turn(thread, which);
  if (what.kind == TurnKind::Result) {
    const auto other = results_.find(what.unit);
    if (other == results_.end()) return std::nullopt;
    const auto [known, is_new] = otherwise_.try_emplace(what.unit, false);
    if (is_new) known->second = asked.can_be(other->second);
    wanted.push_back(known->second);
    return Target{what.unit, 0, 0};
  }
  std::vector<Truth> otherwise;
  for (const std::uint32_t note : what.notes) otherwise.push_back(~asked.holds(note));
  if (otherwise.size() == 1) {
    wanted.push_back(otherwise.front());
  } else {
    const Truth any = asked.open();
    otherwise.push_back(~any);
    asked.clause(otherwise);
    wanted.push_back(any);
  }
  return asked.way_to(what.notes.front(), wanted);
}

Truth PathExecution::counts(std::uint32_t thread, std::uint32_t which, std::uint64_t count) {
  TraceModel& asked = model();
  const UnitId unit = turn(thread, which).unit;
  const auto result = results_.find(unit);
  if (result == results_.end()) return false;
  const auto [known, is_new] = counts_.try_emplace({unit, count}, false);
  if (is_new) {
    TraceModel::Result this_one = result->second;
    this_one.other.tag = static_cast<std::uint32_t>(count) + 1;
    known->second = asked.can_be(this_one);
  }
  return known->second;
}

DecisionKind PathExecution::other_decision(std::uint32_t thread, std::uint32_t which) const {
  const auto other = results_.find(turn(thread, which).unit);
  return other == results_.end() ? DecisionKind::Step : other->second.other.decision;
}

UnitId PathExecution::last_unit_of(std::uint32_t thread) const {
  UnitId last = nothing;
  bool own = false;
  for (UnitId u = 0; u < units_.all.size(); ++u) {
    const Unit& unit = units_.all[u];
    if (unit.left_out || unit.is_flush || unit.choice >= made_) continue;
    const bool creates = std::ranges::any_of(
        unit.syncs, [&](std::uint32_t e) { return trace_.events[e].kind == TREADLE_EV_THREAD_CREATE && trace_.events[e].value == thread; });
    const bool is_own = index_of(unit.thread) == thread;
    if (is_own || (creates && !own)) last = u;
    own |= is_own;
  }
  return last;
}

UnitId PathExecution::pending_unit_of(std::uint32_t thread) const {
  for (UnitId u = 0; u < units_.all.size(); ++u)
    if (units_.all[u].choice != nothing && units_.all[u].choice >= made_ && index_of(units_.all[u].thread) == thread) return u;
  return nothing;
}

const PendingOperation* PathExecution::pending_of(std::uint32_t thread) const {
  const auto found = std::ranges::find_if(trace_.pending, [&](const PendingOperation& p) { return index_of(p.thread) == thread; });
  return found == trace_.pending.end() ? nullptr : &*found;
}

bool PathExecution::has_ended(std::uint32_t thread) const {
  if (thread == followed_) return false;
  const PendingOperation* pending = pending_of(thread);
  return pending == nullptr || pending->state == TREADLE_THREAD_FINISHED;
}

std::vector<UnitId> PathExecution::flushes_of(std::uint32_t thread) const {
  std::vector<UnitId> flushes;
  for (UnitId u = 0; u < units_.all.size(); ++u)
    if (units_.all[u].is_flush && !units_.all[u].left_out && index_of(units_.all[u].thread) == thread) flushes.push_back(u);
  return flushes;
}

bool ends_a_path(const Trace& trace) {
  switch (trace.end.ending) {
    case TREADLE_END_ASSUMPTION_FAILED:
    case TREADLE_END_STOPPED:
    case TREADLE_END_DEADLOCK:
    case TREADLE_END_LIVELOCK:
    case TREADLE_END_STEP_LIMIT:
    case TREADLE_END_TIME_LIMIT:
    case TREADLE_END_MEMORY_LIMIT:
      return false;
    default:
      return true;
  }
}

Recording recording_for_paths() {
  Recording recording;
  recording.plain = recording.choices = recording.symbolic = true;
  return recording;
}

std::string covered_by_paths(const Schedule& base, std::uint64_t paths) {
  std::string schedules = covered_schedules(base);
  const std::string fixed = " for these inputs";
  if (const auto at = schedules.find(fixed); at != std::string::npos) schedules.replace(at, fixed.size(), " and all inputs");
  return fmt::format("{}, by {} path{}", schedules, paths, paths == 1 ? "" : "s");
}

}  // namespace treadle

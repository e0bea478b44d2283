// SPDX-License-Identifier: Apache-2.0
// What a question says besides: that what it asks for is the beginning of no path that was executed.
#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "explore/mpc.h"

namespace treadle {
namespace {

constexpr std::size_t most_models = 64;

}  // namespace

/// What is known of it is known of those as well in which the others went on to their ends.
bool Mpc::is_dull(Execution& execution) const {
  const bool can_be_told = !loops_spin_ && !execution.trace().threads.empty();
  if (!execution.is_dull && can_be_told && std::exchange(execution.ends_known, ends_.size()) != ends_.size())
    execution.is_dull = ends_.are_dull(execution);
  return execution.is_dull && !loops_spin_;
}

Mpc::Behind Mpc::behind_end_of(Execution& known) const { return is_dull(known) ? Behind::Nothing : Behind::Matters; }

bool Mpc::is_pointless(const Execution& execution, const Question& question) {
  if (question.done) return true;
  if (execution.goes_on(question)) return !question.fails && is_dull(*executions_[execution.number()]);
  return has_too_many_values_.contains(tree_[execution.path[question.thread][question.turn]].parent);
}

/// Of a value that is used in a way without a model so many are tried, and that there are more is told.
bool Mpc::has_values_enough(const Execution& execution, const Question& question) {
  if (execution.goes_on(question)) return false;
  const PathTree::Node& taken = tree_[execution.path[question.thread][question.turn]];
  if (taken.kind != TurnKind::Pin || tree_[taken.parent].children.size() < options_.most_values) return false;
  has_too_many_values_.insert(taken.parent);
  inquiries_.tell(fmt::format("a value that is used in a way without a model has more than {} values", options_.most_values));
  return true;
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
  execution.common.forget();
  for (Question& question : execution.questions) {
    if (question.walked) continue;  // nothing of it is in the model
    question.heard.clear();
    question.heard_whole = 0;
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
  const auto& ways_on = tree_[tree_[taken].parent].children;
  for (std::size_t way = 0; way < ways_on.size(); ++way) {
    if (ways_on[way] == taken) continue;
    const auto& took_it = tree_[ways_on[way]].executions;
    for (std::size_t known = way < question.heard.size() ? question.heard[way] : 0; known < took_it.size(); ++known)
      for (const PathNode behind : way_to_failure(question, *executions_[took_it[known]]))
        if (execution.brought_in(behind) == nullptr &&
            execution.is_about_reads_before(question.thread, question.turn, tree_[behind].condition) &&
            execution.bring_in(behind, tree_[behind].condition, loops_spin_))
          forget_model(execution);
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
Truth Mpc::passed_before(Execution& execution, Question& question, std::uint32_t thread, std::uint32_t mark) {
  const auto [known, is_new] = question.others.try_emplace(std::uint64_t{thread} << 32 | mark);
  if (!is_new) return known->second.truth;
  TraceModel& model = execution.model();
  const TraceModel::Condition passes = execution.reaching(thread, mark);
  known->second.unit = passes.unit;
  if (passes.truth.is_false() || execution.goes_on(question)) return known->second.truth = passes.truth;
  known->second.truth = model.open();
  model.clause({~known->second.truth, passes.truth});
  model.clause({~known->second.truth, model.before(passes.unit, execution.turn(question.thread, question.turn).unit)});
  return known->second.truth;
}

/// Who passes a mark has passed those before it.
bool Mpc::Question::implies(const Row& common) const {
  return std::ranges::any_of(said, [&](const Row& known) {
    for (std::size_t t = 0; t < common.size(); ++t)
      if (common[t] > known[t]) return false;
    return true;
  });
}

/// Another execution, which made the same turns, has made the step that is asked for, or will be asked for it.
bool Mpc::knows_how_it_goes_on(const Execution& execution, const Question& question, const Execution& known) const {
  const std::uint32_t turns = known.turns_of(question.thread);
  const std::uint32_t steps = known.steps()[question.thread], own = execution.steps()[question.thread];
  const bool knows_more = turns > question.turn || steps > own;
  const bool knows_as_much = turns == question.turn && steps == own;
  return knows_more || (knows_as_much && known.number() < execution.number());
}

/// Where the way of a thread ends for others.
std::uint32_t Mpc::end_of(const Execution& execution, std::uint32_t thread) {
  const std::uint32_t turns = execution.telling_turns_of(thread);
  return turns < execution.turns_of(thread) ? execution.mark_of_turn(thread, turns) : execution.marks_of(thread);
}

/// How far the thread went in the other execution, too: to a turn that it made otherwise; or to where it was when that one ended, which
/// need not be at a turn.
std::uint32_t Mpc::common_marks(const Execution& execution, const Execution& known, std::uint32_t thread) {
  const auto common = static_cast<std::uint32_t>(common_turns(execution.path[thread], known.path[thread]));
  const std::uint32_t telling = std::min(common, known.telling_turns_of(thread));
  std::uint32_t mark = end_of(execution, thread);
  if (telling < execution.turns_of(thread)) mark = std::min(mark, execution.mark_of_turn(thread, telling));
  const std::uint32_t steps = known.steps()[thread];
  if (common == known.turns_of(thread) && steps < execution.steps()[thread]) mark = std::min(mark, execution.mark_of_step(thread, steps));
  return mark;
}

CommonWays::RowNumber Mpc::in_common(Execution& execution, std::uint32_t other) const {
  return execution.common.with(other, [&] {
    const Execution& known = *executions_[other];
    static thread_local Row row;
    row.assign(execution.path.size(), 0);
    for (std::uint32_t t = 0; t < row.size() && t < known.path.size(); ++t)
      row[t] = execution.common.with_way(t, known.ways[t], [&] { return common_marks(execution, known, t); });
    return std::cref(row);
  });
}

/// How far the others' ways are common with that execution. Nobody goes on behind the first of the turns in the step that failed.
Mpc::Row Mpc::where_they_part(Execution& execution, const Question& question, std::uint32_t other) const {
  Row row = execution.common[in_common(execution, other)];
  row[question.thread] = end_of(execution, question.thread);
  const std::uint32_t failed = execution.failed_at_a_turn();
  const bool others_go_on = execution.goes_on(question) && failed != nothing && failed != question.thread && execution.steps()[failed] > 0;
  if (others_go_on && row[failed] > execution.mark_of_step(failed, execution.steps()[failed] - 1)) row[failed] = end_of(execution, failed);
  return row;
}

/// Who fails where that one failed, which turned otherwise here, does the same, however far the others have come since. So does whoever
/// fails when what the others do does not matter (is_dull).
Mpc::Row Mpc::where_they_part(Execution& execution, const Question& question, std::uint32_t other, Behind behind) const {
  Row row = where_they_part(execution, question, other);
  if (behind == Behind::Matters) return row;
  const Execution& known = *executions_[other];
  for (std::uint32_t t = 0; t < row.size(); ++t) {
    if (t < known.path.size()) {
      const std::size_t turns = behind == Behind::Failure ? known.turns_before_failure(t) : known.path[t].size();
      if (common_turns(execution.path[t], known.path[t]) < turns) continue;
    }
    row[t] = end_of(execution, t);
  }
  return row;
}

/// The same steps of the thread were its last ones there.
bool Mpc::has_failed_as(const Execution& execution, const Question& question, const Execution& known) {
  const std::uint32_t t = question.thread;
  return known.failed() == t && known.path[t] == execution.path[t] && known.steps()[t] == execution.steps()[t];
}

bool Mpc::fails_at(const Question& question, const Execution& known) {
  return known.failed_at_a_turn() == question.thread && known.turns_of(question.thread) == question.turn + 1;
}

/// Of an execution that failed in the very step in which it turned otherwise here: its turns from there to the failure.
Way Mpc::way_to_failure(const Question& question, const Execution& known) {
  const std::uint32_t turns = known.turns_of(question.thread);
  if (known.failed_at_a_turn() != question.thread || turns <= question.turn + 1) return {};
  for (std::uint32_t k = question.turn; k < turns; ++k)
    if (known.turn(question.thread, k).notes.empty() || known.turn(question.thread, k).unit != known.turn(question.thread, turns - 1).unit)
      return {};
  const Way& way = known.path[question.thread];
  return Way(way.begin() + question.turn + 1, way.end());
}

/// Whoever turns as that one did fails as it did, however far the others have come, if its conditions hold here, too.
void Mpc::exclude_failure(Execution& execution, Question& question, std::uint32_t other, const std::vector<ExpressionId>* conditions,
                          std::optional<std::uint64_t> count) {
  const Way behind = way_to_failure(question, *executions_[other]);
  if (behind.empty()) return;
  std::vector<ExpressionId> all = conditions == nullptr ? std::vector<ExpressionId>{} : *conditions;
  for (const PathNode node : behind) {
    const auto* brought = execution.brought_in(node);
    if (brought == nullptr) return;
    all.insert(all.end(), brought->begin(), brought->end());
  }
  say(execution, question, where_they_part(execution, question, other, Behind::Failure), all, count);
}

/// What the walk was told is told to the model, too. False: everything is known already.
bool Mpc::ask_solver_instead(Execution& execution, Question& question) {
  question.walked = false;
  question.heard.clear();
  question.heard_whole = 0;
  return exclude_known(execution, question);
}

/// One of the others has gone further than that, or these conditions do not hold, or something else is counted there.
void Mpc::say(Execution& execution, Question& question, const Row& common, const std::vector<ExpressionId>& conditions,
              std::optional<std::uint64_t> count) {
  if (question.walked) {
    std::vector<std::uint32_t> steps(common.size(), nothing);
    for (std::uint32_t t = 0; t < common.size(); ++t)
      if (common[t] < end_of(execution, t)) steps[t] = execution.step_of_mark(t, common[t]) + 1;
    question.walked = execution.walk->exclude(question.thread, question.turn, steps, conditions);
    return;
  }
  TraceModel& model = model_of(execution);
  std::vector<Truth> clause;
  for (const ExpressionId condition : conditions) clause.push_back(~model.condition(condition));
  if (count) clause.push_back(~execution.counts(question.thread, question.turn, *count));
  for (std::uint32_t t = 0; t < common.size(); ++t)
    if (common[t] < end_of(execution, t)) clause.push_back(passed_before(execution, question, t, common[t]));
  if (!question.when) question.when = model.open();
  clause.push_back(~*question.when);
  model.clause(clause);
}

/// In how many of the others' ways they part.
std::size_t Mpc::parts_of(const Execution& execution, const Row& common) {
  std::size_t parts = 0;
  for (std::uint32_t t = 0; t < common.size(); ++t) parts += common[t] < end_of(execution, t) ? 1 : 0;
  return parts;
}

void Mpc::say_known(Execution& execution, Question& question, std::vector<Known> known) {
  std::ranges::sort(known, {}, &Known::first);  // the shorter it is the more it says
  for (auto& [parts, row] : known) {
    if (question.implies(row)) continue;
    say(execution, question, row, {});
    question.said.push_back(std::move(row));
  }
}

/// The same of all those that nobody failed in and that took this way on. False: everything is known already.
bool Mpc::exclude_whole(Execution& execution, Question& question, PathNode way, bool is_own, std::vector<Known>& known) {
  Row ends;
  for (std::uint32_t t = 0; t < execution.path.size(); ++t) ends.push_back(end_of(execution, t));
  const auto mark = [&](std::uint32_t thread, std::uint32_t its_way) {
    return execution.common.with_way(thread, its_way, [&] { return common_marks(execution, *executions_[went_[its_way]], thread); });
  };
  const auto passes = [&](std::uint32_t its_way) {
    const Way& other = executions_[went_[its_way]]->path[question.thread];
    return other.size() > question.turn && other[question.turn] == way;
  };
  const std::uint32_t before = is_own ? execution.number() : nothing;
  KnownWays::Search<decltype(mark), decltype(passes)> search{question.heard_whole, before, question.thread, ends,
                                                             question.said,        mark,   passes};
  if (!whole_.find(search)) return false;
  for (Row& row : search.found) known.emplace_back(parts_of(execution, row), std::move(row));
  return true;
}

/// What the question asks for is the beginning of no path that was executed. An execution that came before this one, and could be asked the
/// same of the same beginning, is asked instead. False: everything is known already.
bool Mpc::exclude_known(Execution& execution, Question& question) {
  bring_in_alternatives(execution, question);
  const PathNode before = question.turn == 0 ? tree_.root(question.thread) : execution.path[question.thread][question.turn - 1];
  std::vector<Known> known;
  std::vector<char> is_told;  // by row of what is common: once is enough
  const auto leaves_something = [&](std::uint32_t other, Behind behind) {
    const CommonWays::RowNumber row = in_common(execution, other);
    if (is_told.size() <= row) is_told.resize(execution.common.size());
    if (behind == Behind::Matters && std::exchange(is_told[row], char{1}) != 0) return true;
    Row common = where_they_part(execution, question, other, behind);
    const std::size_t parts = parts_of(execution, common);
    if (parts > 0) known.emplace_back(parts, std::move(common));
    return parts > 0;
  };
  if (execution.goes_on(question)) {
    const auto& came_by = tree_[before].executions;
    question.heard.resize(1);
    const auto is_known = [&](const Execution& other) {
      return question.fails ? has_failed_as(execution, question, other) : knows_how_it_goes_on(execution, question, other);
    };
    for (std::uint32_t& heard = question.heard.front(); heard < came_by.size(); ++heard) {
      const std::uint32_t other = came_by[heard];
      if (other == execution.number() || !is_known(*executions_[other])) continue;
      if (!leaves_something(other, question.fails ? Behind::Failure : behind_end_of(*executions_[other]))) return false;
    }
    say_known(execution, question, std::move(known));
    return true;
  }
  const auto& ways_on = tree_[before].children;
  question.heard.resize(ways_on.size());
  for (std::size_t way = 0; way < ways_on.size(); ++way) {
    const bool is_own = ways_on[way] == execution.path[question.thread][question.turn];
    const auto* conditions = is_own ? nullptr : execution.brought_in(ways_on[way]);
    const auto& took_it = tree_[ways_on[way]].executions;
    const auto count = is_own ? std::nullopt : tree_[ways_on[way]].count;
    const bool is_one_of_many = count || (conditions != nullptr && !conditions->empty());  // there may be further ways on
    const bool together = !loops_spin_ && !is_one_of_many;
    for (std::uint32_t& heard = question.heard[way]; heard < took_it.size(); ++heard) {
      const std::uint32_t other = took_it[heard];
      if (together && is_whole(*executions_[other])) continue;
      const bool is_earlier = other < execution.number();
      if (loops_spin_) {
        const auto pins = goes_round_with(execution, question, *executions_[other]);
        if (pins && exclude_going_round(execution, question, *pins)) continue;
      }
      if (is_own && !is_earlier) continue;  // itself, or one that will ask the same
      const Behind end = behind_end_of(*executions_[other]);
      const Behind behind = !is_own && fails_at(question, *executions_[other]) ? Behind::Failure : end;
      if (!is_own) exclude_failure(execution, question, other, conditions, count);
      if (is_one_of_many && (behind != Behind::Matters || !is_earlier))
        say(execution, question, where_they_part(execution, question, other, behind),
            conditions == nullptr ? std::vector<ExpressionId>{} : *conditions, count);
      if (is_one_of_many && !is_earlier) continue;
      if (!leaves_something(other, is_one_of_many || conditions != nullptr ? end : behind)) return false;
    }
    if (together && !exclude_whole(execution, question, ways_on[way], is_own, known)) return false;
  }
  question.heard_whole = static_cast<std::uint32_t>(executions_.size());
  say_known(execution, question, std::move(known));
  return true;
}

}  // namespace treadle

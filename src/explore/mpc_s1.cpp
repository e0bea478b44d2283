// SPDX-License-Identifier: Apache-2.0
#include "explore/mpc_s1.h"

#include <algorithm>

#include "base/check.h"
#include "base/clock.h"

namespace treadle {
namespace {

constexpr double patience = 0.2;  // seconds until the search gets a word in

}  // namespace

MpcS1::MpcS1(Schedule base, double seconds_per_question) : base_(std::move(base)), seconds_(seconds_per_question) {
  base_.prefix.clear();
  base_.policy = Policy::Continue;
  open_.push_back({{}, base_.inputs, {}});
}

std::optional<Item> MpcS1::next() {
  thinking_ = false;
  const double begin = seconds_now();
  while (open_.empty() && !splitting_.empty()) {
    Splitting& splitting = splitting_.front();
    if (!ask(splitting)) splitting_.pop_front();
    if (open_.empty() && seconds_now() - begin > patience) return thinking_ = true, std::nullopt;
  }
  if (open_.empty()) return std::nullopt;
  Item item{base_, next_ticket_++};
  item.schedule.prefix = open_.front().prefix;
  item.schedule.inputs = open_.front().inputs;
  out_.emplace(item.ticket, std::move(open_.front()));
  open_.pop_front();
  return item;
}

void MpcS1::learn_from(Ticket ticket, const Trace& trace) {
  const auto returned = out_.extract(ticket);
  check(!returned.empty(), "a strategy learns only from what it asked for");
  if (trace.threads.size() > base_.threads.size()) base_.threads = trace.threads;
  if (trace.end.ending == TREADLE_END_DIVERGED) {
    inquiries_.tell("an order that should have been possible was not");
    return;
  }
  auto execution = std::make_unique<PathExecution>(trace, base_, executions_++);
  execution->path = tree_.add(execution->turns(), execution->number());
  if (!paths_.insert(execution->path).second) {
    ++counts_.redundant;
    return;
  }
  branches_.add(execution->turns(), ends_a_path(trace));
  split(returned.mapped(), std::move(execution));
}

void MpcS1::split(const Work& work, std::unique_ptr<PathExecution> execution) {
  Splitting splitting;
  for (std::uint32_t t = 0; t < execution->path.size(); ++t) {
    const std::uint32_t turns = execution->turns_of(t);
    std::vector<std::uint32_t> choices{turns};
    for (std::uint32_t k = t < work.turns.size() ? work.turns[t] : 0; k < turns; ++k)
      if (execution->can_be_otherwise(t, k)) choices.push_back(k);
    splitting.choices.push_back(std::move(choices));
  }
  splitting.at.assign(splitting.choices.size(), 0);
  splitting.execution = std::move(execution);
  if (advance(splitting)) splitting_.push_back(std::move(splitting));
}

/// The first combination, everybody as he went, is the execution itself.
bool MpcS1::advance(Splitting& splitting) const {
  for (std::size_t t = 0; t < splitting.at.size(); ++t) {
    if (++splitting.at[t] < splitting.choices[t].size()) return true;
    splitting.at[t] = 0;
  }
  return false;
}

/// True: it was asked, and there is another one.
bool MpcS1::ask(Splitting& splitting) {
  PathExecution& execution = *splitting.execution;
  Work work;
  Reply reply = inquiries_.ask(execution, [&] { return solve(splitting, work); });
  if (reply.answer == Answer::Unknown) inquiries_.give_up();
  if (reply.answer == Answer::Yes) {
    work.prefix = std::move(reply.decisions);
    work.inputs = std::move(reply.inputs);
    open_.push_back(std::move(work));
  }
  return advance(splitting);
}

Reply MpcS1::solve(Splitting& splitting, Work& work) const {
  PathExecution& execution = *splitting.execution;
  TraceModel& model = execution.model();
  model.set_limit({seconds_});
  std::vector<Truth> wanted;
  std::vector<Target> ends;
  PathExecution::Others others;
  bool possible = true;
  for (std::uint32_t t = 0; t < splitting.at.size() && possible; ++t) {
    const std::uint32_t turn = splitting.choices[t][splitting.at[t]];
    const bool otherwise = turn < execution.turns_of(t);
    work.turns.push_back(otherwise ? turn + 1 : turn);
    if (!otherwise) continue;
    const auto target = execution.turn_otherwise(t, turn, wanted);
    possible = target.has_value();
    if (possible) ends.push_back(*target);
  }
  // The others go their ways to the end, before those turn.
  for (std::uint32_t t = 0; t < splitting.at.size() && possible; ++t) {
    if (splitting.at[t] != 0) continue;
    std::uint32_t turns = execution.turns_of(t);
    while (turns > 0 && execution.turn(t, turns - 1).kind == TurnKind::Pin && !execution.can_be_otherwise(t, turns - 1)) --turns;
    if (turns == 0) continue;
    const TraceModel::Condition passes = execution.passing(t, turns - 1);
    wanted.push_back(passes.truth);
    others.push_back(passes);
    for (const Target& end : ends) wanted.push_back(model.before(passes.unit, end.unit));
  }
  return possible ? model.ask(wanted, ends, {}, others) : Reply{};
}

Counts MpcS1::counts() const {
  Counts out = counts_;
  out.paths = branches_.paths();
  return out;
}

std::string MpcS1::covers() const { return covered_by_paths(base_, branches_.paths()); }

std::string MpcS1::gaps() const {
  const std::string more = inquiries_.gaps().text();
  return "not the paths that this strategy is known to miss (mpc misses none)" + (more.empty() ? "" : ", " + more);
}

}  // namespace treadle

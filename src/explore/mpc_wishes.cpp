// SPDX-License-Identifier: Apache-2.0
// What a question asks the solver for: that a thread turns otherwise, goes on, or fails as it would have.
#include <algorithm>

#include "explore/mpc.h"
#include "explore/pending_steps.h"
#include "trace/marked_decisions.h"

namespace treadle {
namespace {

/// As far as is known beforehand: a seq_cst store does, a relaxed one does not.
bool may_wait_for_own_stores(EventKind kind) {
  return kind != TREADLE_EV_READ && kind != TREADLE_EV_ATOMIC_READ && kind != TREADLE_EV_WRITE && kind != TREADLE_EV_SPIN;
}

bool waits_for_nothing(EventKind kind) { return kind == TREADLE_EV_THREAD_START || !may_wait_for_own_stores(kind); }

/// Those that did are steps of the trace; where somebody did not, the others wait in every order of them. How many a barrier waits for is
/// not known when it was made before the trace began: then nothing can be said.
bool everybody_arrived(const Trace& trace, const PendingOperation& waiter) {
  std::uint64_t parties = 0, round = 0;
  for (const Event& event : trace.events) {
    if (event.address != waiter.address) continue;
    if (event.kind == TREADLE_EV_BARRIER_INIT) parties = event.value;
    if (event.kind == TREADLE_EV_BARRIER_ARRIVE && event.thread == index_of(waiter.thread)) round = event.extra;
  }
  const auto arrives = [&](const Event& e) {
    return e.kind == TREADLE_EV_BARRIER_ARRIVE && e.address == waiter.address && e.extra == round;
  };
  return static_cast<std::uint64_t>(std::ranges::count_if(trace.events, arrives)) >= parties;
}

}  // namespace

Reply Mpc::solve(Execution& execution, const Question& question) const {
  PathExecution::Others others;
  for (const auto& [where, condition] : question.others) others.push_back(condition);
  std::vector<Truth> wanted;
  if (question.when) wanted.push_back(*question.when);
  if (question.fails) return fail_as_it_would(execution, question, std::move(wanted), others);
  return execution.goes_on(question) ? go_on(execution, question, std::move(wanted), others)
                                     : turn_otherwise(execution, question, std::move(wanted), others);
}

Reply Mpc::turn_otherwise(Execution& execution, const Question& question, std::vector<Truth> wanted,
                          const PathExecution::Others& others) const {
  TraceModel& model = execution.model();
  const auto target = execution.turn_otherwise(question.thread, question.turn, wanted);
  if (!target) return {};
  const std::span ends(&*target, 1);
  if (question.seconds > seconds_at_first) {
    const Truth hard = model.open();
    wanted.push_back(hard);
    model.bound_without_rest_of(target->unit, hard);
  }
  model.set_limit({question.seconds});
  Reply reply = model.ask(wanted, ends, {}, others);
  if (reply.answer == Answer::Yes && execution.turn(question.thread, question.turn).kind == TurnKind::Result)
    reply.decisions.back().kind = execution.other_decision(question.thread, question.turn);
  return reply;
}

/// Where it could have moved instead of the step that ended the execution: all others have come as far as they did. None: it could not, or
/// that is known.
std::optional<Reply> Mpc::go_on_as_it_stood(const Execution& execution, const Question& question) const {
  const Trace& trace = execution.trace();
  const std::size_t made = decisions_made(trace);
  if (made == 0 || nobody_ended_it(trace.end.ending) || execution.followed() != nothing || execution.let_others_go_first())
    return std::nullopt;
  const Choice& last = trace.choices[made - 1];
  const auto own = std::span(trace.alternatives).subspan(last.first_alternative, last.alternatives);
  const auto moves = [&](const Decision& d) { return index_of(d.thread) == question.thread && d.kind != DecisionKind::Flush; };
  if (std::ranges::none_of(own, moves)) return std::nullopt;
  const std::uint32_t ended = index_of(last.taken.thread);
  const auto is_passed = [&](std::uint32_t t, std::uint32_t mark) {
    return mark < end_of(execution, t) && (t != ended || execution.step_of_mark(t, mark) + 1 < execution.steps()[t]);
  };
  for (const Row& common : question.said) {
    bool further = false;
    for (std::uint32_t t = 0; t < common.size(); ++t) further |= t != question.thread && is_passed(t, common[t]);
    if (!further) return std::nullopt;
  }
  Reply reply;
  reply.answer = Answer::Yes;
  for (UnitId u = 0; u < execution.units().all.size(); ++u)
    if (execution.units().all[u].choice < made - 1) reply.units.push_back(u);
  for (std::size_t c = 0; c + 1 < made; ++c) reply.decisions.push_back(trace.choices[c].taken);
  reply.decisions.push_back({DecisionKind::Any, ThreadId{static_cast<std::uint8_t>(question.thread)}, 0});
  reply.inputs = given_in(trace);
  return reply;
}

/// It makes its last step as it did, and the one that failed has not made his.
Reply Mpc::fail_as_it_would(Execution& execution, const Question& question, std::vector<Truth> wanted,
                            const PathExecution::Others& others) const {
  TraceModel& model = execution.model();
  model.set_limit({question.seconds});
  const UnitId unit = execution.about_to_fail(question.thread);
  const Turn* last = question.turn == 0 ? nullptr : &execution.turn(question.thread, question.turn - 1);
  Target target{unit, static_cast<std::uint32_t>(execution.units().all[unit].reads.size())};
  if (last != nullptr && last->unit == unit && !last->notes.empty()) {
    const auto way = model.way_to(last->notes.back(), wanted);
    if (!way) return {};
    target = *way;
    for (const std::uint32_t note : last->notes) wanted.push_back(model.holds(note));
  } else {
    model.add_as_recorded(unit, wanted);
  }
  return model.ask(wanted, std::span(&target, 1), {}, others);
}

/// The thread was stopped by what another one did: can it make one step more before that?
Reply Mpc::go_on(Execution& execution, const Question& question, std::vector<Truth> wanted, const PathExecution::Others& others) const {
  // Nobody knows what it does next: all others may still turn as they have not yet. Several of whom nobody has seen anything are let go
  // together, as it stood: one after another they would take an execution each.
  const auto is_fresh = [&](const PendingOperation& p) { return p.state != TREADLE_THREAD_FINISHED && p.kind == TREADLE_EV_THREAD_START; };
  const bool is_unseen = question.said.empty() && waits_for_nothing(execution.pending_of(question.thread)->kind);
  if (!is_unseen || std::ranges::count_if(execution.trace().pending, is_fresh) > 1)
    if (auto reply = go_on_as_it_stood(execution, question)) return std::move(*reply);
  TraceModel& model = execution.model();
  model.set_limit({question.seconds});
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
  if (pending->kind == TREADLE_EV_BARRIER_LEAVE && !everybody_arrived(execution.trace(), *pending)) return {};
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

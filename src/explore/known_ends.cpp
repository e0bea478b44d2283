// SPDX-License-Identifier: Apache-2.0
#include "explore/known_ends.h"

#include <algorithm>
#include <array>
#include <set>

#include "explore/pending_steps.h"
#include "trace/happens_before.h"

namespace treadle {
namespace {

EventKind kind_of(const Event& event) { return static_cast<EventKind>(event.kind); }
bool accesses_memory(const Event& event) { return reads_memory(kind_of(event)) || writes_memory(kind_of(event)); }

bool is_atomic(const Event& event) {
  switch (event.kind) {
    case TREADLE_EV_READ:
    case TREADLE_EV_WRITE:
    case TREADLE_EV_RANGE_READ:
    case TREADLE_EV_RANGE_WRITE:
      return false;
    default:
      return true;
  }
}

/// Nobody waits for it or finds something changed by it, but for memory.
bool is_quiet(const Event& event) {
  switch (event.kind) {
    case TREADLE_EV_READ:
    case TREADLE_EV_WRITE:
    case TREADLE_EV_ATOMIC_READ:
    case TREADLE_EV_ATOMIC_WRITE:
    case TREADLE_EV_FLUSH:
    case TREADLE_EV_THREAD_START:
    case TREADLE_EV_THREAD_EXIT:
    case TREADLE_EV_INPUT:
    case TREADLE_EV_OBSERVE:
      return true;
    case TREADLE_EV_THREAD_JOIN:
      return event.extra == 0;
    default:
      return false;
  }
}

/// `other` could read what `access` writes, or they race.
bool is_noticed(const Event& access, const Event& other) {
  if (access.thread == other.thread || !accesses_memory(other) || !overlap(access, other)) return false;
  const bool writes = writes_memory(kind_of(access));
  if (is_atomic(access) && is_atomic(other)) return writes && reads_memory(kind_of(other));
  return writes || writes_memory(kind_of(other));
}

bool changes(const Event& write, const Event& read) {
  return write.thread != read.thread && writes_memory(kind_of(write)) && overlap(write, read);
}

bool is_a_choice(const Turn& turn) { return turn.kind != TurnKind::Pin && turn.kind != TurnKind::Assume; }

bool somebody_failed(Ending ending) {
  switch (ending) {
    case TREADLE_END_COMPLETED:
    case TREADLE_END_DEADLOCK:
    case TREADLE_END_LIVELOCK:
    case TREADLE_END_STOPPED:
    case TREADLE_END_DIVERGED:
    case TREADLE_END_STEP_LIMIT:
    case TREADLE_END_TIME_LIMIT:
    case TREADLE_END_MEMORY_LIMIT:
      return false;
    default:
      return true;
  }
}

/// What a pinned value is computed from. False: from inputs, too.
bool find_reads(const Trace& trace, const Turn& pin, std::vector<Event>& reads) {
  std::set<ExpressionId> seen;
  std::vector<ExpressionId> open;
  for (const std::uint32_t note : pin.notes) open.push_back(trace.notes[note].expression);
  while (!open.empty()) {
    const ExpressionId id = open.back();
    open.pop_back();
    if (!seen.insert(id).second) continue;
    const Expression& e = trace.expressions[id];
    if (e.op == TREADLE_OP_INPUT || (e.op == TREADLE_OP_READ && e.a >= trace.events.size())) return false;
    if (e.op == TREADLE_OP_READ) reads.push_back(trace.events[e.a]);
    const std::array operands{e.a, e.b, e.c};
    for (unsigned i = 0; i < operands_of(static_cast<ExpressionOp>(e.op)); ++i) open.push_back(operands[i]);
  }
  return true;
}

/// Only its own thread writes there, and nothing that depends on what was read.
bool is_always_the_same(const Trace& trace, const Event& read) {
  if (std::ranges::any_of(trace.events, [&](const Event& e) { return changes(e, read); })) return false;
  return std::ranges::none_of(trace.notes, [&](const Note& note) {
    return note.kind == TREADLE_NOTE_WRITE && note.expression != 0 && note.event < trace.events.size() &&
           overlap(trace.events[note.event], read);
  });
}

}  // namespace

void KnownEnds::learn(const PathExecution& execution) {
  const Trace& trace = execution.trace();
  if (execution.followed() != nothing || execution.units().unmodelled) return;
  for (std::uint32_t t = 0; t < execution.path.size(); ++t) {
    const bool ended_it = t == index_of(trace.end.thread);
    if (!execution.has_ended(t) || execution.steps()[t] == 0 || (ended_it && trace.end.ending != TREADLE_END_COMPLETED)) continue;
    const auto& turns = execution.turns().of_threads()[t];
    auto choices = static_cast<std::uint32_t>(turns.size());
    while (choices > 0 && !is_a_choice(turns[choices - 1])) --choices;
    std::shared_ptr<const End> end;
    for (std::uint32_t k = choices; k <= turns.size(); ++k) {
      const auto [known, is_new] = ends_.try_emplace({t, k == 0 ? PathNode{nothing} : execution.path[t][k - 1]});
      if (is_new && !end) end = end_of(execution, t, choices);
      if (is_new) known->second = end;
    }
  }
}

std::shared_ptr<const KnownEnds::End> KnownEnds::end_of(const PathExecution& execution, std::uint32_t thread, std::uint32_t turns) {
  const Trace& trace = execution.trace();
  const auto& ways = execution.units_of_steps()[thread];
  auto end = std::make_shared<End>();
  for (std::uint32_t k = turns; k < execution.turns_of(thread); ++k) {
    if (execution.turn(thread, k).kind != TurnKind::Pin) continue;
    Pin& pin = end->pins.emplace_back();
    pin.turn = k;
    pin.is_dull = find_reads(trace, execution.turn(thread, k), pin.reads) &&
                  std::ranges::all_of(pin.reads, [&](const Event& read) { return is_always_the_same(trace, read); });
  }
  end->first =
      turns == 0 ? 0 : static_cast<std::uint32_t>(std::ranges::upper_bound(ways, execution.turn(thread, turns - 1).unit) - ways.begin());
  end->steps.resize(ways.size() - end->first);
  for (std::uint32_t e = 0; e < trace.events.size(); ++e) {
    const auto unit = std::ranges::lower_bound(ways, execution.units().unit_of[e]);
    if (unit == ways.end() || *unit != execution.units().unit_of[e] || unit - ways.begin() < end->first) continue;
    Step& step = end->steps[static_cast<std::size_t>(unit - ways.begin()) - end->first];
    const Event& event = trace.events[e];
    step.is_dull &= is_quiet(event);
    if (accesses_memory(event)) step.accesses.push_back(event);
    if (event.kind == TREADLE_EV_THREAD_JOIN) step.joins = static_cast<std::uint32_t>(event.value);
  }
  return end;
}

bool KnownEnds::are_dull(const PathExecution& execution) const {
  const Trace& trace = execution.trace();
  if (!somebody_failed(trace.end.ending) || execution.followed() != nothing || execution.units().unmodelled) return false;
  const std::uint32_t failed = index_of(trace.end.thread);
  std::vector<Event> accesses, pinned;
  for (const PendingOperation& pending : trace.pending) {
    const std::uint32_t t = index_of(pending.thread);
    if (!may_go_on(trace, pending) || t == failed) continue;
    if (t >= execution.path.size()) return false;
    const auto known = ends_.find({t, execution.path[t].empty() ? PathNode{nothing} : execution.path[t].back()});
    if (known == ends_.end() || execution.steps()[t] < known->second->first) return false;
    const End& end = *known->second;
    for (std::size_t i = execution.steps()[t] - end.first; i < end.steps.size() && end.steps[i].joins != failed; ++i) {
      if (!end.steps[i].is_dull) return false;
      accesses.insert(accesses.end(), end.steps[i].accesses.begin(), end.steps[i].accesses.end());
    }
    for (const Pin& pin : end.pins) {
      if (pin.turn < execution.turns_of(t)) continue;
      if (!pin.is_dull) return false;
      pinned.insert(pinned.end(), pin.reads.begin(), pin.reads.end());
    }
  }
  const auto is_fine = [&](const Event& other) {
    return std::ranges::none_of(accesses, [&](const Event& access) { return is_noticed(access, other); }) &&
           std::ranges::none_of(pinned, [&](const Event& read) { return changes(other, read); });
  };
  return std::ranges::all_of(trace.events, is_fine) && std::ranges::all_of(accesses, is_fine);
}

}  // namespace treadle

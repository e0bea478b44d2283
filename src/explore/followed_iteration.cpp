// SPDX-License-Identifier: Apache-2.0
#include "explore/followed_iteration.h"

#include <algorithm>

#include "solve/units.h"
#include "trace/marked_decisions.h"
#include "trace/spin_iterations.h"

namespace treadle {
namespace {

ExpressionId add(Trace& trace, const Expression& expression) {
  trace.expressions.push_back(expression);
  return static_cast<ExpressionId>(trace.expressions.size() - 1);
}

/// What was read, as it was.
ExpressionId as_it_was(Trace& trace, ExpressionId read) {
  const Expression e = trace.expressions[read];
  const ExpressionId value = add(trace, {TREADLE_OP_CONSTANT, e.bits, 0, 0, e.b, e.c});
  return add(trace, {TREADLE_OP_EQ, 1, 0, read, value, 0});
}

/// The iteration, and those of loops around it that the thread had begun, are no longer told from others.
void stop_behind(const FruitlessIteration& iteration, Trace& trace) {
  for (Event& event : trace.events) {
    const auto one = iteration_ended_by(trace, event);
    if (!one || one->thread != iteration.thread || one->first > iteration.first || one->last < iteration.last) continue;
    event.kind = TREADLE_EV_ITERATION;
    event.address = event.value = 0;
  }
  std::erase_if(trace.pending, [&](const PendingOperation& pending) { return index_of(pending.thread) == iteration.thread; });
  std::uint64_t steps = 0;
  for (std::uint32_t c = iteration.first; c < trace.choices.size(); ++c)
    if (made_by(trace, c, iteration.thread) && steps++ >= iteration.steps) set_mark(trace.choices[c], Mark::PutAside);
}

std::uint64_t where_it_goes_round(const Trace& trace, const FruitlessIteration& iteration) {
  for (const Event& event : trace.events)
    if (event.kind == TREADLE_EV_SPIN && event.thread == iteration.thread && event.step == iteration.last) return event.pc;
  for (const PendingOperation& pending : trace.pending)
    if (index_of(pending.thread) == iteration.thread) return pending.pc;
  return 0;
}

}  // namespace

FollowedIteration followed_along(const Trace& trace, std::uint32_t which, MemoryModel model, Races races) {
  const FruitlessIteration iteration = all_fruitless_iterations(trace)[which - 1];
  FollowedIteration out{trace, iteration.thread, iteration.first, 0, 0, where_it_goes_round(trace, iteration)};
  stop_behind(iteration, out.trace);
  const Units units = units_of(out.trace, model, races);
  const auto is_in_it = [&](std::uint32_t event) {
    const UnitId unit = units.unit_of[event];
    return trace.events[event].thread == iteration.thread && unit != nothing && !units.all[unit].left_out && !units.all[unit].is_flush &&
           units.all[unit].choice >= iteration.first && units.all[unit].choice < trace.choices.size();
  };
  std::uint32_t behind = 0;
  for (std::uint32_t e = 0; e < trace.events.size(); ++e)
    if (is_in_it(e)) behind = e + 1;
  std::vector<Note> pins;
  for (ExpressionId id = 1; id < trace.expressions.size(); ++id)
    if (const Expression& e = trace.expressions[id]; e.op == TREADLE_OP_READ && e.a < trace.events.size() && is_in_it(e.a))
      pins.push_back({TREADLE_NOTE_PIN, static_cast<std::uint8_t>(iteration.thread), TREADLE_PIN_OTHER, 0, behind, as_it_was(out.trace, id),
                      0, trace.events[e.a].pc});
  auto& notes = out.trace.notes;
  const auto place = std::ranges::find_if(notes, [&](const Note& note) { return note.kind != TREADLE_NOTE_WRITE && note.event > behind; });
  notes.insert(place, pins.begin(), pins.end());
  out.behind = behind;
  out.pins = static_cast<std::uint32_t>(pins.size());
  return out;
}

}  // namespace treadle

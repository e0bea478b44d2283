// SPDX-License-Identifier: Apache-2.0
#include "trace/spin_iterations.h"

namespace treadle {

bool made_by(const Trace& trace, std::uint32_t choice, unsigned thread) {
  const Decision& d = trace.choices[choice].taken;
  return index_of(d.thread) == thread && d.kind != DecisionKind::Flush;
}

std::optional<FruitlessIteration> iteration_ended_by(const Trace& trace, const Event& event, std::uint32_t earliest) {
  if (event.kind != TREADLE_EV_SPIN || event.value == 0 || event.step < earliest || event.step >= trace.choices.size()) return std::nullopt;
  std::uint64_t steps = event.value;
  std::uint32_t first = event.step;
  while (steps > 0 && first > earliest)
    if (made_by(trace, --first, event.thread)) --steps;
  if (steps > 0) return std::nullopt;
  return FruitlessIteration{event.thread, first, event.step, event.value};
}

bool stopped_in_vain(const Trace& trace) { return trace.end.ending == TREADLE_END_STOPPED && trace.end.extra != 0; }

bool stands_in_loop(const PendingOperation& pending) {
  return pending.kind == TREADLE_EV_SPIN && (pending.state == TREADLE_THREAD_BLOCKED || pending.state == TREADLE_THREAD_READY);
}

FruitlessIteration iteration_at_the_end(const Trace& trace, unsigned thread) {
  const auto end = static_cast<std::uint32_t>(trace.choices.size());
  FruitlessIteration iteration{thread, end, end - 1, 0};
  std::size_t note = trace.events.size();
  while (note > 0 && !(trace.events[note - 1].kind == TREADLE_EV_ITERATION && trace.events[note - 1].thread == thread)) --note;
  for (std::uint32_t c = end; note > 0 && c-- > trace.events[note - 1].step + 1;)
    if (made_by(trace, c, thread)) {
      iteration.first = c;
      ++iteration.steps;
    }
  return iteration;
}

std::vector<FruitlessIteration> all_fruitless_iterations(const Trace& trace) {
  std::vector<FruitlessIteration> all;
  for (const Event& event : trace.events)
    if (const auto iteration = iteration_ended_by(trace, event)) all.push_back(*iteration);
  for (const PendingOperation& pending : trace.pending) {
    if (!stands_in_loop(pending)) continue;
    if (const auto iteration = iteration_at_the_end(trace, index_of(pending.thread)); iteration.steps > 0) all.push_back(iteration);
  }
  return all;
}

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
#include "explore/pending_steps.h"

#include <optional>

namespace treadle {
namespace {

/// As it would have been recorded.
std::optional<Event> event_of(const PendingOperation& pending, const Trace& trace) {
  Event event{};
  event.kind = static_cast<std::uint8_t>(pending.kind);
  event.thread = static_cast<std::uint8_t>(index_of(pending.thread));
  event.pc = pending.pc;
  event.address = pending.address;
  const auto last = [&](EventKind kind) -> const Event* {
    for (auto one = trace.events.rbegin(); one != trace.events.rend(); ++one)
      if (one->kind == kind && one->thread == event.thread) return &*one;
    return nullptr;
  };
  switch (pending.kind) {
    case TREADLE_EV_LOCK:
      event.value = 1;
      return event;
    case TREADLE_EV_RDLOCK:
    case TREADLE_EV_WRLOCK:
    case TREADLE_EV_SEM_WAIT:
    case TREADLE_EV_SPIN_LOCK:
      return event;
    case TREADLE_EV_COND_WOKEN:
      if (const Event* wait = last(TREADLE_EV_COND_WAIT)) {
        event.address = wait->address;
        event.value = wait->value;
        return event;
      }
      return std::nullopt;
    default:  // who waits for the end of another thread goes on when that does
      return std::nullopt;
  }
}

}  // namespace

Trace with_pending_steps(const Trace& trace) {
  Trace out = trace;
  if (trace.end.ending != TREADLE_END_DEADLOCK) return out;
  for (const PendingOperation& pending : trace.pending) {
    auto event = event_of(pending, trace);
    if (!event || pending.state == TREADLE_THREAD_FINISHED) continue;
    event->step = static_cast<std::uint32_t>(out.choices.size());
    out.events.push_back(*event);
    out.choices.push_back({{DecisionKind::Step, pending.thread, 0}});
  }
  return out;
}

}  // namespace treadle

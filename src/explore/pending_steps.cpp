// SPDX-License-Identifier: Apache-2.0
#include "explore/pending_steps.h"

#include <algorithm>
#include <optional>

#include "trace/marked_decisions.h"

namespace treadle {
namespace {

/// At the last decision it waited already.
bool could_time_out(const Trace& trace, ThreadId thread) {
  const Choice& last = trace.choices.back();
  return std::any_of(trace.alternatives.begin() + last.first_alternative,
                     trace.alternatives.begin() + last.first_alternative + last.alternatives,
                     [&](const Decision& d) { return d.thread == thread && d.kind == DecisionKind::Timeout; });
}

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
      if (could_time_out(trace, pending.thread)) return std::nullopt;  // it needs no signal
      if (const Event* wait = last(TREADLE_EV_COND_WAIT)) {
        event.address = wait->address;
        event.value = wait->value;
        return event;
      }
      return std::nullopt;
    case TREADLE_EV_FUTEX_WOKEN:
      if (could_time_out(trace, pending.thread)) return std::nullopt;
      event.value = ~0ull;  // by some call, no event of the trace
      return event;
    default:  // who waits for the end of another thread goes on when that does
      return std::nullopt;
  }
}

}  // namespace

bool nobody_ended_it(Ending ending) { return ending == TREADLE_END_DEADLOCK || ending == TREADLE_END_LIVELOCK; }

bool may_go_on(const Trace& trace, const PendingOperation& pending) {
  switch (trace.end.ending) {
    case TREADLE_END_STEP_LIMIT:
    case TREADLE_END_STOPPED:
    case TREADLE_END_DIVERGED:
      return false;
    default:
      break;
  }
  if (trace.choices.empty() || pending.kind == TREADLE_EV_FLUSH || pending.state == TREADLE_THREAD_FINISHED) return false;
  return nobody_ended_it(trace.end.ending) || trace.choices[decisions_made(trace) - 1].taken.thread != pending.thread;
}

Trace with_pending_steps(const Trace& trace) {
  Trace out = trace;
  // What ended it came before the first decision, which would have been the main thread's: there is none else.
  if (out.choices.empty()) out.choices.push_back({{DecisionKind::Step, ThreadId{}, 0}});
  for (const PendingOperation& pending : trace.pending) {
    if (!may_go_on(trace, pending)) continue;
    auto event = event_of(pending, trace);
    if (!event) continue;
    event->step = static_cast<std::uint32_t>(out.choices.size());
    out.events.push_back(*event);
    out.choices.push_back({{DecisionKind::Step, pending.thread, 0}});
    set_mark(out.choices.back(), Mark::ThoughtOf);
  }
  return out;
}

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// What was still to be done when an execution was over: what could it have overtaken?
#include <algorithm>

#include "explore/partial_order.h"
#include "explore/touches.h"
#include "trace/happens_before.h"
#include "trace/spin_iterations.h"
#include "trace/store_buffers.h"

namespace treadle {
namespace {

Event event_of(const PendingOperation& pending) {
  Event event{};
  event.kind = static_cast<std::uint8_t>(pending.kind);
  event.thread = static_cast<std::uint8_t>(pending.thread);
  event.size = pending.size;
  event.address = pending.address;
  if (pending.only_reads) {
    if (pending.kind == TREADLE_EV_CAS_OK) event.kind = TREADLE_EV_CAS_FAIL;
    if (pending.kind != TREADLE_EV_COND_SIGNAL && pending.kind != TREADLE_EV_COND_BROADCAST) event.extra = 1;  // its errno
  } else {
    event.value =
        pending.kind == TREADLE_EV_ONCE_BEGIN || pending.kind == TREADLE_EV_COND_SIGNAL || pending.kind == TREADLE_EV_COND_BROADCAST;
  }
  if (pending.kind == TREADLE_EV_THREAD_JOIN) event.value = pending.extra - 1;
  return event;
}

}  // namespace

/// What never happened stands behind all else but what ended the execution: after that there is nothing.
std::uint32_t PartialOrder::before_the_end() const {
  const bool ended = !transitions_.empty() && (transitions_.back().action.ends || transitions_.back().action.fails);
  return static_cast<std::uint32_t>(transitions_.size() - (ended ? 1 : 0));
}

/// It waits for a readers-writer lock that it reads itself: that takes no other order, it waits for ever. (A lock that it has written, or a
/// mutex, needs no such question: its own acquisition is the last that it could overtake.)
bool PartialOrder::reads_what_it_waits_for(const Trace& trace, const PendingOperation& pending) const {
  if (pending.kind != TREADLE_EV_WRLOCK) return false;
  const auto slot = std::find(slots_.begin(), slots_.end(), Process{index_of(pending.thread)});
  if (slot == slots_.end()) return false;
  int held = 0;
  for (std::uint32_t i = last_[static_cast<std::size_t>(slot - slots_.begin())]; i != none; i = transitions_[i].before) {
    if (transitions_[i].event == none) continue;
    const Event& event = trace.events[transitions_[i].event];
    if (event.address != pending.address || event.extra != 0) continue;  // neither a failure nor a writer that leaves
    switch (event.kind) {
      case TREADLE_EV_RDLOCK:
      case TREADLE_EV_TRYRDLOCK:
      case TREADLE_EV_TIMEDRDLOCK:
        ++held;
        break;
      case TREADLE_EV_RWUNLOCK:
        --held;
        break;
      default:
        break;
    }
  }
  return held > 0;
}

/// Who stood still in the end, whatever the end was, might have come before the one that stopped it.
void PartialOrder::never_happened(const Trace& trace) {
  if (trace.end.ending == TREADLE_END_DIVERGED) return;
  // The last transition may have let somebody go on whom it left no time to: he too might have come before the one that stopped him.
  const bool ended = before_the_end() < transitions_.size();
  const auto could_at_last = [&](ThreadId thread, bool flush) {
    const Choice& choice = trace.choices[transitions_.back().choice];
    const auto all = std::span(trace.alternatives).subspan(choice.first_alternative, choice.alternatives);
    return std::any_of(all.begin(), all.end(),
                       [&](const Decision& d) { return d.thread == thread && (d.kind == DecisionKind::Flush) == flush; });
  };
  for (const PendingOperation& pending : trace.pending) {
    if (pending.state != TREADLE_THREAD_BLOCKED && pending.state != TREADLE_THREAD_READY) continue;
    if (pending.enabled && (!ended || could_at_last(pending.thread, false))) continue;
    if (pending.kind == TREADLE_EV_SPIN && !pending.enabled) spun_until_the_end(trace, pending.thread);
    switch (pending.kind) {
      case TREADLE_EV_LOCK:
      case TREADLE_EV_SPIN_LOCK:
      case TREADLE_EV_RDLOCK:
      case TREADLE_EV_WRLOCK:
      case TREADLE_EV_SEM_WAIT:
      case TREADLE_EV_ONCE_BEGIN:
      case TREADLE_EV_FD_READ:
      case TREADLE_EV_FD_WRITE:
      case TREADLE_EV_FD_POLL:
        break;
      default:
        continue;
    }
    // Its store buffer has to be emptied first. That could have been done instead of ending the execution, and will be.
    if (ended && could_at_last(pending.thread, true)) continue;
    if (reads_what_it_waits_for(trace, pending)) continue;
    const Event event = event_of(pending);
    Action action;
    action.process = Process{index_of(pending.thread)};
    action.decision = {DecisionKind::Step, pending.thread, 0};
    add_touches_of(event, false, action);
    const std::uint32_t slot = slot_of(action.process);
    // None of these goes past the store buffers of its thread: wherever it comes, what was flushed before it is flushed before it.
    std::vector<std::uint32_t> past(past_of(slot), past_of(slot) + slots_.size());
    Transition waits;
    waits.action.process = action.process;
    order_buffers(trace, waits, past.data());
    look_back(trace, {event, action, action.accesses.size(), before_the_end(), past.data(), 0});
  }
}

/// The events of the last iteration begin here.
static std::size_t last_iteration(const Trace& trace, ThreadId thread) {
  std::size_t began = trace.events.size();
  while (began > 0 && !(trace.events[began - 1].kind == TREADLE_EV_ITERATION && trace.events[began - 1].thread == index_of(thread)))
    --began;
  return began;
}

/// Null when the iteration is not among those that are left out.
const PartialOrder::Spun* PartialOrder::first_look_of_last_iteration(const Trace& trace, ThreadId thread) const {
  const std::size_t began = last_iteration(trace, thread);
  const auto look = std::find_if(spun_.begin(), spun_.end(),
                                 [&](const Spun& step) { return thread_of(step.action.process) == thread && step.event >= began; });
  return look == spun_.end() ? nullptr : &*look;
}

/// A loop that was never left reads the same for ever; values that came and went in the meantime might have ended it.
void PartialOrder::spun_until_the_end(const Trace& trace, ThreadId thread) {
  const std::size_t began = last_iteration(trace, thread);
  for (Spun& step : spun_)
    if (thread_of(step.action.process) == thread && step.event >= began) {
      step.past.resize(slots_.size());
      const Event& event = trace.events[step.event];
      if (reads_memory(static_cast<EventKind>(event.kind)) && is_buffered(event)) {
        look_at_memory(trace, step, event);
      } else {
        look_back(trace, {event, step.action, step.of_event, before_the_end(), step.past.data(), step.iteration, &step});
      }
    }
}

/// What it saw was its own store, which has reached memory by the end: whenever it looks again after that, it sees what is there.
void PartialOrder::look_at_memory(const Trace& trace, const Spun& step, Event event) {
  event.order &= static_cast<std::uint8_t>(~TREADLE_ORDER_BUFFERED);
  Action action;
  action.process = step.action.process;
  action.decision = step.action.decision;
  add_touches_of(event, false, action);
  std::vector<std::uint32_t> past = step.past;
  for (std::uint32_t t = 0; t < transitions_.size(); ++t) {
    const Transition& flush = transitions_[t];
    const bool is_own = is_flush(flush.action.process) && thread_of(flush.action.process) == thread_of(action.process);
    if (is_own && flush.event != none && trace.events[flush.event].address == event.address) join(past.data(), t);
  }
  look_back(trace, {event, action, action.accesses.size(), before_the_end(), past.data(), step.iteration, &step});
}

/// The oldest store that is still in that buffer. PSO numbers buffers in the order in which the thread first stored to each location.
void PartialOrder::foresee_flush(const Trace& trace, const Decision& flush, Action& action) const {
  std::vector<std::uint64_t> flushed;
  for (const Transition& t : transitions_)
    if (t.kind == TREADLE_EV_FLUSH && thread_of(t.action.process) == flush.thread) flushed.push_back(trace.events[t.event].extra);
  std::vector<std::pair<std::uint64_t, unsigned>> locations;
  for (const Transition& t : transitions_) {
    if (t.event == none || t.action.process != Process{index_of(flush.thread)}) continue;
    const Event& event = trace.events[t.event];
    if (!writes_memory(t.kind) || !is_buffered(event)) continue;
    const std::pair<std::uint64_t, unsigned> location{event.address, event.size};
    const auto known = std::find(locations.begin(), locations.end(), location);
    const auto number = model_ == MemoryModel::Pso ? known - locations.begin() : 0;
    if (known == locations.end()) locations.push_back(location);
    if (number != flush.argument || std::find(flushed.begin(), flushed.end(), t.event) != flushed.end()) continue;
    action.accesses.add({event.address, event.size, Space::Memory, true});
    action.store = t.count;
    return;
  }
}

/// Everything that could have been done instead of ending it.
void PartialOrder::overtaken_by_the_end(const Trace& trace) {
  const std::uint32_t last = before_the_end();
  if (last == transitions_.size()) return;
  const Choice& choice = trace.choices[transitions_[last].choice];
  const ThreadId ender = choice.taken.thread;
  for (const Decision& d : std::span(trace.alternatives).subspan(choice.first_alternative, choice.alternatives)) {
    if (d == choice.taken || (d.thread == ender && d.kind != DecisionKind::Flush)) continue;
    Race race{last, last + 1, {}};
    race.action.process = process_of(d);
    race.action.decision = d;
    if (d.kind == DecisionKind::Flush) {
      foresee_flush(trace, d, race.action);
    } else {
      const auto pending =
          std::find_if(trace.pending.begin(), trace.pending.end(), [&](const PendingOperation& p) { return p.thread == d.thread; });
      if (pending != trace.pending.end() && stands_in_loop(*pending)) {
        // It would look again: that is how its last iteration began, which is left out. If that stands, the reversal of its reads leads
        // there.
        const Spun* look = first_look_of_last_iteration(trace, d.thread);
        if (look == nullptr) continue;
        race.action.accesses = look->action.accesses;
      } else if (pending != trace.pending.end()) {
        add_touches_of(event_of(*pending), d.kind == DecisionKind::Timeout, race.action);
      }
    }
    races_.push_back(std::move(race));
  }
}

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// Iterations of spin loops that led nowhere: which they were, and what a thread has read in the one it is in.
#include <algorithm>

#include "explore/partial_order.h"

namespace treadle {

std::uint64_t iteration_after(std::uint64_t iteration, std::uint64_t address, std::uint64_t value) {
  std::uint64_t x = (iteration ^ address * 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 29 ^ value) * 0x94d049bb133111ebull;
  return (x ^ x >> 32) | 1;  // never 0, which means that nothing is known
}

/// Marks the decisions of iterations that led nowhere. One that began within the prefix stays: the schedule asked for it, and what its
/// thread does next is what follows it. Only when the prefix ends in a whole one (of a single step), the execution was in vain.
void PartialOrder::leave_out_fruitless(const Trace& trace, std::uint32_t first_event, std::uint32_t prefix) {
  left_out_.assign(trace.choices.size() - std::min<std::size_t>(first_choice_, trace.choices.size()), 0);
  const auto made_by = [&](std::uint32_t choice, unsigned thread) {
    const Decision& d = trace.choices[choice].taken;
    return index_of(d.thread) == thread && d.kind != DecisionKind::Flush;
  };
  const auto leave_out = [&](unsigned thread, std::uint32_t first, std::uint32_t last, std::uint64_t steps) {
    if (first < prefix && !(first + 1 == prefix && steps == 1)) return;
    if (first < prefix) in_vain_at_ = std::min(in_vain_at_, first);
    for (std::uint32_t c = first; c <= last; ++c)
      if (made_by(c, thread)) left_out_[c - first_choice_] = 1;
  };
  const auto end = static_cast<std::uint32_t>(trace.choices.size());
  for (std::size_t e = first_event; e < trace.events.size(); ++e) {
    const Event& event = trace.events[e];
    if (event.kind != TREADLE_EV_SPIN || event.value == 0 || event.step < first_choice_ || event.step >= end) continue;
    std::uint64_t steps = event.value;
    std::uint32_t first = event.step;
    while (steps > 0 && first > first_choice_)
      if (made_by(--first, event.thread)) --steps;
    if (steps == 0) leave_out(event.thread, first, event.step, event.value);
  }
  // Those that never left their loop.
  for (const PendingOperation& pending : trace.pending) {
    if (pending.kind != TREADLE_EV_SPIN || pending.state != TREADLE_THREAD_BLOCKED) continue;
    const unsigned thread = index_of(pending.thread);
    std::size_t note = trace.events.size();
    while (note > 0 && !(trace.events[note - 1].kind == TREADLE_EV_ITERATION && trace.events[note - 1].thread == thread)) --note;
    std::uint32_t first = end;
    std::uint64_t steps = 0;
    for (std::uint32_t c = end; note > 0 && c-- > trace.events[note - 1].step + 1;)
      if (made_by(c, thread)) {
        first = c;
        ++steps;
      }
    if (steps == 0 && trace.end.ending == TREADLE_END_STOPPED && end == prefix && end > first_choice_ && made_by(end - 1, thread)) {
      first = end - 1;  // without a note: the last step was all of it
      steps = 1;
    }
    if (steps == 0) continue;
    if (first < prefix) standing_.push_back({slot_of(Process{thread}), first});
    if (first >= first_choice_) leave_out(thread, first, end - 1, steps);
  }
  stands_still_ |= trace.end.ending == TREADLE_END_STOPPED && end > prefix;
}

/// What its iteration had read was written again, be it with the same value: whoever stands still stands there also when it comes later.
bool PartialOrder::went_on_without(const Standing& standing) const {
  std::uint32_t began = none;
  for (std::uint32_t i = last_[standing.slot]; i != none && transitions_[i].choice >= standing.choice; i = transitions_[i].before)
    began = i;
  if (began == none) return false;
  for (std::uint32_t j = began; j < transitions_.size(); ++j)
    if (thread_of(transitions_[j].action.process) != thread_of(slots_[standing.slot]) && in_past(began, clock_of(j))) return true;
  return false;
}

/// Keeps up with where the thread is in its loop.
void PartialOrder::follow_loop(const Event& event) {
  std::uint64_t& loop = loop_[event.thread];
  switch (static_cast<EventKind>(event.kind)) {
    case TREADLE_EV_ITERATION:
      loop = event.value == 0 ? 0 : iteration_after(event.address, event.value, 1);
      return;
    case TREADLE_EV_READ:
    case TREADLE_EV_ATOMIC_READ:
    case TREADLE_EV_CAS_FAIL:
    case TREADLE_EV_CAS_OK:
    case TREADLE_EV_RMW:
      if (loop != 0) loop = iteration_after(loop, event.address, event.value);
      return;
    case TREADLE_EV_SPIN:
      if (loop != 0) fruitless_.insert(loop);
      loop = 0;
      return;
    case TREADLE_EV_FLUSH:  // its buffer did that, not the thread
    case TREADLE_EV_YIELD:
    case TREADLE_EV_FENCE:
      return;
    default:
      if (is_visible(static_cast<EventKind>(event.kind), races_mode_)) loop = 0;
  }
}

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// Iterations of spin loops that led nowhere: which they were, and what a thread has read in the one it is in.
#include <algorithm>

#include "explore/partial_order.h"
#include "trace/spin_iterations.h"

namespace treadle {

std::uint64_t iteration_after(std::uint64_t iteration, std::uint64_t address, std::uint64_t value) {
  std::uint64_t x = (iteration ^ address * 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 29 ^ value) * 0x94d049bb133111ebull;
  return (x ^ x >> 32) | 1;  // never 0, which means that nothing is known
}

/// Marks the decisions of iterations that led nowhere. One that began within the prefix stays: the schedule asked for it, and what its
/// thread does next is what follows it. Only when the prefix ends in a whole one, the execution was in vain.
void PartialOrder::leave_out_fruitless(const Trace& trace, std::uint32_t first_event, std::uint32_t prefix) {
  left_out_.assign(trace.choices.size() - std::min<std::size_t>(first_choice_, trace.choices.size()), 0);
  const auto leave_out = [&](const FruitlessIteration& iteration) {
    const std::uint32_t first = iteration.first;
    if (first < prefix) {
      bool ends_prefix = first + iteration.steps == prefix;
      for (std::uint32_t c = first; c < prefix && ends_prefix; ++c) ends_prefix = made_by(trace, c, iteration.thread);
      if (!ends_prefix) return;
      in_vain_at_ = std::min(in_vain_at_, prefix - 1);
    }
    for (std::uint32_t c = first; c <= iteration.last; ++c)
      if (made_by(trace, c, iteration.thread)) left_out_[c - first_choice_] = 1;
  };
  for (std::size_t e = first_event; e < trace.events.size(); ++e)
    if (const auto iteration = iteration_ended_by(trace, trace.events[e], first_choice_)) leave_out(*iteration);
  const auto end = static_cast<std::uint32_t>(trace.choices.size());
  for (const PendingOperation& pending : trace.pending) {
    if (!stands_in_loop(pending)) continue;
    const unsigned thread = index_of(pending.thread);
    FruitlessIteration iteration = iteration_at_the_end(trace, thread);
    if (iteration.steps == 0 && trace.end.ending == TREADLE_END_STOPPED && end == prefix && end > first_choice_ &&
        made_by(trace, end - 1, thread))
      iteration = {thread, end - 1, end - 1, 1};  // without a note: the last step was all of it
    if (iteration.steps == 0) continue;
    if (iteration.first < prefix) standing_.push_back({slot_of(Process{thread}), iteration.first});
    if (iteration.first >= first_choice_) leave_out(iteration);
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

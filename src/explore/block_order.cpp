// SPDX-License-Identifier: Apache-2.0
#include "explore/block_order.h"

#include <algorithm>

#include "explore/preemption.h"
#include "explore/touches.h"

namespace treadle {
namespace {

/// While it cannot go on, nobody but the ones that let it go on has to do with it: an operation of another thread that conflicts with it
/// and does not let it go on could not happen either, or conflicts with the one that does.
bool only_waits_for_others(EventKind kind) {
  switch (kind) {
    case TREADLE_EV_THREAD_START:
    case TREADLE_EV_THREAD_JOIN:
    case TREADLE_EV_LOCK:
    case TREADLE_EV_SPIN_LOCK:
    case TREADLE_EV_RDLOCK:
    case TREADLE_EV_COND_WOKEN:
    case TREADLE_EV_FUTEX_WOKEN:
    case TREADLE_EV_BARRIER_LEAVE:
    case TREADLE_EV_SEM_WAIT:
    case TREADLE_EV_ONCE_BEGIN:
    case TREADLE_EV_FD_READ:
    case TREADLE_EV_FD_WRITE:
    case TREADLE_EV_FD_POLL:
    case TREADLE_EV_FD_CLOSE:
      return true;
    default:
      return false;
  }
}

/// A wait that ended by a signal might have ended by itself, had the signal not come first.
void add_way_out(EventKind kind, std::uint64_t address, Action& action) {
  if (kind == TREADLE_EV_COND_WOKEN) action.accesses.add({address, 1, Space::Condition, true});
  if (kind == TREADLE_EV_FUTEX_WOKEN) action.accesses.add({address, 1, Space::Futex, true});
}

/// As if it had its effect: what it would have done depends on where it had come.
Event event_of(const PendingOperation& pending) {
  Event event{};
  event.kind = static_cast<std::uint8_t>(pending.kind);
  event.thread = static_cast<std::uint8_t>(pending.thread);
  event.size = pending.size;
  event.address = pending.address;
  event.value = pending.kind == TREADLE_EV_THREAD_JOIN ? pending.extra - 1 : 1;
  return event;
}

}  // namespace

Needed BlockOrder::need(std::size_t n) const {
  const Range& range = needs_[n];
  return {range.node, std::span(threads_).subspan(range.first, range.count), range.all};
}

void BlockOrder::take_in(const Trace& trace, std::uint32_t from) {
  needs_.clear();
  threads_.clear();
  const auto everything = static_cast<std::uint32_t>(trace.choices.size()) + 1;
  order_.take_in(trace, common_with_last(trace), none, everything);  // as if the schedule had asked for all of it: then nothing is left out
  index(trace);
  const auto transitions = order_.transitions();
  for (std::uint32_t i = 0; i < transitions.size(); ++i) {
    const Transition& t = transitions[i];
    if (t.choice + t.action.more_decisions.size() < from) continue;
    Later later{t.action, t.kind, t.before, i, false};
    if (t.event != none) add_way_out(t.kind, trace.events[t.event].address, later.action);
    if (t.kind == TREADLE_EV_SPIN) add_reads_of_loop(t.before, later.action);
    later.is_exact = later.action.accesses.size() == t.action.accesses.size();
    look_back(trace, later);
  }
  look_back_from_pending(trace);
}

/// How many transitions need not be taken in again: those of decisions that are the same, but for the very last, which may end the
/// execution.
std::uint32_t BlockOrder::common_with_last(const Trace& trace) {
  std::size_t same = 0;
  while (same + 1 < last_.size() && same + 1 < trace.choices.size() && last_[same] == trace.choices[same].taken) ++same;
  last_.resize(trace.choices.size());
  for (std::size_t i = 0; i < trace.choices.size(); ++i) last_[i] = trace.choices[i].taken;
  const auto transitions = order_.transitions();
  std::uint32_t common = 0;
  while (common < transitions.size() && transitions[common].choice + transitions[common].action.more_decisions.size() < same) ++common;
  return common;
}

void BlockOrder::index(const Trace& trace) {
  const auto transitions = order_.transitions();
  for (auto& list : of_process_) list.clear();
  last_of_thread_.assign(256, none);
  transition_at_.resize(trace.choices.size());
  for (std::uint32_t i = 0; i < transitions.size(); ++i) {
    const Transition& t = transitions[i];
    if (t.slot >= of_process_.size()) of_process_.resize(t.slot + 1);
    of_process_[t.slot].push_back(i);
    last_of_thread_[index_of(thread_of(t.action.process))] = i;
    for (std::size_t d = 0; d <= t.action.more_decisions.size(); ++d) transition_at_[t.choice + d] = i;
  }
  block_begin_.resize(trace.choices.size());
  for (std::uint32_t c = 0; c < trace.choices.size(); ++c)
    block_begin_[c] = c > 0 && trace.choices[c].taken.thread == trace.choices[c - 1].taken.thread ? block_begin_[c - 1] : c;
}

void BlockOrder::look_back(const Trace& trace, const Later& later) {
  const auto transitions = order_.transitions();
  for (std::size_t slot = 0; slot < of_process_.size(); ++slot) {
    const auto& list = of_process_[slot];
    if (list.empty() || transitions[list.front()].action.process == later.action.process) continue;
    const std::uint32_t known = later.past == none ? 0 : order_.clock(later.past)[slot];
    auto n = static_cast<std::uint32_t>(std::lower_bound(list.begin(), list.end(), later.at) - list.begin());
    std::uint32_t asked = none;  // the block that was asked about last
    if (later.is_exact) n = std::min(n, order_.clock(later.at)[slot]);
    for (; n > known; --n) {
      const Transition& earlier = transitions[list[n - 1]];
      if (!dependent(earlier.action, later.action)) continue;
      const std::uint32_t block = block_begin_[earlier.choice];
      if (block != earlier.choice) need_before(trace, earlier.choice, later);
      if (block != asked) need_before(trace, block, later);
      asked = block;
    }
  }
}

/// What never happened, because its thread was blocked or another one ended the execution.
void BlockOrder::look_back_from_pending(const Trace& trace) {
  const auto end = static_cast<std::uint32_t>(order_.transitions().size());
  for (const PendingOperation& pending : trace.pending) {
    if (pending.state == TREADLE_THREAD_FINISHED || pending.state == TREADLE_THREAD_UNUSED) continue;
    Later later;
    later.kind = pending.kind;
    later.past = last_of_thread_[index_of(pending.thread)];
    later.at = end;
    later.is_exact = false;
    later.action.process = Process{index_of(pending.thread)};
    add_touches_of(event_of(pending), false, later.action);
    add_way_out(pending.kind, pending.address, later.action);
    if (pending.kind == TREADLE_EV_SPIN) add_reads_of_loop(later.past, later.action);
    look_back(trace, later);
  }
}

/// What a thread in a spin loop watches: all that it has read since it last did anything else, which is that or more.
void BlockOrder::add_reads_of_loop(std::uint32_t from, Action& action) const {
  const auto transitions = order_.transitions();
  for (std::uint32_t i = from; i != none; i = transitions[i].before) {
    const Accesses& accesses = transitions[i].action.accesses;
    for (std::size_t a = 0; a < accesses.size(); ++a)
      if (accesses[a].writes) return;
    for (std::size_t a = 0; a < accesses.size(); ++a) action.accesses.add(accesses[a]);
  }
}

void BlockOrder::need_before(const Trace& trace, std::uint32_t node, const Later& later) {
  if (later.past != none && order_.transitions()[later.past].choice >= node) return need_initial(node, later.past);
  const ThreadId thread = thread_of(later.action.process);
  const auto first = static_cast<std::uint32_t>(threads_.size());
  const auto alternatives = alternatives_at(trace, node);
  if (std::ranges::any_of(alternatives, [&](const Decision& d) { return d.thread == thread; })) {
    threads_.push_back(thread);
    needs_.push_back({node, first, 1, false});
    return;
  }
  if (only_waits_for_others(later.kind)) return;
  for (const Decision& d : alternatives)
    if (std::find(threads_.begin() + first, threads_.end(), d.thread) == threads_.end()) threads_.push_back(d.thread);
  needs_.push_back({node, first, static_cast<std::uint32_t>(threads_.size()) - first, true});
}

/// Who can make the first step towards `past` from `node` on. When the block that begins at `node` was needed for it, there is nothing to
/// change places with.
void BlockOrder::need_initial(std::uint32_t node, std::uint32_t past) {
  const auto transitions = order_.transitions();
  const std::uint32_t begin = transition_at_[node];
  if (order_.happens_before(begin, past)) return;
  std::vector<std::uint32_t>& firsts = firsts_;  // by process: its first transition from there on, or none
  firsts.clear();
  for (const auto& list : of_process_) {
    const auto at = std::lower_bound(list.begin(), list.end(), begin);
    firsts.push_back(at == list.end() ? none : *at);
  }
  const auto first = static_cast<std::uint32_t>(threads_.size());
  for (const std::uint32_t one : firsts) {
    if (one == none || one > past || !order_.happens_before(one, past)) continue;
    const bool initial = std::ranges::none_of(
        firsts, [&](std::uint32_t other) { return other != none && other < one && order_.happens_before(other, one); });
    if (initial) threads_.push_back(thread_of(transitions[one].action.process));
  }
  needs_.push_back({node, first, static_cast<std::uint32_t>(threads_.size()) - first, false});
}

}  // namespace treadle

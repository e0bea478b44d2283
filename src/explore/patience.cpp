// SPDX-License-Identifier: Apache-2.0
#include "explore/patience.h"

#include <algorithm>
#include <array>
#include <span>

namespace treadle {
namespace {

bool makes_a_step(const Decision& d, ThreadId thread) { return d.thread == thread && d.kind != DecisionKind::Flush; }

/// What its thread had announced.
PendingOperation announced(const Event& event) {
  PendingOperation pending;
  pending.thread = ThreadId{event.thread};
  pending.kind = static_cast<EventKind>(event.kind == TREADLE_EV_CAS_FAIL ? TREADLE_EV_CAS_OK : event.kind);
  pending.pc = event.pc;
  pending.address = event.address;
  pending.size = event.kind == TREADLE_EV_THREAD_JOIN ? 0 : event.size;
  pending.extra = event.kind == TREADLE_EV_THREAD_JOIN ? event.value + 1 : event.extra;
  return pending;
}

/// What the thread waited to do when the first `made` decisions were made; none: that cannot be told.
std::optional<PendingOperation> pending_then(const Trace& trace, const PendingOperation& at_the_end, std::size_t made) {
  const auto is_own = [&](const Choice& choice) { return makes_a_step(choice.taken, at_the_end.thread); };
  const auto next = std::find_if(trace.choices.begin() + static_cast<std::ptrdiff_t>(made), trace.choices.end(), is_own);
  PendingOperation pending = at_the_end;
  if (next != trace.choices.end()) {
    const auto step = static_cast<std::uint32_t>(next - trace.choices.begin());
    const auto event = std::ranges::find_if(trace.events, [&](const Event& e) {
      return e.step == step && ThreadId{e.thread} == at_the_end.thread && !is_trouble(static_cast<EventKind>(e.kind));
    });
    if (event == trace.events.end() || next->taken.kind != DecisionKind::Step) return std::nullopt;
    pending = announced(*event);
  } else if (pending.state == TREADLE_THREAD_FINISHED) {
    return pending;
  }
  if (pending.kind == TREADLE_EV_FAIL || pending.kind == TREADLE_EV_SPIN || pending.kind == TREADLE_EV_NONE) return std::nullopt;
  const Choice& then = trace.choices[made];
  if (then.alternatives == 0) return std::nullopt;
  const auto all = std::span(trace.alternatives).subspan(then.first_alternative, then.alternatives);
  pending.enabled = std::ranges::any_of(all, [&](const Decision& d) { return d.thread == pending.thread && d.kind == DecisionKind::Step; });
  pending.state = pending.enabled ? TREADLE_THREAD_READY : TREADLE_THREAD_BLOCKED;
  return pending;
}

}  // namespace

bool lets_others_go_first(const Trace& trace) { return !trace.events.empty() && trace.events.back().kind == TREADLE_EV_FAIL; }

std::optional<Trace> as_if_it_failed_at_once(const Trace& trace) {
  const ThreadId failed = trace.end.thread;
  std::size_t made = trace.choices.size() - 1;  // the last one is that it fails
  while (made > 0 && !makes_a_step(trace.choices[made - 1].taken, failed)) --made;
  Trace shorter = trace;
  shorter.expressions.clear();
  shorter.notes.clear();
  shorter.choices.resize(made);
  const auto is_behind = [&](const Event& e) { return e.step >= made; };
  shorter.events.erase(std::ranges::find_if(shorter.events, is_behind), shorter.events.end());
  if (made == 0 || std::ranges::any_of(shorter.events, is_behind)) return std::nullopt;
  std::array<bool, 256> exists{};
  exists[0] = true;
  for (const Event& e : shorter.events)
    if (e.kind == TREADLE_EV_THREAD_CREATE && e.value < exists.size()) exists[e.value] = true;
  shorter.pending.clear();
  for (const PendingOperation& at_the_end : trace.pending) {
    if (!exists[index_of(at_the_end.thread)]) continue;
    PendingOperation own;
    own.thread = failed;
    own.state = TREADLE_THREAD_READY;
    own.enabled = true;
    const auto pending = at_the_end.thread == failed ? own : pending_then(trace, at_the_end, made);
    if (!pending) return std::nullopt;
    shorter.pending.push_back(*pending);
  }
  return shorter;
}

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
#include "finding/trouble.h"

#include <algorithm>

#include "base/hash.h"
#include "finding/expectation.h"
#include "finding/verdict.h"
#include "trace/locks.h"
#include "trace/lost_signal.h"

namespace treadle {
namespace {

std::uint64_t pair_of(std::uint64_t a, std::uint64_t b) { return Hash{}.add(std::min(a, b)).add(std::max(a, b)).value(); }

/// Whatever the order of the parts.
std::uint64_t all_of(std::vector<std::uint64_t> parts) {
  std::sort(parts.begin(), parts.end());
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  Hash hash;
  for (const std::uint64_t part : parts) hash.add(part);
  return hash.value();
}

const PendingOperation* pending_of(const Trace& trace, std::uint64_t thread) {
  for (const PendingOperation& pending : trace.pending)
    if (index_of(pending.thread) == thread) return &pending;
  return nullptr;
}

/// Who waits where, who holds since when, and which signals found nobody: all that tells one standstill from another.
Trouble standstill(const Trace& trace) {
  std::vector<std::uint64_t> parts, fine;
  for (const PendingOperation& pending : trace.pending) {
    if (pending.state == TREADLE_THREAD_UNUSED || pending.state == TREADLE_THREAD_FINISHED) continue;
    const bool has_owner = waits_for_holder(pending.kind) && pending.extra != 0;
    const PendingOperation* owner = has_owner ? pending_of(trace, pending.extra - 1) : nullptr;
    parts.push_back(Hash{}.add(pending.kind).add(pending.pc).add(owner == nullptr ? 0 : owner->pc).value());
    fine.push_back(Hash{}.add(parts.back()).add(pending.address).value());
  }
  for (const Held& held : locks_held(trace)) parts.push_back(trace.events[held.event].pc);
  for (const Event& event : trace.events)
    if (is_signal(event) && event.value == 0) parts.push_back(event.pc);
  // Library code that was not inlined makes the pcs the same everywhere: who called it is in the stacks of the blocked threads.
  for (const Stack& stack : trace.stacks) {
    if (stack.event < kBlocked) continue;
    Hash calls;
    for (const std::uint64_t pc : stack.frames) calls.add(pc);
    parts.push_back(calls.value());
  }
  const std::uint64_t key = Hash{}.add(trace.end.ending).add(all_of(parts)).value();
  return {kTheEnd, key, Hash{}.add(key).add(all_of(fine)).value()};
}

Trouble end_of(const Trace& trace) {
  if (trace.end.ending == TREADLE_END_DEADLOCK || trace.end.ending == TREADLE_END_LIVELOCK) return standstill(trace);
  Hash hash;
  hash.add(trace.end.ending).add(trace.end.detail);
  if (has_failing_status(trace)) {
    const FailedExpectation failed = failed_expectation(trace.end.text);
    hash.add(failed.file).add(failed.line);
    if (failed.line == 0) hash.add(failed.message);
    return {kTheEnd, hash.value(), hash.value()};
  }
  if (trace.end.ending == TREADLE_END_TIME_LIMIT) {
    // It was stopped wherever it happened to be; the thread's last visible operation tells more.
    const std::uint64_t last = last_visible_event(trace, trace.end.thread);
    hash.add(last == kTheEnd ? 0 : trace.events[last].pc);
  } else {
    hash.add(trace.end.pc);
    if (const Stack* stack = stack_of_end(trace))
      for (const std::uint64_t pc : stack->frames) hash.add(pc);
  }
  if (trace.end.pc == 0) hash.add(trace.end.text);
  return {kTheEnd, hash.value(), hash.value()};
}

Trouble trouble_of(const Trace& trace, std::uint64_t number) {
  const Event& event = trace.events[number];
  Hash hash;
  hash.add(event.kind);
  switch (event.kind) {
    case TREADLE_EV_RACE:
      hash.add(pair_of(event.pc, event.value));
      break;
    case TREADLE_EV_LEAK:
      hash.add(event.pc).add(event.extra);  // the pc of what made it
      break;
    default:
      hash.add(event.pc).add(event.value);
      break;
  }
  return {number, hash.value(), Hash{}.add(hash.value()).add(event.address).value()};
}

/// What a program brings about by itself.
bool is_failure_of_program(Ending ending) {
  switch (ending) {
    case TREADLE_END_ASSERTION:
    case TREADLE_END_ABORTED:
    case TREADLE_END_REACHED_ERROR:
    case TREADLE_END_UNCAUGHT_EXCEPTION:
    case TREADLE_END_SIGNALLED:
    case TREADLE_END_STACK_OVERFLOW:
    case TREADLE_END_HEAP_BROKEN:
    case TREADLE_END_DEADLOCK:
    case TREADLE_END_LIVELOCK:
      return true;
    default:
      return false;
  }
}

}  // namespace

const Stack* stack_of_end(const Trace& trace) {
  const bool there = !trace.stacks.empty() && trace.stacks.back().event == kTheEnd && !trace.stacks.back().frames.empty();
  return there ? &trace.stacks.back() : nullptr;
}

std::uint64_t last_visible_event(const Trace& trace, ThreadId thread) {
  for (std::uint64_t i = trace.events.size(); i-- > 0;) {
    const Event& event = trace.events[i];
    if (event.thread == index_of(thread) && event.pc != 0 && is_visible(static_cast<EventKind>(event.kind), Races::Stop)) return i;
  }
  return kTheEnd;
}

bool stopped_making_steps(const Trace& trace) { return trace.choices.size() < 1000; }

bool ran_to_its_end(Ending ending) { return is_regular_end(ending) || is_failure_of_program(ending); }

bool ends_in_trouble(const Trace& trace) {
  switch (trace.end.ending) {
    case TREADLE_END_HOST_SAW_DEATH:
      return true;
    case TREADLE_END_TIME_LIMIT:
      return stopped_making_steps(trace);
    case TREADLE_END_COMPLETED:
      return has_failing_status(trace);
    default:
      return is_failure_of_program(trace.end.ending);
  }
}

std::vector<Trouble> troubles_of(const Trace& trace) {
  std::vector<Trouble> all;
  if (ends_in_trouble(trace)) all.push_back(end_of(trace));
  for (std::uint64_t i = 0; i < trace.events.size(); ++i)
    if (is_trouble(static_cast<EventKind>(trace.events[i].kind))) all.push_back(trouble_of(trace, i));
  return all;
}

}  // namespace treadle

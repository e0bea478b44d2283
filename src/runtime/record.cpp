// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduler.h"
#include "runtime/stack_walk.h"

/// Where debuggers set their breakpoint; the number of the event, or ~0 at the end of the execution.
extern "C" __attribute__((noinline, used)) void treadle_stop_here(std::uint64_t event) noexcept {
  __asm__ volatile("" ::"r"(event) : "memory");
}

namespace treadle {

namespace {

char* at_offset(std::uint64_t offset) noexcept { return reinterpret_cast<char*>(process().shared) + offset; }

/// Somebody asked for the stack at this event, or wants the debugger to stop at it.
__attribute__((noinline)) void event_of_interest(std::uint64_t number) noexcept {
  World& w = world();
  std::uint64_t next = ~0ull;
  for (unsigned i = 0; i < TREADLE_MAX_STACK_REQUESTS; ++i) {
    const std::uint64_t wanted = w.job->stack_requests[i];
    if (wanted == number) walk_stack(w.result->stacks[i], number, reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)), 0);
    if (wanted > number && wanted < next) next = wanted;
  }
  if ((w.job->flags & TREADLE_STOP_FOR_DEBUGGER) != 0) {
    if (w.job->stop_at_event == number) treadle_stop_here(number);
    if (w.job->stop_at_event > number && w.job->stop_at_event < next) next = w.job->stop_at_event;
  }
  w.next_stack_request = next;
}

}  // namespace

std::uint64_t record(TreadleEventKind kind, std::uint64_t address, std::uint64_t value, std::uint64_t extra, std::uint64_t pc,
                     unsigned size, unsigned order) noexcept {
  if (g_mode != Mode::Active) return 0;
  World& w = world();
  TreadleSharedBlock& shared = *process().shared;
  const std::uint64_t number = w.events;
  const std::uint64_t index = shared.events_used + number;
  if (__builtin_expect(index >= shared.event_capacity, 0))
    end_execution(TREADLE_END_STEP_LIMIT, w.step, 0, 0, pc, "the trace of one execution is too long to keep");
  TreadleEvent& event = reinterpret_cast<TreadleEvent*>(at_offset(shared.events_at))[index];
  event.kind = static_cast<std::uint8_t>(kind);
  event.thread = w.current->id;
  event.size = static_cast<std::uint8_t>(size);
  event.order = static_cast<std::uint8_t>(order);
  event.step = w.step == 0 ? 0 : w.step - 1;
  event.pc = pc;
  event.address = address;
  event.value = value;
  event.extra = extra;
  w.events = number + 1;
  if (__builtin_expect(number == w.next_stack_request, 0)) event_of_interest(number);
  return number;
}

std::uint32_t record_text(const char* text, std::size_t length) noexcept {
  World& w = world();
  TreadleSharedBlock& shared = *process().shared;
  const std::uint64_t at = shared.texts_used + w.text_used;
  if (at + length > shared.text_capacity) return 0;
  __builtin_memcpy(at_offset(shared.texts_at + at), text, length);
  w.text_used += length;
  return static_cast<std::uint32_t>(w.text_used - length);
}

void misuse(TreadleMisuse what, std::uint64_t object, std::uint64_t other, std::uint64_t pc) noexcept {
  record(TREADLE_EV_MISUSE, object, what, other, pc);
}

}  // namespace treadle

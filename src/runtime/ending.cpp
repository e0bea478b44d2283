// SPDX-License-Identifier: Apache-2.0
// How an execution ends: the result is written, and control returns to the loop that serves the host, from wherever we are.
#include <cstring>

#include "runtime/carrier.h"
#include "runtime/follow.h"
#include "runtime/output.h"
#include "runtime/race.h"
#include "runtime/scheduler.h"
#include "runtime/sources.h"
#include "runtime/stack_walk.h"
#include "runtime/start.h"
#include "runtime/store_buffer.h"
#include "runtime/symbolic.h"
#include "runtime/sys.h"

extern "C" void treadle_stop_here(std::uint64_t event) noexcept;

namespace treadle {

namespace {

void describe_pending() noexcept {
  World& w = world();
  TreadleSharedBlock& shared = *process().shared;
  w.result->first_pending = static_cast<std::uint32_t>(shared.pending_used);
  TreadlePending* out = shared.pending + shared.pending_used;
  std::uint32_t count = 0;
  for (unsigned id = 0; id <= w.highest_thread && shared.pending_used + count < TREADLE_MAX_PENDING; ++id) {
    const Thread& t = w.threads[id];
    if (t.state == ThreadState::Unused) continue;
    const Pending& p = t.pending;
    const bool enabled = t.state == ThreadState::Live && !t.parked && is_enabled(t);
    const std::uint8_t state = t.state == ThreadState::Finished ? TREADLE_THREAD_FINISHED
                               : enabled                        ? TREADLE_THREAD_READY
                                                                : TREADLE_THREAD_BLOCKED;
    const bool reads = enabled && p.would_fail != nullptr && p.would_fail(t);
    out[count++] = {t.id,
                    state,
                    p.kind,
                    enabled,
                    static_cast<std::uint16_t>(t.locks_held),
                    p.size,
                    static_cast<std::uint8_t>(reads ? TREADLE_WOULD_READ : TREADLE_WOULD_WRITE),
                    p.pc,
                    p.address,
                    p.extra};
  }
  w.result->pending_count = count;
}

/// Blocked threads are found at their stack pointers: their stacks belong to the story of a deadlock.
void describe_blocked_stacks() noexcept {
  World& w = world();
  if (process().carrier == TREADLE_CARRIER_KERNEL) return;
  Thread* const was = w.current;
  unsigned used = 0;
  for (unsigned id = 0; id <= w.highest_thread && used < TREADLE_MAX_STACK_REQUESTS; ++id) {
    Thread& t = w.threads[id];
    if (t.state != ThreadState::Live || &t == was) continue;
    while (used < TREADLE_MAX_STACK_REQUESTS && w.job->stack_requests[used] != ~0ull) ++used;
    if (used == TREADLE_MAX_STACK_REQUESTS) break;
    // treadle_switch pushed fp words, r15, r14, r13, r12, rbx, then rbp.
    const auto* saved = static_cast<const std::uint64_t*>(t.context.stack_pointer);
    w.current = &t;
    walk_stack(w.result->stacks[used++], ~0ull - 1, saved[6], 0);
  }
  w.current = was;
}

}  // namespace

void end_execution(TreadleEnding ending, std::uint64_t detail, std::uint64_t address, std::uint64_t extra, std::uint64_t pc,
                   const char* text) noexcept {
  World& w = world();
  if (following()) follow_execution_end();
  g_mode = Mode::Prelude;  // nothing the program still does counts
  g_running.whole_granule = 0;
  TreadleResult& r = *w.result;
  r.thread = w.current->id;
  r.detail = detail;
  r.address = address;
  r.extra = extra;
  r.pc = pc;
  r.steps = w.step;
  r.preemptions = w.preemptions;
  r.thread_names = w.thread_names;
  r.plain_hash = plain_hash_of_execution();
  if (text != nullptr) {
    r.text_length = static_cast<std::uint32_t>(strnlen(text, 4096));
    r.text_offset = record_text(text, r.text_length);
  }
  if (ending == TREADLE_END_COMPLETED && w.live_threads > 1) describe_pending();
  if (ending != TREADLE_END_COMPLETED && !process().ending) {
    process().ending = true;
    describe_pending();
    if (r.end_stack.count == 0) walk_stack(r.end_stack, ~0ull, reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)), 0);
    if (ending == TREADLE_END_DEADLOCK || ending == TREADLE_END_LIVELOCK) describe_blocked_stacks();
  }
  r.first_event = process().shared->events_used;
  r.event_count = w.events;
  r.first_choice = process().shared->choices_used;
  r.choice_words = w.choice_words;
  r.first_text = process().shared->texts_used;
  r.text_bytes = w.text_used;
  sources_execution_end();
  symbolic_execution_end();
  output_execution_end();
  r.ending = ending;
  if ((w.job->flags & TREADLE_STOP_FOR_DEBUGGER) != 0) treadle_stop_here(~0ull);
  return_to_controller();
}

void unsupported(const char* sentence, std::uint64_t pc) noexcept {
  if (g_mode != Mode::Active) refuse(sentence);
  end_execution(TREADLE_END_UNSUPPORTED, 0, 0, 0, pc, sentence);
}

void needs_fork(const char* reason, std::uint64_t pc) noexcept {
  if (g_mode == Mode::Active && process().carrier == TREADLE_CARRIER_RESET) end_execution(TREADLE_END_NEEDS_FORK, 0, 0, 0, pc, reason);
}

}  // namespace treadle

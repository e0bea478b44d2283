// SPDX-License-Identifier: Apache-2.0
// One decision point after another. The thread that reaches its next visible operation announces it, the next decision of the Schedule (or,
// after the prefix, of the policy) is looked up on that thread's own stack, and control goes straight to the chosen thread: no scheduler
// thread, one switch per step, none when the same thread goes on.
#include "runtime/scheduler.h"

#include "abi/wish.h"
#include "runtime/carrier.h"
#include "runtime/exit.h"
#include "runtime/follow.h"
#include "runtime/policy.h"
#include "runtime/real.h"
#include "runtime/snapshot.h"
#include "runtime/spin.h"
#include "runtime/start.h"
#include "runtime/store_buffer.h"

namespace treadle {

bool is_enabled(const Thread& thread) noexcept {
  if (awaits_own_buffer(thread)) return false;
  return thread.pending.enabled == nullptr || thread.has_signals || thread.pending.enabled(thread);
}

namespace {

constexpr std::uint32_t kPatience = 1000;  // steps of the others

/// Only one thread decides at a time, and nothing of this is needed after it has. Not on its stack, where four kilobytes, most of them
/// never written, would have to be saved and put back with every snapshot.
TREADLE_KEPT Alternatives g_alternatives;

/// Apart, for the same reason.
__attribute__((noinline)) unsigned add_wakes_of(const Thread& thread, Alternatives& out) noexcept {
  std::uint16_t woken[256];
  const unsigned wakes = thread.pending.wakes(thread, woken, 256);
  for (unsigned i = 0; i < wakes; ++i) out.add(TREADLE_WAKE, thread.id, woken[i]);
  return wakes;
}

void add_moves_of(const Thread& thread, Alternatives& out) noexcept {
  const Pending& p = thread.pending;
  if (is_enabled(thread)) {
    // What it handles first does not depend on what it will do then.
    if (p.wakes == nullptr || thread.has_signals || add_wakes_of(thread, out) == 0) out.add(TREADLE_STEP, thread.id, 0);
    return;
  }
  if (awaits_own_buffer(thread)) return;
  if (p.timed) out.add(TREADLE_TIMEOUT, thread.id, 0);
  if (p.may_wake_spuriously && (world().job->flags & TREADLE_SPURIOUS_WAKEUPS) != 0) out.add(TREADLE_SPURIOUS, thread.id, 0);
}

void add_alternatives_of(const Thread& thread, Alternatives& out) noexcept {
  if (__builtin_expect(!thread.parked, 1) && !(following() && is_at_gate(thread))) add_moves_of(thread, out);
  if (stores_under_way(thread)) add_flushes_of(thread, out);
}

void collect(Alternatives& out) noexcept {
  World& w = world();
  out.count = 0;
  if (w.verifier_atomic > 0 && w.verifier_owner->state == ThreadState::Live) {
    add_alternatives_of(*w.verifier_owner, out);
    if (out.count > 0) return;  // blocked inside an atomic section: the others must be able to unblock it
  }
  for (unsigned id = 0; id <= w.highest_thread; ++id) {
    if (w.threads[id].state == ThreadState::Live) add_alternatives_of(w.threads[id], out);
  }
  if (out.count == Alternatives::kMost) unsupported("more than a thousand different things can happen next", w.current->pending.pc);
}

[[noreturn]] void nobody_can_go_on() noexcept {
  const World& w = world();
  if (following() && !stands_as_recorded()) end_execution(TREADLE_END_OFF_THE_PATH, 0, 0, 0, w.current->pending.pc);
  if (w.in_vain != 0) stop_in_vain(w.current->pending.pc);
  bool spinning = false;
  for (unsigned id = 0; id <= w.highest_thread; ++id) {
    const Thread& thread = w.threads[id];
    if (thread.state != ThreadState::Live || thread.pending.kind != TREADLE_EV_SPIN) continue;
    if (spin_stands_still(thread)) end_execution(TREADLE_END_STOPPED, w.step, 0, 0, thread.pending.pc);
    spinning = true;
  }
  end_execution(spinning ? TREADLE_END_LIVELOCK : TREADLE_END_DEADLOCK, 0, 0, 0, w.current->pending.pc);
}

void write_choice(const Alternatives& alternatives, unsigned taken) noexcept {
  World& w = world();
  TreadleSharedBlock& shared = *process().shared;
  auto* out = reinterpret_cast<std::uint32_t*>(reinterpret_cast<char*>(&shared) + shared.choices_at) + shared.choices_used + w.choice_words;
  const bool all = (w.job->flags & TREADLE_RECORD_CHOICES) != 0;
  const unsigned words = all ? 1 + alternatives.count : 1;
  if (shared.choices_used + w.choice_words + words > shared.choice_capacity)
    end_execution(TREADLE_END_STEP_LIMIT, w.step, 0, 0, w.current->pending.pc, "the trace of one execution is too long to keep");
  const bool probe = all && __builtin_expect(w.job->policy == TREADLE_POLICY_PCT, 0) && is_probe();
  auto put = [&](TreadleDecision d) {
    if (__builtin_expect(probe && d.kind == TREADLE_STEP, 0)) d.argument = probe_weight(d);
    __builtin_memcpy(out++, &d, sizeof d);
  };
  if (all) *out++ = alternatives.count;
  put(alternatives.all[taken]);
  for (unsigned i = 0; all && i < alternatives.count; ++i)
    if (i != taken) put(alternatives.all[i]);
  w.choice_words += words;
}

/// The prefix is that much shorter.
void pass_over_wish() noexcept {
  TreadleSharedBlock& shared = *process().shared;
  TreadleJob& job = shared.jobs[shared.running_job];
  ++job.first_decision;
  --job.decision_count;
}

/// The prefix names the decision; it must be one of the alternatives, or the program is not the one the Schedule was made for. How many of
/// them there are: it was a wish, and is passed over.
unsigned find_in_prefix(const Alternatives& alternatives) noexcept {
  const World& w = world();
  const TreadleSharedBlock& shared = *process().shared;
  const auto* prefix =
      reinterpret_cast<const TreadleDecision*>(reinterpret_cast<const char*>(&shared) + shared.decisions_at) + w.job->first_decision;
  const TreadleDecision& wanted = prefix[w.step];
  const unsigned argument = wanted.argument & ~TREADLE_WISH;
  for (unsigned i = 0; i < alternatives.count; ++i) {
    const TreadleDecision& d = alternatives.all[i];
    if (argument != wanted.argument && w.threads[d.thread].pending.kind == TREADLE_EV_FAIL) continue;  // nobody is wished to fail
    if (wanted.kind == TREADLE_ANY && d.thread == wanted.thread && d.kind != TREADLE_FLUSH) return i;  // they stand in that order
    if (d.kind == wanted.kind && d.thread == wanted.thread && d.argument == argument) return i;
  }
  if (argument != wanted.argument) return pass_over_wish(), alternatives.count;
  // ANY is an attempt: that the thread cannot move is an answer, not a contradiction.
  end_execution(wanted.kind == TREADLE_ANY ? TREADLE_END_STOPPED : TREADLE_END_DIVERGED, w.step, 0, 0, w.current->pending.pc);
}

TreadleDecision decide() noexcept {
  World& w = world();
  Alternatives& alternatives = g_alternatives;
  collect(alternatives);
  if (alternatives.count == 0) nobody_can_go_on();
  if (w.step >= w.job->max_steps) end_execution(TREADLE_END_STEP_LIMIT, w.step, 0, 0, w.current->pending.pc);
  unsigned taken = alternatives.count;
  while (w.step < w.job->decision_count && taken == alternatives.count) taken = find_in_prefix(alternatives);
  if (taken == alternatives.count) {
    if (w.job->policy == TREADLE_POLICY_STOP) end_execution(TREADLE_END_STOPPED, w.step, 0, 0, w.current->pending.pc);
    taken = policy_choose(alternatives);
  }
  write_choice(alternatives, taken);
  ++w.step;
  return alternatives.all[taken];
}

/// The number that stands for this name: known from the table, or the next free one.
unsigned number_of(TreadleThreadName name) noexcept {
  World& w = world();
  TreadleThreadName* names = process().shared->names;
  for (unsigned id = 1; id < w.thread_names; ++id)
    if (names[id].parent == name.parent && names[id].ordinal == name.ordinal) return id;
  if (w.thread_names >= TREADLE_MAX_THREADS) unsupported("the program has more than 249 threads over all its executions", 0);
  names[w.thread_names] = name;
  return w.thread_names++;
}

/// Chooses, hands over, and returns what this thread may do when its turn has come.
Grant hand_over(Thread& self) noexcept {
  World& w = world();
  TreadleDecision decision;
  for (;;) {
    if (__builtin_expect(w.step == w.job->save_snapshot_at, 0)) save_snapshot_here();
    decision = decide();
    if (__builtin_expect(decision.kind != TREADLE_FLUSH, 1)) break;
    flush_store(w.threads[decision.thread], decision.argument);  // no thread moves: this one goes on deciding
  }
  Thread& next = w.threads[decision.thread];
  if (&next != &self && self.state == ThreadState::Live && is_enabled(self)) ++w.preemptions;
  const Grant grant{static_cast<TreadleDecisionKind>(decision.kind), decision.argument};
  w.grant = grant;
  ++next.steps;
  if (&next != &self) carrier_switch(self, next);
  self.pending.kind = TREADLE_EV_NONE;
  return &next == &self ? grant : w.grant;  // what was just written in pieces is slow to read back
}

}  // namespace

Grant step(const Pending& what) noexcept {
  if (g_mode != Mode::Active) return {TREADLE_STEP, 0};
  Thread& self = *world().current;
  if (__builtin_expect(self.iteration_begins, 0) && what.kind != TREADLE_EV_SPIN) spin_tell_iteration(what.pc);
  if (__builtin_expect(self.followed != nullptr, 0)) follow_step(self, what);
  for (;;) {
    self.pending = what;
    const Grant grant = hand_over(self);
    if (__builtin_expect(!self.has_signals, 1)) return grant;
    deliver_pending_signals();  // a handler takes steps of its own, after which the operation may not be possible any more: ask again
    if (what.kind == TREADLE_EV_SPIN) return grant;  // a loop just goes round once more
  }
}

bool may_let_others_go_first() noexcept {
  return g_mode == Mode::Active && world().job->policy == TREADLE_POLICY_PATIENT && !world().flushing;
}

void let_others_go_first(std::uint64_t pc) noexcept {
  World& w = world();
  if (!may_let_others_go_first()) return;
  if (w.fails_first == nullptr) {
    w.fails_first = w.current;
    w.patience_ends = w.step + kPatience;
  }
  Pending what;
  what.kind = TREADLE_EV_FAIL;
  what.awaits = Awaits::Nothing;
  what.pc = pc;
  step(what);
  if (w.in_vain != 0) stop_in_vain(pc);
  record(TREADLE_EV_FAIL, 0, 0, 0, pc);
}

Thread& create_thread(std::uint64_t stack_bytes) noexcept {
  World& w = world();
  if (g_mode != Mode::Active) refuse("a thread is created before main; Treadle starts to check when main is called");
  Thread& parent = *w.current;
  const TreadleThreadName name{parent.id, static_cast<std::uint16_t>(++parent.children)};
  const unsigned id = number_of(name);
  if (id >= process().prepared_threads) end_execution(TREADLE_END_NEEDS_THREADS, id, 0, 0, 0);
  Thread& thread = w.threads[id];
  thread.id = static_cast<std::uint8_t>(id);
  thread.parent = parent.id;
  thread.name = treadle_thread_hash(parent.name, name.ordinal);
  if (following()) follow_thread(thread);
  if (id > w.highest_thread) w.highest_thread = id;
  ++w.live_threads;
  carrier_prepare(thread, stack_bytes);
  thread.pending = Pending{};
  thread.pending.kind = TREADLE_EV_THREAD_START;
  thread.state = ThreadState::Live;
  return thread;
}

void leave_thread() noexcept {
  World& w = world();
  Thread& self = *w.current;
  self.state = ThreadState::Finished;
  --w.live_threads;
  hand_over(self);
  __builtin_trap();  // nobody chooses a finished thread
}

}  // namespace treadle

/// First code on every stack of ours.
extern "C" void treadle_fiber_body() noexcept {
  using namespace treadle;
  if (world().current->id == 0)
    program_main();
  else
    thread_main();
  __builtin_trap();
}

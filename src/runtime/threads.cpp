// SPDX-License-Identifier: Apache-2.0
// Threads begin, end and wait for each other. The handles that the program sees are ours.
#include <pthread.h>
#include <signal.h>

#include <cerrno>

#include "runtime/exit.h"
#include "runtime/mutex.h"
#include "runtime/objects.h"
#include "runtime/real.h"
#include "runtime/signals.h"
#include "runtime/spin.h"
#include "runtime/symbolic.h"
#include "runtime/thread_sync.h"
#include "runtime/time.h"

namespace treadle {

namespace {

/// The thread's function; like a return address, one byte behind the instruction it stands for.
std::uint64_t start_pc(const Thread& thread) noexcept {
  if (thread.id == 0) return reinterpret_cast<std::uint64_t>(process().main) + 1;
  const auto start =
      thread.start != nullptr ? reinterpret_cast<std::uint64_t>(thread.start) : reinterpret_cast<std::uint64_t>(thread.start_c11);
  return start + 1;
}

Thread& joined_by(const Thread& thread) noexcept { return *static_cast<Thread*>(thread.pending.object); }

bool spoken_for(const Thread& target, const Thread& joiner) noexcept {
  const unsigned other = sync_of(target).joiner;
  return target.joined || target.detached || (other != 0 && other != joiner.id + 1u);
}

bool can_join(const Thread& thread) noexcept {
  const Thread& target = joined_by(thread);
  return target.state == ThreadState::Finished || spoken_for(target, thread) || cancel_due(thread);
}

/// A handler will run now, and calls that can be interrupted are not to be taken up again.
bool interrupts(int signal) noexcept {
  const bool blocked = (signals().blocked[self().id] & bit_of(signal)) != 0;
  return !blocked && program_handles(signal) && (signals().actions[signal].sa_flags & SA_RESTART) == 0;
}

/// A thread has ended and still holds locks, which are not robust mutexes.
void report_locks_held(const Thread& me, std::uint64_t pc) noexcept {
  for (Object* object = world().sync->first; object != nullptr; object = object->next) {
    bool held = false;
    if (object->kind == ObjectKind::Mutex) {
      held = holds(static_cast<Mutex&>(*object), me);
    } else if (object->kind == ObjectKind::RwLock) {
      const auto& lock = static_cast<RwLock&>(*object);
      held = lock.writer == me.id + 1u || lock.read_by[me.id] != 0;
    } else if (object->kind == ObjectKind::Spinlock) {
      held = static_cast<Spinlock&>(*object).owner == me.id + 1u;
    }
    if (held) misuse(TREADLE_MISUSE_EXIT_HOLDING_LOCK, object->address, 0, pc);
  }
}

/// 0, or why the running thread cannot wait for `target`.
int wrong_join(const Thread& me, const Thread& target, std::uint64_t pc) noexcept {
  if (&target == &me) {
    misuse(TREADLE_MISUSE_JOIN_SELF, handle_of(target), target.id, pc);
    return EDEADLK;
  }
  if (spoken_for(target, me)) {
    misuse(TREADLE_MISUSE_JOIN_TWICE, handle_of(target), target.id, pc);
    return EINVAL;
  }
  return my_sync().joiner == target.id + 1u && target.state == ThreadState::Live ? EDEADLK : 0;
}

bool has_ended(const Thread& thread) noexcept { return joined_by(thread).state == ThreadState::Finished; }

/// main has called pthread_exit, and the last thread to end ends the program. Which one that is must not depend on the schedule, or what
/// comes after a thread's end would: here it is always main, which waits for the others, one after the other. A thread's number is higher
/// than that of the one that created it, so nobody is missed.
void outlast_the_others(std::uint64_t pc) noexcept {
  for (unsigned id = 1; id <= world().highest_thread; ++id) {
    Thread& other = world().threads[id];
    if (other.state == ThreadState::Unused) continue;
    Pending what;
    what.kind = TREADLE_EV_THREAD_JOIN;
    what.pc = pc;
    what.extra = id + 1u;
    what.object = &other;
    what.enabled = has_ended;
    await(what);
    hb_join(other);
    record(TREADLE_EV_THREAD_JOIN, 0, id, 0, pc);
  }
}

void complete_join(Thread& target, void** result) noexcept {
  target.joined = true;
  if (result != nullptr) *result = target.result;
  hb_join(target);
  spin_wrote();
}

}  // namespace

ThreadSync& sync_of(const Thread& thread) noexcept {
  if (thread.sync != nullptr) return *thread.sync;
  ThreadSync*& known = world().sync->threads[thread.id];
  if (known == nullptr) known = arena_new<ThreadSync>();
  world().threads[thread.id].sync = known;
  return *known;
}

Thread* thread_of(pthread_t handle) noexcept {
  const std::uint64_t id = (handle - kFirstHandle) / kHandleStride;
  if (id >= TREADLE_MAX_THREADS || handle != kFirstHandle + id * kHandleStride) return nullptr;
  Thread& thread = world().threads[id];
  return thread.state == ThreadState::Unused && id != 0 ? nullptr : &thread;
}

pthread_t start_thread(const NewThread& what, std::uint64_t pc) noexcept {
  step(TREADLE_EV_THREAD_CREATE, 0, pc);
  Thread& child = create_thread(what.stack_bytes);
  child.start = what.start;
  child.start_c11 = what.start_c11;
  child.start_argument = what.argument;
  child.detached = what.detached;
  child.pending.pc = start_pc(child);
  sync_of(child).created_at = pc;
  inherit_signal_mask(child);
  inherit_random(child);
  hb_create(child);
  spin_wrote();
  record(TREADLE_EV_THREAD_CREATE, 0, child.id, 0, pc);
  return handle_of(child);
}

void thread_main() noexcept {
  Thread& me = self();
  record(TREADLE_EV_THREAD_START, 0, me.parent, 0, start_pc(me));
  me.result = me.start != nullptr ? me.start(me.start_argument)
                                  : reinterpret_cast<void*>(static_cast<std::intptr_t>(me.start_c11(me.start_argument)));
  symbolic_result_kept(me.start != nullptr ? reinterpret_cast<const void*>(me.start) : reinterpret_cast<const void*>(me.start_c11));
  finish_thread();
}

void finish_thread() noexcept {
  Thread& me = self();
  my_sync().ending = true;
  run_thread_local_destructors();
  run_key_destructors();
  const std::uint64_t pc = start_pc(me);
  if (me.locks_held > 0) leave_robust_mutexes(pc);
  if (me.id == 0) outlast_the_others(pc);
  step(TREADLE_EV_THREAD_EXIT, 0, pc);
  if (me.locks_held > 0) report_locks_held(me, pc);
  record(TREADLE_EV_THREAD_EXIT, 0, reinterpret_cast<std::uint64_t>(me.result), 0, pc);
  if (world().live_threads == 1) leave_program(0, pc);  // main, which has left with pthread_exit
  leave_thread();
}

void tell_result(const void* at, std::uint64_t value, std::uint64_t before, unsigned size, std::uint64_t pc) noexcept {
  const World& w = world();
  if (active() && w.record_plain)
    record(TREADLE_EV_WRITE, reinterpret_cast<std::uint64_t>(at), value, w.plain_is_visible || w.record_symbolic ? before : 0, pc, size, 0);
}

int join_thread(pthread_t handle, void** result, const Deadline& deadline, std::uint64_t pc) noexcept {
  if (!deadline.valid()) return EINVAL;
  Thread* target = thread_of(handle);
  if (target == nullptr) return ESRCH;
  Thread& me = self();
  if (target->id == 0 && &me != target) unsupported("a thread joins the main thread", pc);
  ThreadSync& its = sync_of(*target);
  if (its.joiner == 0) its.joiner = static_cast<std::uint16_t>(me.id + 1u);
  Pending what;
  what.kind = TREADLE_EV_THREAD_JOIN;
  what.pc = pc;
  what.extra = target->id + 1u;
  what.object = target;
  what.enabled = target == &me || my_sync().joiner == target->id + 1u ? nullptr : can_join;
  deadline.put_into(what);
  const Grant grant = await(what);
  int failed = 0;
  if (grant.kind == TREADLE_TIMEOUT) {
    let_time_pass(what);
    failed = ETIMEDOUT;
  } else if (cancel_due(me)) {
    if (its.joiner == me.id + 1u) its.joiner = 0;
    act_on_cancel();
  } else {
    failed = wrong_join(me, *target, pc);
  }
  const auto before = failed == 0 && result != nullptr ? reinterpret_cast<std::uint64_t>(*result) : 0;
  if (failed == 0) {
    complete_join(*target, result);
  } else if (its.joiner == me.id + 1u) {
    its.joiner = 0;
  }
  record(TREADLE_EV_THREAD_JOIN, 0, target->id, static_cast<std::uint64_t>(failed), pc, deadline.at != nullptr);
  if (failed == 0 && result != nullptr) {
    tell_result(result, reinterpret_cast<std::uint64_t>(*result), before, sizeof *result, pc);
    symbolic_result_written(target->id, result, sizeof *result, pc);
  }
  return failed;
}

int detach_thread(pthread_t handle, std::uint64_t pc) noexcept {
  Thread* target = thread_of(handle);
  if (target == nullptr) return ESRCH;
  step(TREADLE_EV_THREAD_DETACH, 0, pc);
  const int failed = target->joined || target->detached ? EINVAL : 0;
  if (failed != 0) misuse(TREADLE_MISUSE_JOIN_TWICE, handle_of(*target), target->id, pc);
  target->detached = true;
  spin_wrote();
  record(TREADLE_EV_THREAD_DETACH, 0, target->id, static_cast<std::uint64_t>(failed), pc);
  return failed;
}

void threads_at_exit(std::uint64_t pc) noexcept {
  for (unsigned id = 1; id <= world().highest_thread; ++id) {
    const Thread& other = world().threads[id];
    if (other.state == ThreadState::Live && &other != &self() && leftovers_matter())
      misuse(TREADLE_MISUSE_MAIN_LEFT_EARLY, handle_of(other), id, pc);
  }
}

void begin_interruptible_wait(std::uint64_t pc) noexcept {
  bool possible = false;
  for (int signal = 1; world().signals != nullptr && signal <= kSignals && !possible; ++signal)
    possible = program_handles(signal) && (signals().actions[signal].sa_flags & SA_RESTART) == 0;
  if (possible) step(TREADLE_EV_YIELD, 0, pc);
  my_sync().interrupted = false;
}

void deliver_pending_signals() noexcept {
  Thread& me = self();
  me.has_signals = false;
  SignalSet due = my_sync().signals;
  my_sync().signals = 0;
  for (int signal = 1; signal <= kSignals; ++signal)
    if ((due & bit_of(signal)) != 0) {
      if (interrupts(signal)) my_sync().interrupted = true;
      deliver_signal(signal, me.pending.pc);
    }
}

}  // namespace treadle

using namespace treadle;

extern "C" {

int pthread_create(pthread_t* handle, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) noexcept {
  if (native()) return TREADLE_REAL(pthread_create)(handle, attributes, start, argument);
  NewThread what{start, nullptr, argument, 0, false};
  if (attributes != nullptr) {
    int state = PTHREAD_CREATE_JOINABLE;
    std::size_t bytes = 0;
    pthread_attr_getdetachstate(attributes, &state);
    pthread_attr_getstacksize(attributes, &bytes);
    what.detached = state == PTHREAD_CREATE_DETACHED;
    what.stack_bytes = bytes;
  }
  *handle = start_thread(what, TREADLE_PC());
  return 0;
}

pthread_t pthread_self() noexcept { return native() ? TREADLE_REAL(pthread_self)() : handle_of(self()); }

int pthread_join(pthread_t handle, void** result) {
  if (native()) return TREADLE_REAL(pthread_join)(handle, result);
  return join_thread(handle, result, {}, TREADLE_PC());
}

int pthread_timedjoin_np(pthread_t handle, void** result, const timespec* limit) {
  if (native()) return TREADLE_REAL(pthread_timedjoin_np)(handle, result, limit);
  return join_thread(handle, result, {CLOCK_REALTIME, limit}, TREADLE_PC());
}

int pthread_clockjoin_np(pthread_t handle, void** result, clockid_t clock, const timespec* limit) {
  if (native()) return TREADLE_REAL(pthread_clockjoin_np)(handle, result, clock, limit);
  return join_thread(handle, result, {clock, limit}, TREADLE_PC());
}

int pthread_tryjoin_np(pthread_t handle, void** result) noexcept {
  if (native()) return TREADLE_REAL(pthread_tryjoin_np)(handle, result);
  const std::uint64_t pc = TREADLE_PC();
  Thread* target = thread_of(handle);
  step(TREADLE_EV_THREAD_JOIN, 0, pc);
  int failed = target == nullptr ? ESRCH : EBUSY;
  if (target != nullptr && target->state == ThreadState::Finished) {
    failed = wrong_join(self(), *target, pc);
    if (failed == 0) complete_join(*target, result);
  } else if (target != nullptr) {
    spin_read(&target->state, sizeof target->state);
  }
  record(TREADLE_EV_THREAD_JOIN, 0, target == nullptr ? 0 : target->id, static_cast<std::uint64_t>(failed), pc, 1);
  return failed;
}

int pthread_detach(pthread_t handle) noexcept {
  if (native()) return TREADLE_REAL(pthread_detach)(handle);
  return detach_thread(handle, TREADLE_PC());
}

int pthread_kill(pthread_t handle, int signal) noexcept {
  if (native()) return TREADLE_REAL(pthread_kill)(handle, signal);
  const std::uint64_t pc = TREADLE_PC();
  if (signal != 0 && !is_signal(signal)) return EINVAL;
  step(TREADLE_EV_SIGNAL_THREAD, 0, pc);
  Thread* target = thread_of(handle);
  if (target == nullptr || target->joined) return ESRCH;
  record(TREADLE_EV_SIGNAL_THREAD, 0, target->id, static_cast<std::uint64_t>(signal), pc);
  if (signal == 0 || target->state == ThreadState::Finished) return 0;
  hb_release(signals().clock);
  spin_wrote();
  if (target == &self()) {
    deliver_signal(signal, pc);
  } else {
    sync_of(*target).signals |= bit_of(signal);
    target->has_signals = true;
  }
  return 0;
}

int pthread_sigqueue(pthread_t handle, int signal, const sigval value) noexcept {
  if (native()) return TREADLE_REAL(pthread_sigqueue)(handle, signal, value);
  unsupported("the program queues a signal with a value (pthread_sigqueue)", TREADLE_PC());
}

}  // extern "C"

// SPDX-License-Identifier: Apache-2.0
// The controller: takes jobs from the shared block, runs each as one execution, and says when it is done. Lives on the kernel's stack of
// the main thread, outside everything that is restored.
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "abi/wish.h"
#include "runtime/arguments.h"
#include "runtime/carrier.h"
#include "runtime/io.h"
#include "runtime/output.h"
#include "runtime/policy.h"
#include "runtime/race.h"
#include "runtime/scheduler.h"
#include "runtime/snapshot.h"
#include "runtime/start.h"
#include "runtime/symbolic.h"
#include "runtime/sys.h"

extern "C" int _Fork() noexcept;

namespace treadle {

namespace {

void clear_result(TreadleResult& r) noexcept {
  if (r.stacks_taken != 0) {
    for (auto& stack : r.stacks) stack.count = 0;
    r.end_stack.count = 0;
  }
  __builtin_memset(&r, 0, offsetof(TreadleResult, stacks));
}

/// An attempt to go on (ANY) is made to see what comes then, and so is what others than an explorer of paths run meanwhile: they are not
/// stopped.
void find_last_asked(const TreadleJob& job) noexcept {
  World& w = world();
  w.asked_steps = w.in_vain = 0;
  if ((job.flags & TREADLE_SPINS_STOP) == 0 || job.policy != TREADLE_POLICY_PATIENT) return;
  const TreadleSharedBlock& shared = *process().shared;
  const auto* prefix =
      reinterpret_cast<const TreadleDecision*>(reinterpret_cast<const char*>(&shared) + shared.decisions_at) + job.first_decision;
  std::uint32_t asked = job.decision_count;
  while (asked > 0 && (prefix[asked - 1].argument & TREADLE_WISH) != 0) --asked;
  if (asked == 0 || prefix[asked - 1].kind == TREADLE_ANY || prefix[asked - 1].kind == TREADLE_FLUSH) return;
  w.asked_steps = asked;
  w.asked_thread = prefix[asked - 1].thread;
}

/// The job's view of the World, also when it goes on from a snapshot.
void take_job(const TreadleJob& job, TreadleResult& result) noexcept {
  World& w = world();
  w.job = &job;
  w.result = &result;
  if (job.thread_names > process().names_known) process().names_known = job.thread_names;
  w.thread_names = process().names_known;
  w.plain_is_visible = job.races == TREADLE_RACES_EXPLORE;
  w.record_plain = w.plain_is_visible || (job.flags & TREADLE_RECORD_PLAIN) != 0;
  w.record_symbolic = is_symbolic(job);
  w.check_races = job.races != TREADLE_RACES_IGNORE;
  find_last_asked(job);
  w.next_stack_request = ~0ull;
  for (const std::uint64_t wanted : job.stack_requests)
    if (wanted < w.next_stack_request) w.next_stack_request = wanted;
  if ((job.flags & TREADLE_STOP_FOR_DEBUGGER) != 0 && job.stop_at_event < w.next_stack_request) w.next_stack_request = job.stop_at_event;
}

/// From a snapshot, whose job may have recorded less than this one wants.
void go_on(const TreadleJob& job, TreadleResult& result) noexcept {
  take_job(job, result);
  race_take_job();
}

void begin_from_base(const TreadleJob& job, TreadleResult& result) noexcept {
  World& w = world();
  take_job(job, result);
  w.live_threads = 1;
  Thread& main = w.threads[0];
  main.state = ThreadState::Live;
  main.pending = Pending{};
  w.current = &main;
  carrier_prepare(main, 0);
  if (process().carrier == TREADLE_CARRIER_RESET) io_execution_begin();
  output_execution_begin();
  time_execution_begin();
  race_execution_begin();
  policy_begin();
  symbolic_execution_begin();
}

void mark_running(unsigned index) noexcept {
  TreadleSharedBlock& shared = *process().shared;
  process().ending = false;
  process().in_execution = true;
  shared.running_job = index;
  __atomic_store_n(&shared.execution, ++process().execution, __ATOMIC_RELEASE);
  g_mode = Mode::Active;
}

void mark_stopped() noexcept {
  process().in_execution = false;
  __atomic_store_n(&process().shared->execution, 0, __ATOMIC_RELEASE);
}

/// Runs fibers until the execution is over; comes back in between to save snapshots.
void run_fibers() noexcept {
  for (;;) {
    process().request = Process::Request::Ended;
    Thread& next = *world().current;
    set_fs_base(next.fs_base);
    treadle_switch(&process().controller.stack_pointer, next.context.stack_pointer);
    if (process().request == Process::Request::Ended) return;
    world().result->saved_snapshot = save_snapshot(world().job->save_snapshot_as) ? 1 : 0;
  }
}

void run_in_place(unsigned index) noexcept {
  TreadleSharedBlock& shared = *process().shared;
  const TreadleJob& job = shared.jobs[index];
  TreadleResult& result = shared.results[index];
  if (restore_snapshot(job, result))
    go_on(job, result);
  else
    begin_from_base(job, result);
  mark_running(index);
  run_fibers();
  mark_stopped();
  io_execution_end();
}

[[noreturn]] void run_here_and_leave(unsigned index) noexcept {
  TreadleSharedBlock& shared = *process().shared;
  begin_from_base(shared.jobs[index], shared.results[index]);
  mark_running(index);
  if (process().carrier == TREADLE_CARRIER_KERNEL) treadle_run_on_stack(reinterpret_cast<void*>(stack_top(0)));
  run_fibers();
  sys(SYS_exit_group, 0);
  __builtin_trap();
}

void run_in_child(unsigned index) noexcept {
  TreadleSharedBlock& shared = *process().shared;
  const std::uint64_t before = process().execution;
  const int child = ::_Fork();
  if (child == 0) {
    sys(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
    __atomic_store_n(&shared.guest_pid, static_cast<std::uint32_t>(sys(SYS_getpid)), __ATOMIC_RELEASE);
    run_here_and_leave(index);
  }
  TreadleResult& result = shared.results[index];
  if (child < 0) {
    result.ending = TREADLE_END_UNSUPPORTED;
    return;
  }
  int status = 0;
  while (sys(SYS_wait4, child, reinterpret_cast<long>(&status), 0, 0) == -4 /* interrupted */) {
  }
  __atomic_store_n(&shared.guest_pid, static_cast<std::uint32_t>(sys(SYS_getpid)), __ATOMIC_RELEASE);
  process().execution = before + 1;
  mark_stopped();
  if (result.ending == TREADLE_END_NOT_RUN) {  // it was killed before it could say how it ended
    result.ending = TREADLE_END_SIGNALLED;
    result.detail = WIFSIGNALED(status) ? static_cast<unsigned>(WTERMSIG(status)) : 0;
    result.event_count = result.choice_words = result.expression_count = result.note_count = 0;
  }
}

void run_one(unsigned index) noexcept {
  TreadleSharedBlock& shared = *process().shared;
  TreadleResult& result = shared.results[index];
  clear_result(result);
  if (shared.in_place != 0) run_here_and_leave(index);
  if (process().carrier == TREADLE_CARRIER_RESET)
    run_in_place(index);
  else
    run_in_child(index);
  if (result.thread_names > process().names_known) process().names_known = result.thread_names;
  shared.events_used += result.event_count;
  shared.choices_used += result.choice_words;
  shared.texts_used += result.text_bytes;
  shared.pending_used += result.pending_count;
  shared.expressions_used += result.expression_count;
  shared.notes_used += result.note_count;
}

/// A short spin first: on an idle second core the host answers within a microsecond, unless it has much to read.
void wait_for_batch(std::uint32_t seen) noexcept {
  TreadleSharedBlock& shared = *process().shared;
  const unsigned most = shared.job_count > TREADLE_SHORT_BATCH ? 0 : 2000 / (1 + shared.job_count / 4);
  for (unsigned i = 0; i < most; ++i) {
    if (__atomic_load_n(&shared.posted, __ATOMIC_ACQUIRE) != seen) return;
    __builtin_ia32_pause();
  }
  while (__atomic_load_n(&shared.posted, __ATOMIC_ACQUIRE) == seen) futex_wait(&shared.posted, seen);
}

}  // namespace

void return_to_controller() noexcept {
  if (process().carrier != TREADLE_CARRIER_RESET) sys(SYS_exit_group, 0);
  process().request = Process::Request::Ended;
  set_fs_base(world().threads[0].fs_base);
  Context abandoned;
  treadle_switch(&abandoned.stack_pointer, process().controller.stack_pointer);
  __builtin_trap();
}

void serve_jobs() noexcept {
  TreadleSharedBlock& shared = *process().shared;
  std::uint32_t seen = 0;
  __atomic_store_n(&shared.guest_state, static_cast<std::uint32_t>(TREADLE_GUEST_READY), __ATOMIC_RELEASE);
  futex_wake(&shared.guest_state);
  for (;;) {
    wait_for_batch(seen);
    seen = __atomic_load_n(&shared.posted, __ATOMIC_ACQUIRE);
    if (shared.shut_down != 0) sys(SYS_exit_group, 0);
    if (shared.argument_bytes != 0) take_arguments();
    shared.events_used = shared.choices_used = shared.texts_used = shared.pending_used = shared.expressions_used = shared.notes_used = 0;
    process().names_known = shared.jobs[0].thread_names;  // the host's table is the one that counts: it may have changed
    for (unsigned i = 0; i < shared.job_count && i < TREADLE_MAX_BATCH; ++i) {
      // Half full: what is left of the batch is posted again by the host.
      if (shared.events_used > shared.event_capacity / 2 || shared.choices_used > shared.choice_capacity / 2 ||
          shared.texts_used > shared.text_capacity / 2 || shared.pending_used > TREADLE_MAX_PENDING / 2 ||
          shared.expressions_used > shared.expression_capacity / 2 || shared.notes_used > shared.note_capacity / 2 ||
          !snapshot_fits(shared.jobs[i]))
        break;
      run_one(i);
      __atomic_store_n(&shared.results_done, i + 1, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&shared.finished, seen, __ATOMIC_RELEASE);
    futex_wake(&shared.finished);
  }
}

}  // namespace treadle

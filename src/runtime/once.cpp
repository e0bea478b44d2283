// SPDX-License-Identifier: Apache-2.0
// pthread_once, call_once and the guards of function-local statics. A thread that comes while another one runs the initialiser blocks until
// that has finished; an exception (or pthread_exit) out of the initialiser means that it has not run, and the next thread tries again.
//
// Whether it has run stands in the program's own word, as with glibc: a once_flag may be a local variable, and the next one at its place is
// new.
#include "runtime/once.h"

#include <pthread.h>
#include <threads.h>

#include "abi/hooks.h"
#include "runtime/guarded_call.h"
#include "runtime/objects.h"
#include "runtime/real.h"
#include "runtime/spin.h"

extern "C" {
int __cxa_guard_acquire(std::uint64_t*);
void __cxa_guard_release(std::uint64_t*) noexcept;
void __cxa_guard_abort(std::uint64_t*) noexcept;
}

namespace treadle {

namespace {

enum Control : int { kNew = 0, kRunning = 1, kDone = 2 };
constexpr int kReleaseOrder = 3;

Once& once_at(const void* address, std::uint64_t pc) noexcept {
  Once* known = find<Once>(address);
  return known != nullptr ? *known : make<Once>(address, pc);
}

bool nobody_runs_it(const Thread& thread) noexcept {
  const Once& once = *static_cast<Once*>(thread.pending.object);
  world().threads[thread.id].pending.extra = once.runner;
  return once.runner == 0;
}

void wait_until_nobody_runs_it(Once& once, std::uint64_t pc) noexcept {
  Pending what;
  what.kind = TREADLE_EV_ONCE_BEGIN;
  what.pc = pc;
  what.address = once.address;
  what.object = &once;
  what.enabled = nobody_runs_it;
  await(what);
  hb_acquire(once.clock);
}

void begin(Once& once, bool done, std::uint64_t pc) noexcept {
  if (!done) once.runner = self().id + 1u;
  done ? spin_read(&once.runner, sizeof once.runner) : spin_wrote();
  record(TREADLE_EV_ONCE_BEGIN, once.address, !done, 0, pc);
}

void end(Once& once, std::uint64_t pc) noexcept {
  step(TREADLE_EV_ONCE_END, once.address, pc);
  once.runner = 0;
  hb_release(once.clock);
  spin_wrote();
  record(TREADLE_EV_ONCE_END, once.address, 0, 0, pc);
}

struct Attempt {
  Once& once;
  int* control;
  std::uint64_t pc;
};

void end_attempt(void* argument, int returned) noexcept {
  const Attempt& attempt = *static_cast<Attempt*>(argument);
  end(attempt.once, attempt.pc);
  *attempt.control = returned ? kDone : kNew;
}

bool is_initialised(const std::uint64_t* guard) noexcept { return *reinterpret_cast<const volatile unsigned char*>(guard) != 0; }

}  // namespace

void run_once(int* control, void (*initialiser)(), std::uint64_t pc) {
  Once& once = once_at(control, pc);
  wait_until_nobody_runs_it(once, pc);
  const bool done = *control == kDone;
  begin(once, done, pc);
  if (done) return;
  *control = kRunning;
  Attempt attempt{once, control, pc};
  treadle_guarded_call(initialiser, end_attempt, &attempt);
}

}  // namespace treadle

using namespace treadle;

extern "C" {

int pthread_once(pthread_once_t* control, void (*initialiser)()) {
  if (native()) return TREADLE_REAL(pthread_once)(control, initialiser);
  run_once(control, initialiser, TREADLE_PC());
  return 0;
}

void call_once(once_flag* flag, void (*initialiser)()) {
  if (native()) return TREADLE_REAL(call_once)(flag, initialiser);
  run_once(&flag->__data, initialiser, TREADLE_PC());
}

/// 1: the caller runs the initialiser, then calls release or abort.
int __cxa_guard_acquire(std::uint64_t* guard) {
  if (native()) return TREADLE_REAL(__cxa_guard_acquire)(guard);
  const std::uint64_t pc = TREADLE_PC();
  Once& once = once_at(guard, pc);
  wait_until_nobody_runs_it(once, pc);
  const bool done = is_initialised(guard);
  begin(once, done, pc);
  return !done;
}

/// Compiled code looks at the first byte with an acquire load of its own before it asks us: the hook makes the matching store.
void __cxa_guard_release(std::uint64_t* guard) noexcept {
  if (native()) return TREADLE_REAL(__cxa_guard_release)(guard);
  __treadle_atomic_store1(guard, 1, kReleaseOrder);
  end(once_at(guard, TREADLE_PC()), TREADLE_PC());
}

void __cxa_guard_abort(std::uint64_t* guard) noexcept {
  if (native()) return TREADLE_REAL(__cxa_guard_abort)(guard);
  end(once_at(guard, TREADLE_PC()), TREADLE_PC());
}

}  // extern "C"

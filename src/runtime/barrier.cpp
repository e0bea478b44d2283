// SPDX-License-Identifier: Apache-2.0
// Barriers. Arriving is one visible operation, leaving another one, enabled when the round is complete. The last to arrive leaves in the
// same step: what it does there, nobody can observe. Who does not ask whether it was the last one leaves by a step of its own in any case, so
// that its steps are the same whoever it was.
#include <pthread.h>

#include <cerrno>

#include "runtime/objects.h"
#include "runtime/real.h"
#include "runtime/spin.h"

using namespace treadle;

namespace {

constexpr unsigned kGreatest = 0x7fffffff;  // as in glibc

Barrier& barrier_at(const pthread_barrier_t* at, std::uint64_t pc) noexcept {
  if (Barrier* known = find<Barrier>(at)) return *known;
  Barrier& made = make<Barrier>(at, pc);
  made.parties = 1;
  made.round = arena_new<BarrierRound>();
  report_uninitialised(made, TREADLE_MISUSE_UNINITIALISED_BARRIER, pc);
  return made;
}

bool is_complete(const Thread& thread) noexcept { return static_cast<BarrierRound*>(thread.pending.object)->complete; }

BarrierRound* next_round(const BarrierRound& round) noexcept {
  auto* next = arena_new<BarrierRound>();
  next->number = round.number + 1;
  return next;
}

void leave(const Barrier& barrier, const BarrierRound& round, std::uint64_t pc) noexcept {
  hb_acquire(round.clock);
  record(TREADLE_EV_BARRIER_LEAVE, barrier.address, 0, round.number, pc);
}

enum class Asks : bool { Nothing, WhetherItIsLast };

int wait_at(pthread_barrier_t* at, Asks asks, std::uint64_t pc) noexcept {
  Barrier& barrier = barrier_at(at, pc);
  await(TREADLE_EV_BARRIER_ARRIVE, barrier, pc);
  BarrierRound& round = *barrier.round;
  ++round.arrived;
  hb_release(round.clock);
  spin_wrote();
  record(TREADLE_EV_BARRIER_ARRIVE, barrier.address, round.arrived, round.number, pc, asks == Asks::Nothing ? 1 : 0);
  const bool is_last = round.arrived == barrier.parties;
  if (is_last) {
    round.complete = true;
    barrier.round = next_round(round);
  }
  if (!is_last || asks == Asks::Nothing) {
    Pending what;
    what.kind = TREADLE_EV_BARRIER_LEAVE;
    what.pc = pc;
    what.address = barrier.address;
    what.object = &round;
    what.enabled = is_complete;
    await(what);
  }
  leave(barrier, round, pc);
  return is_last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

}  // namespace

extern "C" {

int pthread_barrier_init(pthread_barrier_t* at, const pthread_barrierattr_t* attributes, unsigned parties) noexcept {
  if (native()) return TREADLE_REAL(pthread_barrier_init)(at, attributes, parties);
  const std::uint64_t pc = TREADLE_PC();
  if (parties == 0 || parties > kGreatest) return EINVAL;
  const Barrier* old = find<Barrier>(at);
  if (old != nullptr && old->round->arrived > 0) misuse(TREADLE_MISUSE_REINITIALISED, old->address, 0, pc);
  Barrier& barrier = make<Barrier>(at, pc);
  barrier.by_init = true;
  barrier.parties = parties;
  barrier.round = arena_new<BarrierRound>();
  record(TREADLE_EV_BARRIER_INIT, barrier.address, parties, 0, pc);
  return 0;
}

int pthread_barrier_destroy(pthread_barrier_t* at) noexcept {
  if (native()) return TREADLE_REAL(pthread_barrier_destroy)(at);
  const std::uint64_t pc = TREADLE_PC();
  Barrier& barrier = barrier_at(at, pc);
  await(TREADLE_EV_BARRIER_DESTROY, barrier, pc);
  if (barrier.round->arrived > 0) misuse(TREADLE_MISUSE_DESTROY_IN_USE, barrier.address, 0, pc);
  barrier.destroyed = true;
  record(TREADLE_EV_BARRIER_DESTROY, barrier.address, 0, 0, pc);
  return 0;
}

int pthread_barrier_wait(pthread_barrier_t* at) noexcept {
  if (native()) return TREADLE_REAL(pthread_barrier_wait)(at);
  return wait_at(at, Asks::WhetherItIsLast, TREADLE_PC());
}

/// Called instead where the result is not used (src/pass/instrument.cpp).
int __treadle_barrier_pass(pthread_barrier_t* at) noexcept {
  if (native()) return TREADLE_REAL(pthread_barrier_wait)(at);
  return wait_at(at, Asks::Nothing, TREADLE_PC());
}

}  // extern "C"

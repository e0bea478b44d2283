// SPDX-License-Identifier: Apache-2.0
// A crash ends the execution, from the handler. Under TREADLE_POLICY_PATIENT the others go on first, which they cannot while a handler is
// running: it returns to the thread's own stack, below everything the thread has there, and the thread crashes from there when its turn
// comes. Not when code without hooks has crashed, which may hold a lock of its own that the others would wait for, nor in the middle of
// the runtime.
#include "runtime/crash.h"

#include <signal.h>
#include <ucontext.h>

#include <initializer_list>

#include "runtime/carrier.h"
#include "runtime/code.h"
#include "runtime/race.h"
#include "runtime/real.h"
#include "runtime/scheduler.h"
#include "runtime/stack_walk.h"
#include "runtime/start.h"
#include "runtime/sys.h"
#include "runtime/watched.h"

namespace treadle {

namespace {

struct Crash {
  std::uint64_t signal, address, code, pc, frame;
  TreadleEnding ending;
};

std::uint64_t value_of(const ucontext_t& at, int which) noexcept { return static_cast<std::uint64_t>(at.uc_mcontext.gregs[which]); }

void take_stack(const ucontext_t& at) noexcept {
  walk_stack(world().result->end_stack, ~0ull, value_of(at, REG_RBP), value_of(at, REG_RIP));
}

[[noreturn]] void end_by(const Crash& crash) noexcept {
  TreadleStack& stack = world().result->end_stack;
  if (stack.count == 0) walk_stack(stack, ~0ull, crash.frame, crash.pc);
  end_execution(crash.ending, crash.signal, crash.address, crash.code, crash.pc);
}

[[noreturn]] void crash_as_the_last(const Crash* crash) noexcept {
  let_others_go_first(crash->pc);
  end_by(*crash);
}

constexpr std::uint64_t kRedZone = 128;       // below the stack pointer, in use by functions that call none
constexpr std::uint64_t kRoomToWait = 65536;  // for the way through the scheduler
constexpr std::uint64_t kBackwards = 0x400;   // the direction flag, which no function expects to be set

/// Null: it has no place there.
Crash* place_for_waiting(const ucontext_t& at) noexcept {
  const Thread& self = *world().current;
  const std::uint64_t top = stack_top(self.id), sp = value_of(at, REG_RSP);
  if (sp > top - sizeof(std::uint64_t) || sp < top - self.stack_bytes + kRoomToWait) return nullptr;
  std::uint64_t pc = value_of(at, REG_RIP);
  if (pc < 4096) pc = *reinterpret_cast<const std::uint64_t*>(sp);  // a function that is not there was called, from here
  if (!is_of_the_program(pc) && !touches_memory(pc)) return nullptr;
  return reinterpret_cast<Crash*>((sp - kRedZone - sizeof(Crash)) & ~63ull);
}

/// The handler is to return, to what waits.
bool waits_for_others(const Crash& crash, ucontext_t& at) noexcept {
  if (crash.ending != TREADLE_END_SIGNALLED || !may_let_others_go_first()) return false;
  Crash* const kept = place_for_waiting(at);
  if (kept == nullptr) return false;
  *kept = crash;
  auto set = [&](int which, std::uint64_t value) { at.uc_mcontext.gregs[which] = static_cast<greg_t>(value); };
  set(REG_RDI, reinterpret_cast<std::uint64_t>(kept));
  set(REG_RSP, reinterpret_cast<std::uint64_t>(kept) - sizeof(std::uint64_t));  // as if a call had pushed where to return to
  set(REG_RIP, reinterpret_cast<std::uint64_t>(&crash_as_the_last));
  set(REG_EFL, value_of(at, REG_EFL) & ~kBackwards);
  return true;
}

void on_crash(int signal, siginfo_t* info, void* context) noexcept {
  if (signal == SIGSEGV && watched_fault(reinterpret_cast<std::uint64_t>(info->si_addr))) return;
  if (!process().in_execution) refuse("the program crashes before main is called");
  auto& at = *static_cast<ucontext_t*>(context);
  const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
  if (signal == SIGSEGV && race_fault(address)) return;  // shadow of memory at an unusual place: there now
  if (process().ending) return_to_controller();          // the state is too broken to describe
  const bool overflow = signal == SIGSEGV && in_stack_guard(address);
  const Crash crash{static_cast<std::uint64_t>(signal),
                    address,
                    static_cast<std::uint64_t>(info->si_code),
                    value_of(at, REG_RIP),
                    value_of(at, REG_RBP),
                    overflow ? TREADLE_END_STACK_OVERFLOW : TREADLE_END_SIGNALLED};
  if (!waits_for_others(crash, at)) end_by(crash);
}

void on_time_limit(int, siginfo_t*, void* context) noexcept {
  const TreadleSharedBlock& shared = *process().shared;
  if (!process().in_execution || process().ending || shared.interrupt != shared.execution) return;
  const auto& at = *static_cast<const ucontext_t*>(context);
  take_stack(at);
  end_execution(TREADLE_END_TIME_LIMIT, 0, 0, 0, static_cast<std::uint64_t>(at.uc_mcontext.gregs[REG_RIP]));
}

void handle(int signal, void (*handler)(int, siginfo_t*, void*) noexcept) noexcept {
  struct sigaction action{};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  TREADLE_REAL(sigaction)(signal, &action, nullptr);
}

}  // namespace

void catch_crashes() noexcept {
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS}) handle(signal, on_crash);
  handle(SIGVTALRM, on_time_limit);
}

}  // namespace treadle

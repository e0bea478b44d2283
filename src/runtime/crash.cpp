// SPDX-License-Identifier: Apache-2.0
#include "runtime/crash.h"

#include <signal.h>
#include <ucontext.h>

#include <initializer_list>

#include "runtime/carrier.h"
#include "runtime/race.h"
#include "runtime/real.h"
#include "runtime/scheduler.h"
#include "runtime/stack_walk.h"
#include "runtime/start.h"
#include "runtime/sys.h"
#include "runtime/watched.h"

namespace treadle {

namespace {

void take_stack(const ucontext_t& at) noexcept {
  walk_stack(world().result->end_stack, ~0ull, static_cast<std::uint64_t>(at.uc_mcontext.gregs[REG_RBP]),
             static_cast<std::uint64_t>(at.uc_mcontext.gregs[REG_RIP]));
}

void on_crash(int signal, siginfo_t* info, void* context) noexcept {
  if (signal == SIGSEGV && watched_fault(reinterpret_cast<std::uint64_t>(info->si_addr))) return;
  if (!process().in_execution) refuse("the program crashes before main is called");
  const auto& at = *static_cast<const ucontext_t*>(context);
  const auto pc = static_cast<std::uint64_t>(at.uc_mcontext.gregs[REG_RIP]);
  const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
  if (signal == SIGSEGV && race_fault(address)) return;  // shadow of memory at an unusual place: there now
  if (process().ending) return_to_controller();          // the state is too broken to describe
  if (world().result->end_stack.count == 0) take_stack(at);
  const bool overflow = signal == SIGSEGV && in_stack_guard(address);
  end_execution(overflow ? TREADLE_END_STACK_OVERFLOW : TREADLE_END_SIGNALLED, static_cast<std::uint64_t>(signal), address,
                static_cast<std::uint64_t>(info->si_code), pc);
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

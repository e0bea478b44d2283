// SPDX-License-Identifier: Apache-2.0
// Signals are virtual under a host: handlers, masks and pending signals are tables in the arena, the kernel never learns of them. So
// nothing has to be taken back, the crash handlers of the runtime stay in place, and a signal happens exactly when the program sends it:
// its handler runs on the thread concerned, as a call.
//
// A handler for SIGSEGV, SIGBUS, SIGFPE, SIGILL or SIGABRT is remembered and called for raise() and abort(), but a real crash is always a
// finding: the handler is not asked. Signals from outside the process (a child's SIGCHLD among them) do not reach handlers.
#pragma once

#include <signal.h>

#include <cstdint>

#include "runtime/world.h"

namespace treadle {

using SignalSet = std::uint64_t;  // bit n - 1 for signal n, as the kernel has it
constexpr int kSignals = 64;

constexpr SignalSet bit_of(int signal) noexcept { return 1ull << (signal - 1); }
constexpr bool is_signal(int signal) noexcept { return signal >= 1 && signal <= kSignals; }

struct SignalState {
  struct sigaction actions[kSignals + 1];
  SignalSet blocked[TREADLE_MAX_THREADS];
  SignalSet pending[TREADLE_MAX_THREADS];  // sent while its thread blocked them
  SignalSet pending_for_process;
  stack_t alternative_stack[TREADLE_MAX_THREADS];
  Clock* clock;  // sending happens before receiving
};

SignalState& signals() noexcept;

/// Lets `signal` happen on the running thread now, or leaves it pending when that thread blocks it.
void deliver_signal(int signal, std::uint64_t pc) noexcept;

/// Sent to the process: to the running thread if it does not block it, else to the first that does not, else pending.
void deliver_to_process(int signal, std::uint64_t pc) noexcept;

/// A step before the running thread looks at what is pending, or changes what it blocks: `takes` are those that it lets through then.
void look_at_signals(std::uint64_t pc, SignalSet takes = 0) noexcept;

/// A step before it changes what is done about a signal.
void change_signals(int signal, std::uint64_t pc) noexcept;

/// Sets the running thread's mask; what was pending and is not blocked any more happens now.
void set_signal_mask(SignalSet blocked, std::uint64_t pc) noexcept;

/// pthread_create: the child starts with its creator's mask.
void inherit_signal_mask(const Thread& child) noexcept;

/// A handler of the program's own, neither SIG_DFL nor SIG_IGN.
bool program_handles(int signal) noexcept;

/// SIGPIPE as the kernel would send it. Returns when the program ignores or handles it.
void broken_pipe(std::uint64_t pc) noexcept;

}  // namespace treadle

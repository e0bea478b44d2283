// SPDX-License-Identifier: Apache-2.0
#include "runtime/signals.h"

#include <cstring>

#include "runtime/clocks.h"
#include "runtime/scheduler.h"
#include "runtime/thread_sync.h"

namespace treadle {

SignalState& signals() noexcept {
  World& w = world();
  if (w.signals == nullptr) w.signals = arena_new<SignalState>();
  return *w.signals;
}

namespace {

enum class Default { Ignore, Terminate, Stop };

Default default_of(int signal) noexcept {
  switch (signal) {
    case SIGCHLD:
    case SIGURG:
    case SIGWINCH:
    case SIGCONT:
      return Default::Ignore;
    case SIGSTOP:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
      return Default::Stop;
    default:
      return Default::Terminate;
  }
}

void take_default_action(int signal, std::uint64_t pc) noexcept {
  switch (default_of(signal)) {
    case Default::Ignore:
      return;
    case Default::Stop:
      unsupported("the program stops itself with a signal", pc);
    case Default::Terminate:
      if (g_mode != Mode::Active) unsupported("the program kills itself with a signal before main is called", pc);
      end_execution(TREADLE_END_SIGNALLED, static_cast<std::uint64_t>(signal), 0, 0, pc);
  }
}

void call_handler(int signal, std::uint64_t pc) noexcept {
  SignalState& s = signals();
  const struct sigaction action = s.actions[signal];
  const unsigned me = self().id;
  if ((action.sa_flags & SA_RESETHAND) != 0) s.actions[signal] = {};
  const SignalSet before = s.blocked[me];
  SignalSet during;
  memcpy(&during, &action.sa_mask, sizeof during);
  if ((action.sa_flags & SA_NODEFER) == 0) during |= bit_of(signal);
  s.blocked[me] = before | during;
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    siginfo_t info{};
    info.si_signo = signal;
    info.si_code = SI_TKILL;
    ucontext_t context{};
    action.sa_sigaction(signal, &info, &context);
  } else {
    action.sa_handler(signal);
  }
  set_signal_mask(before, pc);
}

}  // namespace

bool program_handles(int signal) noexcept {
  const struct sigaction& action = signals().actions[signal];
  return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

void deliver_signal(int signal, std::uint64_t pc) noexcept {
  SignalState& s = signals();
  if ((s.blocked[self().id] & bit_of(signal)) != 0) {
    s.pending[self().id] |= bit_of(signal);
    return;
  }
  hb_acquire(s.clock);
  if (program_handles(signal))
    call_handler(signal, pc);
  else if (s.actions[signal].sa_handler == SIG_DFL)
    take_default_action(signal, pc);
}

namespace {

/// The running thread if it does not block it, or else the first one that does not; null: all do.
Thread* who_gets(int signal) noexcept {
  const auto open_to_it = [&](const Thread& thread) {
    return thread.state == ThreadState::Live && (signals().blocked[thread.id] & bit_of(signal)) == 0;
  };
  if (open_to_it(self())) return &self();
  World& w = world();
  for (unsigned id = 0; id <= w.highest_thread; ++id)
    if (open_to_it(w.threads[id])) return &w.threads[id];
  return nullptr;
}

}  // namespace

void deliver_to_process(int signal, std::uint64_t pc) noexcept {
  SignalState& s = signals();
  hb_release(s.clock);
  Thread* const target = who_gets(signal);
  record(TREADLE_EV_SIGNAL_THREAD, 0, target != nullptr ? target->id : self().id, static_cast<std::uint64_t>(signal), pc,
         TREADLE_SIGNAL_OF_PROCESS);
  if (target == &self()) return deliver_signal(signal, pc);
  if (target == nullptr) {
    s.pending_for_process |= bit_of(signal);
    return;
  }
  sync_of(*target).signals |= bit_of(signal);
  target->has_signals = true;
}

void look_at_signals(std::uint64_t pc, SignalSet takes) noexcept {
  if (!active() || world().highest_thread == 0) return;  // nobody else sends any
  step(TREADLE_EV_SIGNAL_THREAD, 0, pc);
  const SignalSet taken = signals().pending_for_process & takes;
  record(TREADLE_EV_SIGNAL_THREAD, 0, self().id, taken == 0 ? 0 : __builtin_ctzll(taken) + 1u, pc, TREADLE_SIGNAL_OF_PROCESS);
}

void change_signals(int signal, std::uint64_t pc) noexcept {
  if (!active() || world().highest_thread == 0) return;
  step(TREADLE_EV_SIGNAL_THREAD, 0, pc);
  record(TREADLE_EV_SIGNAL_THREAD, 0, self().id, static_cast<std::uint64_t>(signal), pc, TREADLE_SIGNAL_OF_PROCESS);
}

void set_signal_mask(SignalSet blocked, std::uint64_t pc) noexcept {
  SignalState& s = signals();
  const unsigned me = self().id;
  s.blocked[me] = blocked & ~(bit_of(SIGKILL) | bit_of(SIGSTOP));
  for (int signal = 1; signal <= kSignals; ++signal) {
    const SignalSet bit = bit_of(signal);
    if (((s.pending[me] | s.pending_for_process) & ~s.blocked[me] & bit) == 0) continue;
    if ((s.pending[me] & bit) != 0)
      s.pending[me] &= ~bit;
    else
      s.pending_for_process &= ~bit;
    deliver_signal(signal, pc);
  }
}

void inherit_signal_mask(const Thread& child) noexcept {
  if (world().signals == nullptr) return;  // nobody has blocked anything, and most programs never will
  SignalState& s = signals();
  s.blocked[child.id] = s.blocked[self().id];
  s.pending[child.id] = 0;
}

void broken_pipe(std::uint64_t pc) noexcept { deliver_signal(SIGPIPE, pc); }

}  // namespace treadle

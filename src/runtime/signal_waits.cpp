// SPDX-License-Identifier: Apache-2.0
// Waiting for signals. sigwait and its kin take a pending signal and are enabled when there is one; so do waits that are ended by a handler
// (pause, sigsuspend), which they then call. Descriptors that turn signals into data are not supported, and say so.
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <initializer_list>

#include "runtime/clocks.h"
#include "runtime/real.h"
#include "runtime/scheduler.h"
#include "runtime/signals.h"
#include "runtime/thread_sync.h"
#include "runtime/time.h"

namespace treadle {

namespace {

/// What the thread could take: what it blocked, what is for the process, what pthread_kill left for its next step.
SignalSet available(const Thread& thread) noexcept {
  return signals().pending[thread.id] | signals().pending_for_process | sync_of(thread).signals;
}

SignalSet wanted_by(const Thread& thread) noexcept { return *static_cast<const SignalSet*>(thread.pending.object); }

bool signal_is_there(const Thread& thread) noexcept { return (available(thread) & wanted_by(thread)) != 0 || cancel_due(thread); }

void take(int signal) noexcept {
  SignalState& s = signals();
  SignalSet& mine = s.pending[self().id];
  SignalSet& sent = sync_of(self()).signals;
  for (SignalSet* from : {&mine, &sent, &s.pending_for_process}) {
    if ((*from & bit_of(signal)) == 0) continue;
    *from &= ~bit_of(signal);
    break;
  }
  if (sent == 0) self().has_signals = false;
  hb_acquire(s.clock);
}

/// The signal taken, or -errno.
int wait_for(const sigset_t* set, const timespec* timeout, std::uint64_t pc) noexcept {
  SignalSet wanted;
  memcpy(&wanted, set, sizeof wanted);
  Pending what;
  what.kind = TREADLE_EV_SIGNAL_THREAD;
  what.pc = pc;
  what.object = &wanted;
  what.enabled = signal_is_there;
  if (timeout != nullptr) {
    if (timeout->tv_sec < 0 || timeout->tv_nsec < 0 || timeout->tv_nsec >= 1'000'000'000) return -EINVAL;
    what.timed = true;
    what.deadline =
        virtual_now() + static_cast<std::uint64_t>(timeout->tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(timeout->tv_nsec);
  }
  // Its signals are to be taken here, not handled on the way: step() must find them blocked.
  const SignalSet before = signals().blocked[self().id];
  signals().blocked[self().id] |= wanted;
  const Grant grant = await(what);
  act_on_cancel();
  signals().blocked[self().id] = before;
  const SignalSet found = available(self()) & wanted;
  if (grant.kind == TREADLE_TIMEOUT) let_time_pass(what);
  const int signal = grant.kind == TREADLE_TIMEOUT || found == 0 ? 0 : __builtin_ctzll(found) + 1;
  if (signal != 0) take(signal);
  record(TREADLE_EV_SIGNAL_THREAD, 0, self().id, static_cast<std::uint64_t>(signal), pc, TREADLE_SIGNAL_AWAITED);
  return signal == 0 ? -EAGAIN : signal;
}

int wait_with_info(const sigset_t* set, siginfo_t* info, const timespec* timeout, std::uint64_t pc) noexcept {
  const int got = wait_for(set, timeout, pc);
  if (got < 0) return errno = -got, -1;
  if (info != nullptr) {
    *info = {};
    info->si_signo = got;
  }
  return got;
}

/// Signals that nobody has to ignore to be ignored.
constexpr SignalSet kIgnoredByDefault = bit_of(SIGCHLD) | bit_of(SIGURG) | bit_of(SIGWINCH) | bit_of(SIGCONT);

SignalSet not_ignored() noexcept {
  SignalSet found = 0;
  for (int signal = 1; signal <= kSignals; ++signal) {
    const bool is_default = signals().actions[signal].sa_handler == SIG_DFL;
    if (program_handles(signal) || (is_default && (kIgnoredByDefault & bit_of(signal)) == 0)) found |= bit_of(signal);
  }
  return found;
}

/// Until a signal that `blocked` lets through has been handled: -1, and EINTR, as always.
int wait_for_handler(SignalSet blocked, std::uint64_t pc) noexcept {
  // What comes before the wait and is not blocked is handled before it, and does not end it.
  look_at_signals(pc);
  SignalSet& mask = signals().blocked[self().id];
  const SignalSet before = mask;
  mask = blocked;
  sigset_t wanted{};
  const SignalSet set = not_ignored() & ~blocked;
  memcpy(&wanted, &set, sizeof set);
  const int signal = wait_for(&wanted, nullptr, pc);
  if (signal > 0) deliver_signal(signal, pc);
  set_signal_mask(before, pc);
  return errno = EINTR, -1;
}

}  // namespace

}  // namespace treadle

using namespace treadle;

extern "C" {

int sigwait(const sigset_t* set, int* out) {
  if (native()) return TREADLE_REAL(sigwait)(set, out);
  const int got = wait_for(set, nullptr, TREADLE_PC());
  if (got < 0) return -got;
  *out = got;
  return 0;
}

int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  if (native()) return TREADLE_REAL(sigwaitinfo)(set, info);
  return wait_with_info(set, info, nullptr, TREADLE_PC());
}

int sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* timeout) {
  if (native()) return TREADLE_REAL(sigtimedwait)(set, info, timeout);
  return wait_with_info(set, info, timeout, TREADLE_PC());
}

int sigsuspend(const sigset_t* set) {
  if (native()) return TREADLE_REAL(sigsuspend)(set);
  SignalSet blocked;
  memcpy(&blocked, set, sizeof blocked);
  return wait_for_handler(blocked, TREADLE_PC());
}

int pause() {
  if (native()) return TREADLE_REAL(pause)();
  return wait_for_handler(signals().blocked[self().id], TREADLE_PC());
}

int signalfd(int fd, const sigset_t* set, int flags) noexcept {
  if (native()) return TREADLE_REAL(signalfd)(fd, set, flags);
  unsupported("the program receives signals through a descriptor (signalfd)", TREADLE_PC());
}

}  // extern "C"

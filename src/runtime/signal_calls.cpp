// SPDX-License-Identifier: Apache-2.0
// The functions with which a program sets up, blocks and sends signals.
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "runtime/clocks.h"
#include "runtime/own.h"
#include "runtime/real.h"
#include "runtime/scheduler.h"
#include "runtime/signals.h"
#include "runtime/thread_sync.h"

extern "C" {
sighandler_t bsd_signal(int, sighandler_t) noexcept;
sighandler_t __sysv_signal(int, sighandler_t) noexcept;
}

namespace treadle {

namespace {

SignalSet to_set(const sigset_t* set) noexcept {
  SignalSet bits;
  memcpy(&bits, set, sizeof bits);
  return bits;
}

void from_set(SignalSet bits, sigset_t* out) noexcept {
  memset(out, 0, sizeof *out);
  memcpy(out, &bits, sizeof bits);
}

bool may_be_handled(int signal) noexcept { return is_signal(signal) && signal != SIGKILL && signal != SIGSTOP; }

sighandler_t install(int signal, sighandler_t handler, int flags) noexcept {
  if (!may_be_handled(signal)) return errno = EINVAL, SIG_ERR;
  change_signals(signal, TREADLE_PC());
  struct sigaction& action = signals().actions[signal];
  const sighandler_t before = action.sa_handler;
  action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  return before;
}

/// 0 or an errno. Who gets what is sent to the process depends on it.
int change_mask(int how, const sigset_t* set, sigset_t* old, std::uint64_t pc) noexcept {
  const SignalSet before = signals().blocked[self().id];
  if (old != nullptr) from_set(before, old);
  if (set == nullptr) return 0;
  if (how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK) return EINVAL;
  const SignalSet named = to_set(set);
  const SignalSet after = how == SIG_BLOCK ? before | named : how == SIG_UNBLOCK ? before & ~named : named;
  look_at_signals(pc, ~after);
  set_signal_mask(after, pc);
  return 0;
}

}  // namespace

}  // namespace treadle

using namespace treadle;

extern "C" {

int sigaction(int signal, const struct sigaction* wanted, struct sigaction* old) noexcept {
  if (native()) return TREADLE_REAL(sigaction)(signal, wanted, old);
  if (!is_signal(signal) || (wanted != nullptr && !may_be_handled(signal))) return errno = EINVAL, -1;
  if (wanted != nullptr) change_signals(signal, TREADLE_PC());
  struct sigaction& action = signals().actions[signal];
  const struct sigaction before = action;
  if (wanted != nullptr) action = *wanted;
  if (old != nullptr) *old = before;
  return 0;
}

sighandler_t signal(int signal, sighandler_t handler) noexcept {
  if (native()) return TREADLE_REAL(signal)(signal, handler);
  return install(signal, handler, SA_RESTART);
}

sighandler_t bsd_signal(int signal, sighandler_t handler) noexcept {
  if (native()) return TREADLE_REAL(bsd_signal)(signal, handler);
  return install(signal, handler, SA_RESTART);
}

sighandler_t sysv_signal(int signal, sighandler_t handler) noexcept {
  if (native()) return TREADLE_REAL(sysv_signal)(signal, handler);
  return install(signal, handler, SA_RESETHAND | SA_NODEFER);
}

sighandler_t __sysv_signal(int signal, sighandler_t handler) noexcept {
  if (native()) return TREADLE_REAL(__sysv_signal)(signal, handler);
  return install(signal, handler, SA_RESETHAND | SA_NODEFER);
}

// System V's way.
sighandler_t sigset(int signal, sighandler_t handler) noexcept {
  if (native()) return TREADLE_REAL(sigset)(signal, handler);
  if (!may_be_handled(signal)) return errno = EINVAL, SIG_ERR;
  const SignalSet before = signals().blocked[self().id];
  const sighandler_t old = (before & bit_of(signal)) != 0 ? SIG_HOLD : signals().actions[signal].sa_handler;
  if (handler != SIG_HOLD) install(signal, handler, 0);
  set_signal_mask(handler == SIG_HOLD ? before | bit_of(signal) : before & ~bit_of(signal), TREADLE_PC());
  return old;
}

int sighold(int signal) noexcept {
  if (native()) return TREADLE_REAL(sighold)(signal);
  if (!is_signal(signal)) return errno = EINVAL, -1;
  set_signal_mask(signals().blocked[self().id] | bit_of(signal), TREADLE_PC());
  return 0;
}

int sigrelse(int signal) noexcept {
  if (native()) return TREADLE_REAL(sigrelse)(signal);
  if (!is_signal(signal)) return errno = EINVAL, -1;
  set_signal_mask(signals().blocked[self().id] & ~bit_of(signal), TREADLE_PC());
  return 0;
}

int sigignore(int signal) noexcept {
  if (native()) return TREADLE_REAL(sigignore)(signal);
  return install(signal, SIG_IGN, 0) == SIG_ERR ? -1 : 0;
}

int siginterrupt(int signal, int interrupt) noexcept {
  if (native()) return TREADLE_REAL(siginterrupt)(signal, interrupt);
  return is_signal(signal) ? 0 : (errno = EINVAL, -1);  // no call of ours is ever interrupted
}

int sigprocmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  if (native()) return TREADLE_REAL(sigprocmask)(how, set, old);
  const int failed = change_mask(how, set, old, TREADLE_PC());
  return failed == 0 ? 0 : (errno = failed, -1);
}

int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  if (native()) return TREADLE_REAL(pthread_sigmask)(how, set, old);
  return change_mask(how, set, old, TREADLE_PC());
}

int sigpending(sigset_t* out) noexcept {
  if (native()) return TREADLE_REAL(sigpending)(out);
  look_at_signals(TREADLE_PC());
  from_set(signals().pending[self().id] | signals().pending_for_process, out);
  return 0;
}

/// The runtime's crash handlers need theirs; handlers of the program run on its own stacks.
int sigaltstack(const stack_t* wanted, stack_t* old) noexcept {
  if (native()) return TREADLE_REAL(sigaltstack)(wanted, old);
  stack_t& known = signals().alternative_stack[self().id];
  const stack_t before = known.ss_sp == nullptr ? stack_t{nullptr, SS_DISABLE, 0} : known;
  if (wanted != nullptr) known = *wanted;
  if (old != nullptr) *old = before;
  return 0;
}

int raise(int signal) noexcept {
  if (native()) return TREADLE_REAL(raise)(signal);
  if (!is_signal(signal)) return errno = EINVAL, -1;
  const bool once = (signals().actions[signal].sa_flags & SA_RESETHAND) != 0;
  record(TREADLE_EV_SIGNAL_THREAD, 0, self().id, static_cast<std::uint64_t>(signal), TREADLE_PC(),
         once ? TREADLE_SIGNAL_OF_PROCESS : TREADLE_SIGNAL_TO_THREAD);
  deliver_signal(signal, TREADLE_PC());
  return 0;
}

int kill(pid_t process_id, int signal) noexcept {
  if (native() || (process_id != treadle_own_getpid() && process_id != 0)) return TREADLE_REAL(kill)(process_id, signal);
  if (signal == 0) return 0;
  if (!is_signal(signal)) return errno = EINVAL, -1;
  step(TREADLE_EV_SIGNAL_THREAD, 0, TREADLE_PC());
  deliver_to_process(signal, TREADLE_PC());
  return 0;
}

TREADLE_OWN(kill);

int sigqueue(pid_t process_id, int signal, const sigval value) noexcept {
  if (native() || process_id != treadle_own_getpid()) return TREADLE_REAL(sigqueue)(process_id, signal, value);
  unsupported("the program queues a signal with a value (sigqueue)", TREADLE_PC());
}

}  // extern "C"

// SPDX-License-Identifier: Apache-2.0
// A handler interrupts its thread anywhere, also where the place to write to is in a register only. So handlers run unrecorded: the stream
// is put aside before them and taken up after them. One that leaves by longjmp leaves a stream that says that it is cut.
#include <signal.h>

#include "record_runtime/session.h"
#include "record_runtime/stream.h"

namespace treadle {
namespace {

struct sigaction wanted[NSIG];

void around(int signal, siginfo_t* info, void* context) {
  const struct sigaction action = wanted[signal];
  const TreadlePathCursor at = suspend_stream();
  if (action.sa_flags & SA_SIGINFO)
    action.sa_sigaction(signal, info, context);
  else
    action.sa_handler(signal);
  resume_stream(at);
}

bool is_function(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 || (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

int install(int signal, const struct sigaction* action, struct sigaction* before) {
  const auto real = TREADLE_REAL(sigaction);
  if (session_status() == nullptr || signal <= 0 || signal >= NSIG) return real(signal, action, before);
  struct sigaction old = {}, ours = {};
  if (action != nullptr) ours = *action;
  const struct sigaction known = wanted[signal];
  if (action != nullptr && is_function(*action)) {
    wanted[signal] = *action;
    ours.sa_sigaction = around;
    ours.sa_flags |= SA_SIGINFO;
  }
  const int failed = real(signal, action != nullptr ? &ours : nullptr, &old);
  if (failed == 0 && before != nullptr) {
    *before = old;
    if (is_function(old) && (old.sa_flags & SA_SIGINFO) != 0) {
      if (old.sa_sigaction == around) {
        *before = known;
      } else {  // the one that notes fatal signals: to the program it is not there
        before->sa_handler = SIG_DFL;
        before->sa_flags = 0;
      }
    }
  }
  return failed;
}

}  // namespace
}  // namespace treadle

extern "C" int sigaction(int signal, const struct sigaction* action, struct sigaction* before) noexcept {
  return treadle::install(signal, action, before);
}

extern "C" sighandler_t signal(int number, sighandler_t handler) noexcept {
  struct sigaction action = {}, before = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  if (treadle::install(number, &action, &before) != 0) return SIG_ERR;
  return before.sa_handler;
}

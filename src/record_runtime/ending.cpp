// SPDX-License-Identifier: Apache-2.0
#include "record_runtime/ending.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdint>

#include "record_runtime/session.h"

namespace treadle {
namespace {

constexpr int fatal_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};

void note_signal(int signal, siginfo_t* info, void* context) noexcept {
  if (claim_end(TREADLE_RUN_SIGNAL, signal, nullptr)) {
    TreadleStatus& status = *session_status();
    const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
    for (unsigned i = 0; i < 23; ++i) status.registers[i] = static_cast<std::uint64_t>(registers[i]);
    status.pc = static_cast<std::uint64_t>(registers[REG_RIP]);
    status.address = signal == SIGSEGV || signal == SIGBUS ? reinterpret_cast<std::uint64_t>(info->si_addr) : 0;
  }
  // The fault happens again and takes its usual course; what was sent has to be sent again.
  ::signal(signal, SIG_DFL);
  if (info->si_code <= 0) ::syscall(SYS_tgkill, ::getpid(), ::syscall(SYS_gettid), signal);
}

}  // namespace

void watch_fatal_signals() noexcept {
  for (int signal : fatal_signals) {
    struct sigaction action = {}, before = {};
    action.sa_sigaction = note_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    if (TREADLE_REAL(sigaction)(signal, nullptr, &before) == 0 && before.sa_handler == SIG_DFL)
      TREADLE_REAL(sigaction)(signal, &action, nullptr);
  }
}

void fail(const char* text) noexcept {
  claim_end(TREADLE_RUN_ASSERTION, 0, text);
  ::fprintf(stderr, "%s\n", text);
  ::abort();
}

}  // namespace treadle

extern "C" void __assert_fail(const char* expression, const char* file, unsigned line, const char* function) noexcept {
  char text[1000];
  ::snprintf(text, sizeof text, "%s:%u: %s: Assertion `%s' failed", file, line, function, expression);
  treadle::claim_end(TREADLE_RUN_ASSERTION, 0, text);
  TREADLE_REAL(__assert_fail)(expression, file, line, function);
  ::abort();
}

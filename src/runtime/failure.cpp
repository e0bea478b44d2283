// SPDX-License-Identifier: Apache-2.0
// Ways a program says that something is wrong: assert, abort, std::terminate, and what compilers and libc call on its behalf.
// (libc's own abort, for example from its checks, arrives as SIGABRT at the runtime's crash handler.)
#include <assert.h>
#include <signal.h>
#include <stdlib.h>

#include <cstdio>
#include <cstring>

#include "runtime/real.h"
#include "runtime/scheduler.h"
#include "runtime/signals.h"
#include "runtime/uncaught.h"

#undef assert

extern "C" {
[[noreturn]] void __stack_chk_fail() noexcept;
[[noreturn]] void __chk_fail() noexcept;
[[noreturn]] void __fortify_fail(const char*) noexcept;
[[noreturn]] void __cxa_pure_virtual();
[[noreturn]] void __cxa_deleted_virtual();
[[noreturn]] void klee_assert_fail(const char*, const char*, unsigned, const char*) noexcept;
}

namespace treadle {

namespace {

/// Under a host only. Before main there is no execution to end: the host is told why the program cannot be started.
[[noreturn]] void fail(TreadleEnding ending, std::uint64_t pc, const char* text) noexcept {
  if (g_mode == Mode::Active) {
    let_others_go_first(pc);
    end_execution(ending, 0, 0, 0, pc, text);
  }
  char sentence[600];
  TREADLE_REAL(snprintf)(sentence, sizeof sentence, "the program fails before main is called: %s", text);
  unsupported(sentence, pc);
}

[[noreturn]] void fail_assertion(const char* expression, const char* file, unsigned line, const char* function, std::uint64_t pc) noexcept {
  char text[600];
  TREADLE_REAL(snprintf)(text, sizeof text, "%s, %s:%u, %s", expression, file == nullptr ? "?" : file, line,
                         function == nullptr ? "?" : function);
  fail(TREADLE_END_ASSERTION, pc, text);
}

[[noreturn]] void abort_as(void (*real)()) noexcept {
  if (real != nullptr) real();
  TREADLE_REAL(abort)();
}

}  // namespace

void fail_terminated(std::uint64_t pc) noexcept {
  char text[600];
  if (describe_exception(text, sizeof text)) fail(TREADLE_END_UNCAUGHT_EXCEPTION, pc, text);
  fail(TREADLE_END_ABORTED, pc, "std::terminate is called without an active exception");
}

}  // namespace treadle

using namespace treadle;

extern "C" {

void __assert_fail(const char* expression, const char* file, unsigned line, const char* function) noexcept {
  if (native()) TREADLE_REAL(__assert_fail)(expression, file, line, function);
  fail_assertion(expression, file, line, function, TREADLE_PC());
}

void __assert_perror_fail(int error, const char* file, unsigned line, const char* function) noexcept {
  if (native()) TREADLE_REAL(__assert_perror_fail)(error, file, line, function);
  fail_assertion(strerrordesc_np(error), file, line, function, TREADLE_PC());
}

void __assert(const char* expression, const char* file, int line) noexcept {
  if (native()) TREADLE_REAL(__assert)(expression, file, line);
  fail_assertion(expression, file, static_cast<unsigned>(line), nullptr, TREADLE_PC());
}

/// What KLEE's klee_assert calls. Weak, as all names of KLEE's.
__attribute__((weak)) void klee_assert_fail(const char* expression, const char* file, unsigned line, const char* function) noexcept {
  if (native()) TREADLE_REAL(__assert_fail)(expression, file, line, function);
  fail_assertion(expression, file, line, function, TREADLE_PC());
}

void abort() noexcept {
  if (native()) TREADLE_REAL(abort)();
  if (program_handles(SIGABRT)) deliver_signal(SIGABRT, TREADLE_PC());  // may leave with longjmp; if it returns, we end all the same
  char text[600] = "abort() is called while an exception is handled: ";
  const std::size_t length = strlen(text);
  fail(TREADLE_END_ABORTED, TREADLE_PC(), describe_exception(text + length, sizeof text - length) ? text : "abort() is called");
}

void __stack_chk_fail() noexcept {
  if (native()) TREADLE_REAL(__stack_chk_fail)();
  fail(TREADLE_END_ABORTED, TREADLE_PC(), "stack smashing detected");
}

void __chk_fail() noexcept {
  if (native()) TREADLE_REAL(__chk_fail)();
  fail(TREADLE_END_ABORTED, TREADLE_PC(), "buffer overflow detected");
}

void __fortify_fail(const char* what) noexcept {
  if (native()) TREADLE_REAL(__fortify_fail)(what);
  fail(TREADLE_END_ABORTED, TREADLE_PC(), what);
}

// Weak: with -static-libstdc++ there may be another definition, or none but ours.
__attribute__((weak)) void __cxa_pure_virtual() {
  if (native()) abort_as(TREADLE_REAL(__cxa_pure_virtual));
  fail(TREADLE_END_ABORTED, TREADLE_PC(), "a pure virtual function is called");
}

__attribute__((weak)) void __cxa_deleted_virtual() {
  if (native()) abort_as(TREADLE_REAL(__cxa_deleted_virtual));
  fail(TREADLE_END_ABORTED, TREADLE_PC(), "a deleted virtual function is called");
}

}  // extern "C"

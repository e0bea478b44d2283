// SPDX-License-Identifier: Apache-2.0
// KLEE's names that are no inputs: how a program written for it says that something is wrong, and what has no effect without KLEE.
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "abi/others_inputs.h"
#include "record_runtime/ending.h"

#define TREADLE_WEAK __attribute__((weak))

extern "C" {
[[noreturn]] void __assert_fail(const char* expression, const char* file, unsigned line, const char* function) noexcept;

[[noreturn]] TREADLE_WEAK void klee_assert_fail(const char* expression, const char* file, unsigned line, const char* function) {
  __assert_fail(expression, file, line, function);
}

[[noreturn]] TREADLE_WEAK void klee_report_error(const char* file, int line, const char* message, const char*) {
  char text[400];
  ::snprintf(text, sizeof text, "%s, %s:%d", message, file, line);
  treadle::fail(text);
}

[[noreturn]] TREADLE_WEAK void klee_abort() { treadle::fail("klee_abort is called"); }
[[noreturn]] TREADLE_WEAK void klee_silent_exit(int status) { ::exit(status); }

TREADLE_WEAK unsigned klee_is_symbolic(uintptr_t) { return 0; }
TREADLE_WEAK unsigned klee_is_replay() { return 0; }
TREADLE_WEAK int klee_get_errno() { return errno; }
TREADLE_WEAK size_t klee_get_obj_size(void* object) { return ::malloc_usable_size(object); }
TREADLE_WEAK void klee_check_memory_access(const void*, size_t) {}

TREADLE_WEAK void klee_define_fixed_object(void* address, size_t bytes) {
  constexpr uintptr_t page = 4096;
  const auto begin = reinterpret_cast<uintptr_t>(address);
  for (uintptr_t at = begin & ~(page - 1); at < begin + bytes; at += page)
    ::mmap(reinterpret_cast<void*>(at), page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
}

#define TREADLE_VALUE(suffix, type) \
  TREADLE_WEAK type klee_get_value##suffix(type value) { return value; }
TREADLE_VALUE(f, float)
TREADLE_VALUE(d, double)
TREADLE_VALUE(l, long)
TREADLE_VALUE(ll, long long)
TREADLE_VALUE(_i32, int32_t)
TREADLE_VALUE(_i64, int64_t)
#undef TREADLE_VALUE

#define TREADLE_NO_EFFECT(...) \
  TREADLE_WEAK __VA_ARGS__ {}
TREADLE_ADVICE(TREADLE_NO_EFFECT)
#undef TREADLE_NO_EFFECT

}  // extern "C"

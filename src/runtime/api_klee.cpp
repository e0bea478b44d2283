// SPDX-License-Identifier: Apache-2.0
// KLEE's and CREST's names.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "abi/hooks.h"
#include "runtime/api.h"
#include "runtime/real.h"
#include "runtime/symbolic.h"

using namespace treadle;

namespace {

/// A write by the program, as far as races and store buffers go.
void fill(void* object, std::size_t bytes, const char* name, std::uint64_t pc) noexcept {
  __treadle_range_write(object, bytes);
  const bool recorded = active() && world().record_plain;
  const std::uint64_t range = recorded && bytes > 0 ? world().events - 1 : kNoEvent;
  auto* out = static_cast<char*>(object);
  while (bytes > 0) {
    const std::size_t part = bytes < 8 ? bytes : 8;
    const std::uint64_t value = next_input(name, static_cast<unsigned>(part), pc);
    memcpy(out, &value, part);
    symbolic_input_written(out, static_cast<unsigned>(part), range, static_cast<std::size_t>(out - static_cast<char*>(object)), pc);
    out += part;
    bytes -= part;
  }
}

}  // namespace

extern "C" {

TREADLE_WEAK void klee_make_symbolic(void* object, std::size_t bytes, const char* name) {
  fill(object, bytes, name == nullptr ? "symbolic" : name, TREADLE_PC());
}

/// Like KLEE's, the upper bound is not included.
TREADLE_WEAK int klee_range(int begin, int end, const char* name) {
  if (begin >= end) error_is_reached("klee_range is called with an empty range", TREADLE_PC());
  return static_cast<int>(returned_input_between(name, begin, end - 1, 32, TREADLE_PC()));
}

TREADLE_WEAK int klee_int(const char* name) { return static_cast<int>(returned_input(name, 4, TREADLE_PC())); }

TREADLE_WEAK std::uintptr_t klee_choose(std::uintptr_t n) {
  return n == 0 ? 0 : returned_input_between("choose", 0, static_cast<std::int64_t>(n - 1), 64, TREADLE_PC());
}

TREADLE_WEAK void klee_assume(std::uintptr_t condition) {
  if (condition == 0) assumption_fails(TREADLE_PC());
}

TREADLE_WEAK void klee_report_error(const char* file, int line, const char* message, const char*) {
  char text[400];
  TREADLE_REAL(snprintf)(text, sizeof text, "%s, %s:%d", message, file, line);
  error_is_reached(text, TREADLE_PC());
}

TREADLE_WEAK void klee_abort() { error_is_reached("klee_abort is called", TREADLE_PC()); }
TREADLE_WEAK void klee_silent_exit(int status) { exit(status); }

TREADLE_WEAK unsigned klee_is_symbolic(std::uintptr_t) { return 0; }
TREADLE_WEAK unsigned klee_is_replay() { return 0; }
TREADLE_WEAK void klee_prefer_cex(void*, std::uintptr_t) {}
TREADLE_WEAK void klee_posix_prefer_cex(void*, std::uintptr_t) {}
TREADLE_WEAK void klee_mark_global(void*) {}
TREADLE_WEAK void klee_open_merge() {}
TREADLE_WEAK void klee_close_merge() {}
TREADLE_WEAK void klee_stack_trace() {}
TREADLE_WEAK void klee_warning(const char*) {}
TREADLE_WEAK void klee_warning_once(const char*) {}
TREADLE_WEAK void klee_print_expr(const char*, ...) {}
TREADLE_WEAK void klee_print_range(const char*, int) {}

TREADLE_WEAK float klee_get_valuef(float value) { return value; }
TREADLE_WEAK double klee_get_valued(double value) { return value; }
TREADLE_WEAK long klee_get_valuel(long value) { return value; }
TREADLE_WEAK long long klee_get_valuell(long long value) { return value; }
TREADLE_WEAK std::int32_t klee_get_value_i32(std::int32_t value) { return value; }
TREADLE_WEAK std::int64_t klee_get_value_i64(std::int64_t value) { return value; }

// SV-COMP's, of the same kind.
TREADLE_WEAK void __VERIFIER_nondet_memory(void* object, std::size_t bytes) { fill(object, bytes, "memory", TREADLE_PC()); }

// CREST_int(x) and its kin are macros around these.
TREADLE_WEAK void __CrestChar(char* x) { fill(x, sizeof *x, "CREST_char", TREADLE_PC()); }
TREADLE_WEAK void __CrestUChar(unsigned char* x) { fill(x, sizeof *x, "CREST_unsigned_char", TREADLE_PC()); }
TREADLE_WEAK void __CrestShort(short* x) { fill(x, sizeof *x, "CREST_short", TREADLE_PC()); }
TREADLE_WEAK void __CrestUShort(unsigned short* x) { fill(x, sizeof *x, "CREST_unsigned_short", TREADLE_PC()); }
TREADLE_WEAK void __CrestInt(int* x) { fill(x, sizeof *x, "CREST_int", TREADLE_PC()); }
TREADLE_WEAK void __CrestUInt(unsigned* x) { fill(x, sizeof *x, "CREST_unsigned_int", TREADLE_PC()); }

}  // extern "C"

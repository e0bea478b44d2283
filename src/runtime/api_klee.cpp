// SPDX-License-Identifier: Apache-2.0
// KLEE's and CREST's names.
#include <malloc.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "abi/hooks.h"
#include "abi/others_inputs.h"
#include "abi/symbolic_hooks.h"
#include "runtime/api.h"
#include "runtime/heap.h"
#include "runtime/real.h"
#include "runtime/scheduler.h"
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

const char* known_as(const char* name) noexcept { return name == nullptr ? "unnamed" : name; }

constexpr std::uintptr_t kPage = 4096;

}  // namespace

extern "C" {

TREADLE_WEAK void klee_make_symbolic(void* object, std::size_t bytes, const char* name) {
  fill(object, bytes, known_as(name), TREADLE_PC());
}

/// Like KLEE's, the upper bound is not included.
TREADLE_WEAK int klee_range(int begin, int end, const char* name) {
  if (begin >= end) error_is_reached("klee_range is called with an empty range", TREADLE_PC());
  return static_cast<int>(returned_input_between(known_as(name), begin, end - 1, 32, TREADLE_PC()));
}

TREADLE_WEAK int klee_int(const char* name) { return static_cast<int>(returned_input(known_as(name), 4, TREADLE_PC())); }

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

TREADLE_WEAK unsigned klee_is_replay() { return 0; }
TREADLE_WEAK int klee_get_errno() { return errno; }

#define TREADLE_NO_EFFECT(...) \
  TREADLE_WEAK __VA_ARGS__ {}
TREADLE_ADVICE(TREADLE_NO_EFFECT)
#undef TREADLE_NO_EFFECT

/// The size it was asked for with; what lies elsewhere has none that is known here.
TREADLE_WEAK std::size_t klee_get_obj_size(void* object) {
  const auto address = reinterpret_cast<std::uint64_t>(object);
  if (!native() && !in_heap(address))
    unsupported("klee_get_obj_size: the size of an object that is not on the heap is not known", TREADLE_PC());
  return malloc_usable_size(object);
}

/// No access: nothing races with it. Outside the heap it looks whether there is memory at all.
TREADLE_WEAK void klee_check_memory_access(const void* address, std::size_t bytes) {
  if (bytes == 0) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  if (active()) heap_check_range(begin, bytes, false, TREADLE_PC());
  for (std::uintptr_t at = begin; at < begin + bytes; at = (at | (kPage - 1)) + 1) *reinterpret_cast<const volatile char*>(at);
}

/// Page by page, as objects may share one; that one is there already is as good.
TREADLE_WEAK void klee_define_fixed_object(void* address, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  for (std::uintptr_t page = begin & ~(kPage - 1); page < begin + bytes; page += kPage) {
    const void* got =
        mmap(reinterpret_cast<void*>(page), kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (got != MAP_FAILED || errno == EEXIST) continue;
    unsupported("klee_define_fixed_object: the system has no memory at that address", TREADLE_PC());
  }
}

/// Whether a value is symbolic must not depend on who watches: a witness is replayed without expressions.
TREADLE_WEAK unsigned klee_is_symbolic(std::uintptr_t) {
  __treadle_sym_enter(reinterpret_cast<const void*>(&klee_is_symbolic));
  return 0;
}

// They take and return expressions as functions with hooks do: what KLEE would pick one value of goes on with all of them.
#define TREADLE_VALUE(suffix, type, same_size)                                 \
  TREADLE_WEAK type klee_get_value##suffix(type value) {                       \
    const auto* self = reinterpret_cast<const void*>(&klee_get_value##suffix); \
    const std::uint64_t number = static_cast<same_size>(value);                \
    __treadle_sym_enter(self);                                                 \
    __treadle_sym_leave(self, 0, __treadle_sym_parameter(0, number), number);  \
    return value;                                                              \
  }
TREADLE_VALUE(l, long, std::uint64_t)
TREADLE_VALUE(ll, long long, std::uint64_t)
TREADLE_VALUE(_i32, std::int32_t, std::uint32_t)
TREADLE_VALUE(_i64, std::int64_t, std::uint64_t)
#undef TREADLE_VALUE
TREADLE_WEAK float klee_get_valuef(float value) { return value; }
TREADLE_WEAK double klee_get_valued(double value) { return value; }

// SV-COMP's, of the same kind.
TREADLE_WEAK void __VERIFIER_nondet_memory(void* object, std::size_t bytes) { fill(object, bytes, "memory", TREADLE_PC()); }

#define TREADLE_CREST(name, type, known) \
  TREADLE_WEAK void __Crest##name(type* x) { fill(x, sizeof *x, known, TREADLE_PC()); }
TREADLE_CREST_INPUTS(TREADLE_CREST)
#undef TREADLE_CREST

}  // extern "C"

// SPDX-License-Identifier: Apache-2.0
// What a program gets from outside by calls, other than by reading files: inputs of Treadle's, SV-COMP's and KLEE's kind, time, chance. The
// values stand in the stream of the thread that asked.
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>

#include "abi/others_inputs.h"
#include "abi/verifier_inputs.h"
#include "record_runtime/ending.h"
#include "record_runtime/session.h"
#include "record_runtime/stream.h"

#define TREADLE_WEAK __attribute__((weak))

namespace treadle {
namespace {

pthread_mutex_t exclusive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

/// Different in each run: a recorded run is one of many.
std::uint64_t drawn() noexcept {
  std::uint64_t value = 0;
  if (TREADLE_REAL(getrandom)(&value, sizeof value, 0) != sizeof value) value = reinterpret_cast<std::uintptr_t>(&value);
  return value;
}

/// The value is noted as the program gets it.
template <class T>
T input() noexcept {
  T value;
  const std::uint64_t bits = drawn();
  memcpy(&value, &bits, sizeof value);
  std::uint64_t noted = 0;
  memcpy(&noted, &value, sizeof value);
  note_value(TREADLE_VALUE_INPUT, noted);
  return value;
}

std::int64_t input_between(std::int64_t lowest, std::int64_t highest) noexcept {
  if (highest < lowest) highest = lowest;
  const std::uint64_t width = static_cast<std::uint64_t>(highest) - static_cast<std::uint64_t>(lowest) + 1;
  const auto value = static_cast<std::int64_t>(static_cast<std::uint64_t>(lowest) + (width == 0 ? drawn() : drawn() % width));
  note_value(TREADLE_VALUE_INPUT, static_cast<std::uint64_t>(value));
  return value;
}

void fill(void* object, std::size_t bytes) noexcept {
  for (std::size_t i = 0; i < bytes; i += 8) {
    const auto value = input<std::uint64_t>();
    memcpy(static_cast<char*>(object) + i, &value, bytes - i < 8 ? bytes - i : 8);
  }
}

void assume(bool condition) noexcept {
  if (!condition) exit(0);
}

void note_bytes(TreadleValueKind kind, const void* bytes, std::size_t size) noexcept {
  for (std::size_t i = 0; i < size; i += 8) {
    std::uint64_t value = 0;
    memcpy(&value, static_cast<const char*>(bytes) + i, size - i < 8 ? size - i : 8);
    note_value(kind, value);
  }
}

}  // namespace
}  // namespace treadle

using namespace treadle;

extern "C" {

TREADLE_WEAK void treadle_observe(const char*, std::int64_t) {}
TREADLE_WEAK int treadle_input_int(const char*) { return input<int>(); }
TREADLE_WEAK unsigned treadle_input_unsigned(const char*) { return input<unsigned>(); }
TREADLE_WEAK std::int64_t treadle_input_int64(const char*) { return input<std::int64_t>(); }
TREADLE_WEAK std::uint8_t treadle_input_byte(const char*) { return input<std::uint8_t>(); }
TREADLE_WEAK int treadle_input_bool(const char*) { return static_cast<int>(input_between(0, 1)); }
TREADLE_WEAK int treadle_input_range(const char*, int lowest, int highest) { return static_cast<int>(input_between(lowest, highest)); }
TREADLE_WEAK void treadle_assume(int condition) { assume(condition != 0); }
TREADLE_WEAK void treadle_atomic_begin() {}
TREADLE_WEAK void treadle_atomic_end() {}

TREADLE_WEAK void __VERIFIER_atomic_begin() { pthread_mutex_lock(&exclusive); }
TREADLE_WEAK void __VERIFIER_atomic_end() { pthread_mutex_unlock(&exclusive); }
TREADLE_WEAK void __VERIFIER_assume(int condition) { assume(condition != 0); }
TREADLE_WEAK void __VERIFIER_error() { fail("__VERIFIER_error is called"); }
TREADLE_WEAK void reach_error() { fail("reach_error is called"); }
TREADLE_WEAK void __VERIFIER_assert(int condition) {
  if (condition == 0) fail("__VERIFIER_assert fails");
}

#define TREADLE_NONDET(name, type) \
  TREADLE_WEAK type __VERIFIER_nondet_##name() { return input<type>(); }
TREADLE_VERIFIER_INTEGERS(TREADLE_NONDET)
TREADLE_NONDET(float, float)
TREADLE_NONDET(double, double)
TREADLE_NONDET(pointer, void*)
TREADLE_NONDET(pchar, char*)
#undef TREADLE_NONDET
TREADLE_WEAK __int128 __VERIFIER_nondet_int128() {
  const auto high = static_cast<unsigned __int128>(input<std::uint64_t>());
  return static_cast<__int128>(high << 64 | input<std::uint64_t>());
}
TREADLE_WEAK unsigned __int128 __VERIFIER_nondet_uint128() {
  const auto high = static_cast<unsigned __int128>(input<std::uint64_t>());
  return high << 64 | input<std::uint64_t>();
}
TREADLE_WEAK void __VERIFIER_nondet_memory(void* object, std::size_t bytes) { fill(object, bytes); }
TREADLE_WEAK bool __VERIFIER_nondet_bool() { return input_between(0, 1) != 0; }
TREADLE_WEAK bool __VERIFIER_nondet__Bool() { return input_between(0, 1) != 0; }

TREADLE_WEAK void klee_make_symbolic(void* object, std::size_t bytes, const char*) { fill(object, bytes); }
TREADLE_WEAK int klee_range(int begin, int end, const char*) { return static_cast<int>(input_between(begin, std::int64_t{end} - 1)); }
TREADLE_WEAK int klee_int(const char*) { return input<int>(); }
TREADLE_WEAK std::uintptr_t klee_choose(std::uintptr_t n) {
  return n == 0 ? 0 : static_cast<std::uintptr_t>(input_between(0, static_cast<std::int64_t>(n - 1)));
}
TREADLE_WEAK void klee_assume(std::uintptr_t condition) { assume(condition != 0); }

#define TREADLE_CREST(name, type, known) \
  TREADLE_WEAK void __Crest##name(type* x) { fill(x, sizeof *x); }
TREADLE_CREST_INPUTS(TREADLE_CREST)
#undef TREADLE_CREST

time_t time(time_t* out) noexcept {
  const time_t value = TREADLE_REAL(time)(nullptr);
  note_value(TREADLE_VALUE_TIME, static_cast<std::uint64_t>(value) * 1'000'000'000);
  if (out != nullptr) *out = value;
  return value;
}

int clock_gettime(clockid_t clock, timespec* out) noexcept {
  const int failed = TREADLE_REAL(clock_gettime)(clock, out);
  if (failed == 0)
    note_value(TREADLE_VALUE_TIME, static_cast<std::uint64_t>(out->tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(out->tv_nsec));
  return failed;
}

int gettimeofday(timeval* out, void* zone) noexcept {
  const int failed = TREADLE_REAL(gettimeofday)(out, zone);
  if (failed == 0)
    note_value(TREADLE_VALUE_TIME,
               static_cast<std::uint64_t>(out->tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(out->tv_usec) * 1000);
  return failed;
}

// A program may have these names for something of its own.
#pragma weak rand
#pragma weak random
int rand() noexcept {
  const int value = TREADLE_REAL(rand)();
  note_value(TREADLE_VALUE_RANDOM, static_cast<std::uint64_t>(value));
  return value;
}

long random() noexcept {
  const long value = TREADLE_REAL(random)();
  note_value(TREADLE_VALUE_RANDOM, static_cast<std::uint64_t>(value));
  return value;
}

ssize_t getrandom(void* out, std::size_t size, unsigned flags) {
  const ssize_t got = TREADLE_REAL(getrandom)(out, size, flags);
  if (got > 0) note_bytes(TREADLE_VALUE_RANDOM, out, static_cast<std::size_t>(got));
  return got;
}

int getentropy(void* out, std::size_t size) {
  const int failed = TREADLE_REAL(getentropy)(out, size);
  if (failed == 0) note_bytes(TREADLE_VALUE_RANDOM, out, size);
  return failed;
}

}  // extern "C"

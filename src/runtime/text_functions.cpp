// SPDX-License-Identifier: Apache-2.0
// Functions of libc that read and write the caller's texts and arrays: which bytes, is asked in advance and announced as accesses of the
// caller, if that is instrumented code. What libraries do among themselves stays unseen.
#define __NO_INLINE__ 1  // or the header of libc has an atoi already
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "abi/hooks.h"
#include "runtime/arguments.h"
#include "runtime/code.h"
#include "runtime/plain.h"
#include "runtime/real.h"
#include "runtime/scheduler.h"
#include "runtime/store_buffer.h"
#include "runtime/symbolic.h"

extern "C" {
int __isoc99_sscanf(const char*, const char*, ...) noexcept;
int __isoc99_vsscanf(const char*, const char*, va_list) noexcept;
}

namespace treadle {

namespace {

bool counts(std::uint64_t pc) noexcept { return active() && has_hooks(pc); }

void reads(const void* from, std::size_t bytes, std::uint64_t pc) noexcept { range_long_way<Access::Read>(from, bytes, pc); }

/// And goes on accordingly.
void looks_at(const void* from, std::size_t bytes, std::uint64_t pc) noexcept {
  reads(from, bytes, pc);
  symbolic_seen(from, bytes, 0, TREADLE_PIN_CALL, pc);
}

void writes(void* to, std::size_t bytes, std::uint64_t pc) noexcept {
  range_long_way<Access::Write>(to, bytes, pc);
  symbolic_forget(number(to), bytes);
}

void reads_text(const char* text, std::uint64_t pc) noexcept {
  if (counts(pc) && !is_argument(number(text))) looks_at(text, std::strlen(text) + 1, pc);
}

/// As far as the number goes, and the character that ends it.
void reads_number(const char* text, int base, std::uint64_t pc) noexcept {
  if (!counts(pc) || is_argument(number(text))) return;
  const int was = errno;
  char* end = nullptr;
  TREADLE_REAL(strtol)(text, &end, base);
  errno = was;
  looks_at(text, static_cast<std::size_t>(end - text) + 1, pc);
}

void reads_float(const char* text, std::uint64_t pc) noexcept {
  if (!counts(pc) || is_argument(number(text))) return;
  const int was = errno;
  char* end = nullptr;
  TREADLE_REAL(strtod)(text, &end);
  errno = was;
  looks_at(text, static_cast<std::size_t>(end - text) + 1, pc);
}

/// What is printed to `to`, where at most `room` bytes are.
void prints_to(char* to, std::size_t room, const char* format, va_list arguments, std::uint64_t pc) noexcept {
  if (!counts(pc)) return;
  const int was = errno;
  va_list copy;
  va_copy(copy, arguments);
  const int length = TREADLE_REAL(vsnprintf)(nullptr, 0, format, copy);
  va_end(copy);
  errno = was;
  const std::size_t bytes = length < 0 ? 0 : static_cast<std::size_t>(length) + 1;
  writes(to, bytes < room ? bytes : room, pc);
}

}  // namespace

}  // namespace treadle

using namespace treadle;

extern "C" {

void __treadle_text(const char* text, size_t at_most) noexcept {
  if (text == nullptr || !active()) return;
  wait_for_own_stores(TREADLE_PC());
  const std::size_t length = ::strnlen(text, at_most);
  reads(text, length < at_most ? length + 1 : length, TREADLE_PC());
}

#define TREADLE_PARSER(type, name)                             \
  type name(const char* text, char** end, int base) noexcept { \
    reads_number(text, base, TREADLE_PC());                    \
    return TREADLE_REAL(name)(text, end, base);                \
  }
TREADLE_PARSER(long, strtol)
TREADLE_PARSER(long long, strtoll)
TREADLE_PARSER(unsigned long, strtoul)
TREADLE_PARSER(unsigned long long, strtoull)
#undef TREADLE_PARSER

double strtod(const char* text, char** end) noexcept {
  reads_float(text, TREADLE_PC());
  return TREADLE_REAL(strtod)(text, end);
}

float strtof(const char* text, char** end) noexcept {
  reads_float(text, TREADLE_PC());
  return TREADLE_REAL(strtof)(text, end);
}

int atoi(const char* text) noexcept {
  reads_number(text, 10, TREADLE_PC());
  return TREADLE_REAL(atoi)(text);
}

long atol(const char* text) noexcept {
  reads_number(text, 10, TREADLE_PC());
  return TREADLE_REAL(atol)(text);
}

long long atoll(const char* text) noexcept {
  reads_number(text, 10, TREADLE_PC());
  return TREADLE_REAL(atoll)(text);
}

double atof(const char* text) noexcept {
  reads_float(text, TREADLE_PC());
  return TREADLE_REAL(atof)(text);
}

int vsprintf(char* to, const char* format, va_list arguments) noexcept {
  prints_to(to, ~std::size_t{0}, format, arguments, TREADLE_PC());
  return TREADLE_REAL(vsprintf)(to, format, arguments);
}

int vsnprintf(char* to, std::size_t room, const char* format, va_list arguments) noexcept {
  if (room != 0) prints_to(to, room, format, arguments, TREADLE_PC());
  return TREADLE_REAL(vsnprintf)(to, room, format, arguments);
}

int sprintf(char* to, const char* format, ...) noexcept {
  va_list arguments;
  va_start(arguments, format);
  prints_to(to, ~std::size_t{0}, format, arguments, TREADLE_PC());
  const int length = TREADLE_REAL(vsprintf)(to, format, arguments);
  va_end(arguments);
  return length;
}

int snprintf(char* to, std::size_t room, const char* format, ...) noexcept {
  va_list arguments;
  va_start(arguments, format);
  if (room != 0) prints_to(to, room, format, arguments, TREADLE_PC());
  const int length = TREADLE_REAL(vsnprintf)(to, room, format, arguments);
  va_end(arguments);
  return length;
}

int __isoc99_sscanf(const char* text, const char* format, ...) noexcept {
  reads_text(text, TREADLE_PC());
  va_list arguments;
  va_start(arguments, format);
  const int found = TREADLE_REAL(__isoc99_vsscanf)(text, format, arguments);
  va_end(arguments);
  return found;
}

/// glibc sorts in a copy and writes all of it back.
void qsort(void* array, std::size_t count, std::size_t size, int (*compare)(const void*, const void*)) {
  const std::uint64_t pc = TREADLE_PC();
  if (count > 1 && counts(pc)) {
    looks_at(array, count * size, pc);
    writes(array, count * size, pc);
  }
  TREADLE_REAL(qsort)(array, count, size, compare);
}

}  // extern "C"

// SPDX-License-Identifier: Apache-2.0
// stdio on symbolic files: what these functions return, and where they put it, is made of the file's bytes. How far fgets gets is a
// condition on them.
#include <cstdarg>
#include <cstdio>

#include "runtime/program_memory.h"
#include "runtime/real.h"
#include "runtime/sources.h"

extern "C" {
int __isoc99_scanf(const char*, ...);
int __isoc99_fscanf(FILE*, const char*, ...);
int __isoc99_vscanf(const char*, va_list);
int __isoc99_vfscanf(FILE*, const char*, va_list);
}

/// Under its own name the header has an inline definition.
extern "C" int next_character() __asm__("getchar");

using namespace treadle;

namespace {

int byte_of(FILE* stream, std::uint64_t pc) noexcept {
  const long place = place_in_source(stream);
  const int result = TREADLE_REAL(fgetc)(stream);
  if (place >= 0 && result != EOF) source_byte_returned(fileno(stream), place, pc);
  return result;
}

/// They look at one byte more than they take.
int numbers_of(FILE* stream, const char* format, va_list arguments, std::uint64_t pc) noexcept {
  const long place = place_in_source(stream);
  const int result = TREADLE_REAL(__isoc99_vfscanf)(stream, format, arguments);
  if (place >= 0) source_was_looked_at(fileno(stream), place, place_in_source(stream) + 1, pc);
  return result;
}

}  // namespace

extern "C" {

int fgetc(FILE* stream) { return byte_of(stream, TREADLE_PC()); }
int getc(FILE* stream) { return byte_of(stream, TREADLE_PC()); }
int next_character() { return byte_of(stdin, TREADLE_PC()); }

char* fgets(char* to, int room, FILE* stream) {
  const long place = place_in_source(stream);
  char* result = TREADLE_REAL(fgets)(to, room, stream);
  if (place < 0 || result == nullptr) return result;
  const auto bytes = static_cast<std::size_t>(place_in_source(stream) - place);
  program_writes(to, bytes + 1, TREADLE_PC());
  source_was_read(fileno(stream), place, to, bytes, TREADLE_PC());
  source_line_was_read(fileno(stream), place, bytes, TREADLE_PC());
  return result;
}

int __isoc99_vfscanf(FILE* stream, const char* format, va_list arguments) { return numbers_of(stream, format, arguments, TREADLE_PC()); }
int __isoc99_vscanf(const char* format, va_list arguments) { return numbers_of(stdin, format, arguments, TREADLE_PC()); }

int __isoc99_fscanf(FILE* stream, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = numbers_of(stream, format, arguments, TREADLE_PC());
  va_end(arguments);
  return result;
}

int __isoc99_scanf(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = numbers_of(stdin, format, arguments, TREADLE_PC());
  va_end(arguments);
  return result;
}

}  // extern "C"

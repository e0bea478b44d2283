// SPDX-License-Identifier: Apache-2.0
// Reading and writing at a position, and through stdio: never a step (files do not wait; a stream on a pipe that is empty blocks inside
// libc, and with it the whole program, until the time limit says so), but the memory they touch is looked at.
#include <unistd.h>

#include <cstdio>

#include "runtime/fd_wait.h"
#include "runtime/program_memory.h"
#include "runtime/real.h"
#include "runtime/sources.h"

extern "C" std::size_t __fread_chk(void*, std::size_t, std::size_t, std::size_t, FILE*);

using namespace treadle;

extern "C" {

ssize_t pread(int fd, void* to, std::size_t bytes, off_t at) {
  const ssize_t got = TREADLE_REAL(pread)(fd, to, bytes, at);
  if (got > 0) program_writes(to, static_cast<std::size_t>(got), TREADLE_PC());
  if (got > 0 && place_in_source(fd) >= 0) source_was_read(fd, at, to, static_cast<std::size_t>(got), TREADLE_PC());
  return got;
}

ssize_t pread64(int fd, void* to, std::size_t bytes, off64_t at) {
  const ssize_t got = TREADLE_REAL(pread64)(fd, to, bytes, at);
  if (got > 0) program_writes(to, static_cast<std::size_t>(got), TREADLE_PC());
  if (got > 0 && place_in_source(fd) >= 0) source_was_read(fd, at, to, static_cast<std::size_t>(got), TREADLE_PC());
  return got;
}

ssize_t pwrite(int fd, const void* from, std::size_t bytes, off_t at) {
  program_reads(from, bytes, TREADLE_PC());
  return TREADLE_REAL(pwrite)(fd, from, bytes, at);
}

ssize_t pwrite64(int fd, const void* from, std::size_t bytes, off64_t at) {
  program_reads(from, bytes, TREADLE_PC());
  return TREADLE_REAL(pwrite64)(fd, from, bytes, at);
}

std::size_t fread(void* to, std::size_t size, std::size_t count, FILE* stream) {
  const long place = place_in_source(stream);
  const std::size_t got = TREADLE_REAL(fread)(to, size, count, stream);
  if (!native()) {
    note_kernel_state();
    program_writes(to, got * size, TREADLE_PC());
    if (place >= 0) source_was_read(fileno(stream), place, to, got * size, TREADLE_PC());
  }
  return got;
}

std::size_t __fread_chk(void* to, std::size_t room, std::size_t size, std::size_t count, FILE* stream) {
  const long place = place_in_source(stream);
  const std::size_t got = TREADLE_REAL(__fread_chk)(to, room, size, count, stream);
  if (!native()) {
    note_kernel_state();
    program_writes(to, got * size, TREADLE_PC());
    if (place >= 0) source_was_read(fileno(stream), place, to, got * size, TREADLE_PC());
  }
  return got;
}

std::size_t fwrite(const void* from, std::size_t size, std::size_t count, FILE* stream) {
  program_reads(from, size * count, TREADLE_PC());
  return TREADLE_REAL(fwrite)(from, size, count, stream);
}

}  // extern "C"

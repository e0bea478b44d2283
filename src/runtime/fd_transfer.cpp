// SPDX-License-Identifier: Apache-2.0
// read, write and their vector forms.
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/descriptors.h"
#include "runtime/fd_wait.h"
#include "runtime/program_memory.h"
#include "runtime/real.h"
#include "runtime/signals.h"
#include "runtime/socket_wait.h"
#include "runtime/sources.h"
#include "runtime/time.h"

extern "C" {
ssize_t __read_chk(int, void*, std::size_t, std::size_t);
[[noreturn]] void __chk_fail() noexcept;
}

namespace treadle {

namespace {

/// Makes `call` when there is something to read; `call` then returns at once.
template <class Call>
long read_with(int fd, std::uint64_t pc, Call call) noexcept {
  const FdNature nature = nature_of(fd);
  if (!nature.can_wait) {
    note_kernel_state();  // a file's position moves
    return call();
  }
  const std::uint64_t limit = nature.is_socket ? receive_timeout(fd) : ~0ull;
  const Grant grant = fd_step(TREADLE_EV_FD_READ, fd, nature.nonblocking ? 0 : POLLIN, pc, limit);
  const long result = grant.kind == TREADLE_TIMEOUT ? -EAGAIN : call();
  if (result != -EAGAIN) {
    acquire_data(nature);
    release_space(nature);
  }
  fd_record(TREADLE_EV_FD_READ, fd, result, pc);
  return result;
}

/// One attempt, after the descriptor has room. `call` may write less than asked for.
template <class Call>
long write_once(int fd, const FdNature& nature, std::uint64_t pc, Call call) noexcept {
  const bool was_full = world().check_races && !is_ready(fd, POLLOUT);
  const std::uint64_t limit = nature.is_socket ? send_timeout(fd) : ~0ull;
  const Grant grant = fd_step(TREADLE_EV_FD_WRITE, fd, nature.nonblocking ? 0 : POLLOUT, pc, limit);
  if (was_full) acquire_space(nature);
  release_data(nature);
  const long result = grant.kind == TREADLE_TIMEOUT ? -EAGAIN : without_blocking(fd, nature, call);
  fd_record(TREADLE_EV_FD_WRITE, fd, result, pc);
  if (result == -EPIPE) broken_pipe(pc);
  return result;
}

/// A blocking write returns when all is written, however often it has to wait for room.
long write_all(int fd, const FdNature& nature, const char* from, std::size_t bytes, std::uint64_t pc) noexcept {
  std::size_t done = 0;
  for (;;) {
    const long result = write_once(
        fd, nature, pc, [&] { return sys(SYS_write, fd, reinterpret_cast<long>(from + done), static_cast<long>(bytes - done)); });
    if (result == -EAGAIN && !nature.nonblocking && !(nature.is_socket && send_timeout(fd) != ~0ull)) continue;
    if (result < 0) return done > 0 ? static_cast<long>(done) : result;
    done += static_cast<std::size_t>(result);
    if (done >= bytes || nature.nonblocking || result == 0) return static_cast<long>(done);
  }
}

long write_bytes(int fd, const void* from, std::size_t bytes, std::uint64_t pc) noexcept {
  if (is_backup(fd)) return -EBADF;
  const FdNature nature = nature_of(fd);
  if (nature.can_wait) return write_all(fd, nature, static_cast<const char*>(from), bytes, pc);
  const long result = sys(SYS_write, fd, reinterpret_cast<long>(from), static_cast<long>(bytes));
  if (result == -EPIPE) broken_pipe(pc);
  return result;
}

long read_bytes(int fd, void* to, std::size_t bytes, std::uint64_t pc) noexcept {
  if (is_backup(fd)) return -EBADF;
  if (is_random_device(fd)) {
    program_writes(to, bytes, pc);
    fill_randomly(to, bytes);
    return static_cast<long>(bytes);
  }
  const long place = place_in_source(fd);
  const long result = read_with(fd, pc, [&] { return sys(SYS_read, fd, reinterpret_cast<long>(to), static_cast<long>(bytes)); });
  if (result > 0) program_writes(to, static_cast<std::size_t>(result), pc);
  if (result > 0 && place >= 0) source_was_read(fd, place, to, static_cast<std::size_t>(result), pc);
  return result;
}

void touch(const iovec* parts, int count, long bytes, bool writes, std::uint64_t pc) noexcept {
  for (int i = 0; i < count && bytes > 0; ++i) {
    const auto part = static_cast<std::size_t>(bytes) < parts[i].iov_len ? static_cast<std::size_t>(bytes) : parts[i].iov_len;
    if (writes)
      program_writes(parts[i].iov_base, part, pc);
    else
      program_reads(parts[i].iov_base, part, pc);
    bytes -= static_cast<long>(part);
  }
}

}  // namespace

}  // namespace treadle

using namespace treadle;

extern "C" {

ssize_t read(int fd, void* to, std::size_t bytes) {
  if (native()) return TREADLE_REAL(read)(fd, to, bytes);
  return with_errno(read_bytes(fd, to, bytes, TREADLE_PC()));
}

ssize_t __read_chk(int fd, void* to, std::size_t bytes, std::size_t room) {
  if (bytes > room) __chk_fail();
  if (native()) return TREADLE_REAL(read)(fd, to, bytes);
  return with_errno(read_bytes(fd, to, bytes, TREADLE_PC()));
}

// libc's own read and write without asking us.
int eventfd_read(int fd, eventfd_t* value) {
  if (native()) return TREADLE_REAL(eventfd_read)(fd, value);
  return with_errno(read_bytes(fd, value, sizeof *value, TREADLE_PC())) == sizeof *value ? 0 : -1;
}

int eventfd_write(int fd, eventfd_t value) {
  if (native()) return TREADLE_REAL(eventfd_write)(fd, value);
  return with_errno(write_bytes(fd, &value, sizeof value, TREADLE_PC())) == sizeof value ? 0 : -1;
}

ssize_t readv(int fd, const iovec* parts, int count) {
  if (native()) return TREADLE_REAL(readv)(fd, parts, count);
  const long place = place_in_source(fd);
  const long result = read_with(fd, TREADLE_PC(), [&] { return sys(SYS_readv, fd, reinterpret_cast<long>(parts), count); });
  touch(parts, count, result, true, TREADLE_PC());
  if (result > 0) source_was_looked_at(fd, place, place + result, TREADLE_PC());
  return with_errno(result);
}

ssize_t write(int fd, const void* from, std::size_t bytes) {
  if (native()) return TREADLE_REAL(write)(fd, from, bytes);
  if (!is_backup(fd)) program_reads(from, bytes, TREADLE_PC());
  return with_errno(write_bytes(fd, from, bytes, TREADLE_PC()));
}

/// On a full pipe it may write less than asked for, as the kernel may.
ssize_t writev(int fd, const iovec* parts, int count) {
  if (native()) return TREADLE_REAL(writev)(fd, parts, count);
  if (is_backup(fd)) return errno = EBADF, -1;
  touch(parts, count, 1l << 62, false, TREADLE_PC());
  const auto call = [&] { return sys(SYS_writev, fd, reinterpret_cast<long>(parts), count); };
  const FdNature nature = nature_of(fd);
  if (!nature.can_wait) return with_errno(call());
  long result;
  do result = write_once(fd, nature, TREADLE_PC(), call);
  while (result == -EAGAIN && !nature.nonblocking);
  return with_errno(result);
}

}  // extern "C"

// SPDX-License-Identifier: Apache-2.0
// Functions that close or replace descriptors. Closing one end of a pipe or socket wakes those who wait at the other: a visible operation.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>

#include "runtime/descriptors.h"
#include "runtime/fd_wait.h"
#include "runtime/file_lock.h"
#include "runtime/real.h"
#include "runtime/scheduler.h"
#include "runtime/sys.h"

extern "C" int fcntl64(int, int, ...);

using namespace treadle;

namespace {

/// A range of numbers less our copies.
template <class Close>
int close_around_backups(unsigned first, unsigned last, Close close) noexcept {
  const FdsAtStart* s = process().fds_at_start;
  if (s != nullptr)
    for (unsigned i = 0; i < s->count; ++i)
      if (static_cast<unsigned>(s->open[i].fd) >= first && static_cast<unsigned>(s->open[i].fd) <= last) io().touched_old_fds = true;
  if (s == nullptr || first >= static_cast<unsigned>(s->end_backup) || last < static_cast<unsigned>(s->first_backup))
    return close(first, last);
  if (first < static_cast<unsigned>(s->first_backup)) close(first, static_cast<unsigned>(s->first_backup) - 1);
  return last >= static_cast<unsigned>(s->end_backup) ? close(static_cast<unsigned>(s->end_backup), last) : 0;
}

int change_flags(int fd, int command, long argument, std::uint64_t pc) noexcept {
  if (is_backup(fd)) return errno = EBADF, -1;
  if (command == F_SETFL && fd <= 2) needs_fork("changes the flags of a descriptor that was open before main", pc);
  if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) note_kernel_state();
  if (command == F_OFD_SETLKW) return lock_range(fd, argument, pc);
  return static_cast<int>(with_errno(sys(SYS_fcntl, fd, command, argument)));
}

}  // namespace

extern "C" {

int close(int fd) {
  if (native()) return TREADLE_REAL(close)(fd);
  if (is_backup(fd)) return errno = EBADF, -1;
  const FdNature nature = nature_of(fd);
  if (nature.can_wait) {
    fd_step(TREADLE_EV_FD_CLOSE, fd, 0, TREADLE_PC());
    release_data(nature);
  }
  about_to_close(fd);
  const long result = sys(SYS_close, fd);
  if (nature.can_wait) fd_record(TREADLE_EV_FD_CLOSE, fd, result, TREADLE_PC());
  return static_cast<int>(with_errno(result));
}

int fclose(FILE* stream) {
  if (!native()) about_to_close(fileno(stream));
  return TREADLE_REAL(fclose)(stream);
}

FILE* freopen(const char* path, const char* mode, FILE* stream) {
  if (!native()) {
    note_kernel_state();
    about_to_close(fileno(stream));
  }
  return TREADLE_REAL(freopen)(path, mode, stream);
}

FILE* freopen64(const char* path, const char* mode, FILE* stream) {
  if (!native()) {
    note_kernel_state();
    about_to_close(fileno(stream));
  }
  return TREADLE_REAL(freopen64)(path, mode, stream);
}

int dup2(int from, int to) noexcept {
  if (native()) return TREADLE_REAL(dup2)(from, to);
  if (is_backup(from) || is_backup(to)) return errno = EBADF, -1;
  note_kernel_state();
  if (from != to) about_to_close(to);
  return static_cast<int>(with_errno(sys(SYS_dup2, from, to)));
}

int dup3(int from, int to, int flags) noexcept {
  if (native()) return TREADLE_REAL(dup3)(from, to, flags);
  if (is_backup(from) || is_backup(to)) return errno = EBADF, -1;
  note_kernel_state();
  if (from != to) about_to_close(to);
  return static_cast<int>(with_errno(sys(SYS_dup3, from, to, flags)));
}

int close_range(unsigned first, unsigned last, int flags) noexcept {
  if (native()) return TREADLE_REAL(close_range)(first, last, flags);
  return close_around_backups(
      first, last, [&](unsigned from, unsigned to) { return static_cast<int>(with_errno(sys(SYS_close_range, from, to, flags))); });
}

void closefrom(int first) noexcept {
  if (native()) return TREADLE_REAL(closefrom)(first);
  close_around_backups(first < 0 ? 0 : static_cast<unsigned>(first), ~0u,
                       [](unsigned from, unsigned to) { return static_cast<int>(sys(SYS_close_range, from, to, 0)); });
}

int fcntl(int fd, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  const long argument = va_arg(arguments, long);
  va_end(arguments);
  if (native()) return TREADLE_REAL(fcntl)(fd, command, argument);
  return change_flags(fd, command, argument, TREADLE_PC());
}

int fcntl64(int fd, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  const long argument = va_arg(arguments, long);
  va_end(arguments);
  if (native()) return TREADLE_REAL(fcntl64)(fd, command, argument);
  return change_flags(fd, command, argument, TREADLE_PC());
}

}  // extern "C"

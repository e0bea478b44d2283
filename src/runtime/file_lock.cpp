// SPDX-License-Identifier: Apache-2.0
// Locks that belong to an open file: two threads of the program may wait for each other with them.
#include "runtime/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include "runtime/fd_wait.h"
#include "runtime/objects.h"
#include "runtime/real.h"

namespace treadle {

namespace {

struct FileLock {
  int fd;
  bool whole;  // flock
  long argument;

  long attempt() const noexcept { return whole ? sys(SYS_flock, fd, argument | LOCK_NB) : sys(SYS_fcntl, fd, F_OFD_SETLK, argument); }
  void give_back() const noexcept {
    if (whole) {
      sys(SYS_flock, fd, LOCK_UN);
      return;
    }
    struct flock range = *reinterpret_cast<const struct flock*>(argument);
    range.l_type = F_UNLCK;
    sys(SYS_fcntl, fd, F_OFD_SETLK, reinterpret_cast<long>(&range));
  }
};

/// The only way to ask is to take it; whether to go on is the Schedule's to say, so it is given back.
bool lock_is_free(const Thread& thread) noexcept {
  const auto& lock = *static_cast<const FileLock*>(thread.pending.object);
  const long got = lock.attempt();
  if (got == 0) lock.give_back();
  return got != -EAGAIN && got != -EACCES;
}

int take(FileLock lock, std::uint64_t pc) noexcept {
  fd_step(TREADLE_EV_FD_WRITE, lock.fd, 0, pc);
  long result = lock.attempt();
  while (result == -EAGAIN || result == -EACCES) {
    Pending what;
    what.kind = TREADLE_EV_FD_WRITE;
    what.address = static_cast<std::uint64_t>(lock.fd);
    what.pc = pc;
    what.object = &lock;
    what.enabled = lock_is_free;
    await(what);
    result = lock.attempt();
  }
  acquire_data(FdNature{});
  fd_record(TREADLE_EV_FD_WRITE, lock.fd, result, pc);
  return static_cast<int>(with_errno(result));
}

}  // namespace

int lock_range(int fd, long argument, std::uint64_t pc) noexcept { return take({fd, false, argument}, pc); }

}  // namespace treadle

using namespace treadle;

extern "C" int flock(int fd, int operation) noexcept {
  if (native()) return TREADLE_REAL(flock)(fd, operation);
  if ((operation & (LOCK_NB | LOCK_UN)) == 0) return take({fd, true, operation}, TREADLE_PC());
  fd_step(TREADLE_EV_FD_WRITE, fd, 0, TREADLE_PC());
  if ((operation & LOCK_UN) != 0)
    release_data(FdNature{});
  else
    acquire_data(FdNature{});
  const long result = sys(SYS_flock, fd, operation);
  fd_record(TREADLE_EV_FD_WRITE, fd, result, TREADLE_PC());
  return static_cast<int>(with_errno(result));
}

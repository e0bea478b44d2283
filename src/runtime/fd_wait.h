// SPDX-License-Identifier: Apache-2.0
// Operations on pipes, sockets and their like as visible operations. There is one kernel thread: whoever blocked in the kernel would block
// everybody. So an operation is enabled when the kernel says the descriptor is ready, and then made in a way that cannot block.
//
// Readiness that only another process could bring about looks like a deadlock when all threads of the program are blocked. stdin, stdout
// and stderr are therefore left to block for real (unless the program replaced them), as are files and terminals; children that the program
// started get a fifth of a second.
#pragma once

#include <fcntl.h>
#include <poll.h>

#include <cerrno>
#include <cstdint>

#include "runtime/io.h"
#include "runtime/scheduler.h"
#include "runtime/sys.h"

namespace treadle {

struct FdNature {
  bool can_wait = false;  // pipe, socket, event descriptor; else every operation is made directly
  bool is_socket = false;
  bool nonblocking = false;
  int flags = 0;  // fcntl's
  std::uint64_t inode = 0;
};

FdNature nature_of(int fd) noexcept;

/// Returns when the descriptor is ready for `events` (0: at once) or time is up.
Grant fd_step(TreadleEventKind kind, int fd, short events, std::uint64_t pc, std::uint64_t timeout = ~0ull) noexcept;

void fd_record(TreadleEventKind kind, int fd, long result, std::uint64_t pc) noexcept;

// Happens-before through a descriptor.
void release_data(const FdNature& nature) noexcept;
void acquire_data(const FdNature& nature) noexcept;
void release_space(const FdNature& nature) noexcept;
void acquire_space(const FdNature& nature) noexcept;

/// Is there something to wait for at this moment? Asks the kernel.
bool is_ready(int fd, short events) noexcept;

/// The kernel's answer as libc gives it.
inline long with_errno(long result) noexcept {
  if (result >= 0 || result < -4095) return result;
  errno = static_cast<int>(-result);
  return -1;
}

/// Makes `call` with O_NONBLOCK set on the descriptor for its duration. Nobody else runs meanwhile.
template <class Call>
long without_blocking(int fd, const FdNature& nature, Call call) noexcept {
  if (nature.nonblocking) return call();
  sys(SYS_fcntl, fd, F_SETFL, nature.flags | O_NONBLOCK);
  const long result = call();
  sys(SYS_fcntl, fd, F_SETFL, nature.flags);
  return result;
}

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
#include "runtime/fd_wait.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "runtime/sys.h"
#include "runtime/thread_sync.h"
#include "runtime/time.h"

namespace treadle {

FdNature nature_of(int fd) noexcept {
  FdNature nature;
  if (fd < 0 || (fd <= 2 && !io().touched_old_fds)) return nature;
  struct stat about{};
  if (sys(SYS_fstat, fd, reinterpret_cast<long>(&about)) != 0) return nature;
  nature.is_socket = S_ISSOCK(about.st_mode);
  const bool is_pipe = S_ISFIFO(about.st_mode);
  const bool is_anonymous = (about.st_mode & S_IFMT) == 0;  // eventfd, epoll, inotify
  nature.can_wait = nature.is_socket || is_pipe || is_anonymous;
  if (!nature.can_wait) return nature;
  if (is_pipe) nature.inode = about.st_ino;
  const long flags = sys(SYS_fcntl, fd, F_GETFL);
  nature.flags = static_cast<int>(flags);
  nature.nonblocking = (flags & O_NONBLOCK) != 0;
  return nature;
}

bool is_ready(int fd, short events) noexcept {
  pollfd one{fd, events, 0};
  return sys(SYS_poll, reinterpret_cast<long>(&one), 1, 0) != 0;  // an error too ends a wait
}

namespace {

/// While a child process lives it may be the one we wait for: give it some real time, or a deadlock would be seen that is none.
int patience() noexcept {
  if (!io().has_children) return 0;
  siginfo_t about{};
  const bool none_left = sys(SYS_waitid, P_ALL, 0, reinterpret_cast<long>(&about), WEXITED | WNOHANG | WNOWAIT, 0) == -ECHILD;
  return none_left ? 0 : 200;
}

bool fd_enabled(const Thread& thread) noexcept {
  const auto events = static_cast<short>(reinterpret_cast<std::uintptr_t>(thread.pending.object));
  const auto fd = static_cast<int>(thread.pending.address);
  if (is_ready(fd, events) || cancel_due(thread)) return true;
  pollfd one{fd, events, 0};
  const int milliseconds = patience();
  return milliseconds > 0 && sys(SYS_poll, reinterpret_cast<long>(&one), 1, milliseconds) != 0;
}

FdClock& clock_of(const FdNature& nature) noexcept {
  IoState& s = io();
  for (FdClock* c = s.clocks; c != nullptr; c = c->next)
    if (c->inode == nature.inode) return *c;
  auto* made = arena_new<FdClock>();
  made->inode = nature.inode;
  made->next = s.clocks;
  s.clocks = made;
  return *made;
}

}  // namespace

Grant fd_step(TreadleEventKind kind, int fd, short events, std::uint64_t pc, std::uint64_t timeout) noexcept {
  note_kernel_state();
  Pending what;
  what.kind = static_cast<std::uint8_t>(kind);
  what.address = static_cast<std::uint64_t>(fd);
  what.pc = pc;
  if (events != 0) {
    what.enabled = fd_enabled;
    what.object = reinterpret_cast<void*>(static_cast<std::uintptr_t>(events));
  }
  if (timeout != ~0ull) {
    what.timed = true;
    what.deadline = virtual_now() + timeout;
  }
  const Grant grant = await(what);
  if (events != 0) act_on_cancel();
  if (grant.kind == TREADLE_TIMEOUT) let_time_pass(what);
  return grant;
}

void fd_record(TreadleEventKind kind, int fd, long result, std::uint64_t pc) noexcept {
  const bool failed = result < 0;
  record(kind, static_cast<std::uint64_t>(fd), failed ? 0 : static_cast<std::uint64_t>(result),
         failed ? static_cast<std::uint64_t>(-result) : 0, pc);
}

void release_data(const FdNature& nature) noexcept { hb_release(clock_of(nature).data); }
void acquire_data(const FdNature& nature) noexcept { hb_acquire(clock_of(nature).data); }
void release_space(const FdNature& nature) noexcept { hb_release(clock_of(nature).space); }
void acquire_space(const FdNature& nature) noexcept { hb_acquire(clock_of(nature).space); }

}  // namespace treadle

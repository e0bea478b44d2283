// SPDX-License-Identifier: Apache-2.0
// Socket calls. After the step each is made with MSG_DONTWAIT (or on a socket known to be ready), so that the kernel never blocks the
// process.
#include <sys/socket.h>
#include <sys/time.h>

#include "runtime/fd_wait.h"
#include "runtime/program_memory.h"
#include "runtime/real.h"
#include "runtime/signals.h"
#include "runtime/socket_wait.h"

extern "C" {
ssize_t __recv_chk(int, void*, std::size_t, std::size_t, int);
ssize_t __recvfrom_chk(int, void*, std::size_t, std::size_t, int, sockaddr*, socklen_t*);
[[noreturn]] void __chk_fail() noexcept;
}

namespace treadle {

namespace {

std::uint64_t timeout_of(int fd, int which) noexcept {
  timeval limit{};
  socklen_t length = sizeof limit;
  if (sys(SYS_getsockopt, fd, SOL_SOCKET, which, reinterpret_cast<long>(&limit), reinterpret_cast<long>(&length)) != 0) return ~0ull;
  const std::uint64_t nanoseconds =
      static_cast<std::uint64_t>(limit.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(limit.tv_usec) * 1000;
  return nanoseconds == 0 ? ~0ull : nanoseconds;
}

bool waits(const FdNature& nature, int flags) noexcept { return !nature.nonblocking && (flags & MSG_DONTWAIT) == 0; }

/// `call(flags)` receives without blocking.
template <class Call>
long receive_with(int fd, int flags, std::uint64_t pc, Call call) noexcept {
  const FdNature nature = nature_of(fd);
  if (!nature.is_socket) return call(flags);  // the kernel says what is wrong
  const Grant grant =
      fd_step(TREADLE_EV_FD_READ, fd, waits(nature, flags) ? POLLIN : 0, pc, waits(nature, flags) ? receive_timeout(fd) : ~0ull);
  const long result = grant.kind == TREADLE_TIMEOUT ? -EAGAIN : call((flags & ~MSG_WAITALL) | MSG_DONTWAIT);
  if (result != -EAGAIN) {
    acquire_data(nature);
    release_space(nature);
  }
  fd_record(TREADLE_EV_FD_READ, fd, result, pc);
  return result;
}

template <class Call>
long send_with(int fd, int flags, std::uint64_t pc, Call call) noexcept {
  const FdNature nature = nature_of(fd);
  if (!nature.is_socket) return call(flags);
  const bool was_full = world().check_races && !is_ready(fd, POLLOUT);
  const std::uint64_t limit = waits(nature, flags) ? send_timeout(fd) : ~0ull;
  long result;
  do {
    const Grant grant = fd_step(TREADLE_EV_FD_WRITE, fd, waits(nature, flags) ? POLLOUT : 0, pc, limit);
    if (was_full) acquire_space(nature);
    release_data(nature);
    result = grant.kind == TREADLE_TIMEOUT ? -EAGAIN : call(flags | MSG_DONTWAIT | MSG_NOSIGNAL);
    fd_record(TREADLE_EV_FD_WRITE, fd, result, pc);
  } while (result == -EAGAIN && waits(nature, flags) && limit == ~0ull);
  if (result == -EPIPE && (flags & MSG_NOSIGNAL) == 0) broken_pipe(pc);
  return result;
}

/// Goes on where less than all was taken, as a blocking call on a stream does.
long send_bytes(int fd, const char* from, std::size_t bytes, int flags, const sockaddr* to, socklen_t length, std::uint64_t pc) noexcept {
  program_reads(from, bytes, pc);
  std::size_t done = 0;
  for (;;) {
    const long result = send_with(fd, flags, pc, [&](int f) {
      return sys(SYS_sendto, fd, reinterpret_cast<long>(from + done), static_cast<long>(bytes - done), f, reinterpret_cast<long>(to),
                 length);
    });
    if (result < 0) return done > 0 ? static_cast<long>(done) : result;
    done += static_cast<std::size_t>(result);
    if (done >= bytes || result == 0 || !waits(nature_of(fd), flags)) return static_cast<long>(done);
  }
}

long receive_bytes(int fd, char* to, std::size_t bytes, int flags, sockaddr* from, socklen_t* length, std::uint64_t pc) noexcept {
  std::size_t done = 0;
  for (;;) {
    const long result = receive_with(fd, flags, pc, [&](int f) {
      return sys(SYS_recvfrom, fd, reinterpret_cast<long>(to + done), static_cast<long>(bytes - done), f, reinterpret_cast<long>(from),
                 reinterpret_cast<long>(length));
    });
    if (result < 0) return done > 0 ? static_cast<long>(done) : result;
    done += static_cast<std::size_t>(result);
    if (done < bytes && result > 0 && (flags & MSG_WAITALL) != 0 && (flags & MSG_PEEK) == 0) continue;
    program_writes(to, done < bytes ? done : bytes, pc);
    return static_cast<long>(done);
  }
}

/// For blocking sockets: the connection is made in the background, and the thread waits until the kernel says it stands.
long connect_waiting(int fd, const FdNature& nature, const sockaddr* to, socklen_t length, std::uint64_t pc) noexcept {
  fd_step(TREADLE_EV_FD_POLL, fd, 0, pc);
  release_data(nature);
  long result = without_blocking(fd, nature, [&] { return sys(SYS_connect, fd, reinterpret_cast<long>(to), length); });
  if (result == -EAGAIN) unsupported("the program connects to a local socket whose queue is full", pc);
  if (result == -EINPROGRESS) {
    const Grant grant = fd_step(TREADLE_EV_FD_POLL, fd, POLLOUT, pc, send_timeout(fd));
    int error = 0;
    socklen_t size = sizeof error;
    sys(SYS_getsockopt, fd, SOL_SOCKET, SO_ERROR, reinterpret_cast<long>(&error), reinterpret_cast<long>(&size));
    result = grant.kind == TREADLE_TIMEOUT ? -EINPROGRESS : -error;
  }
  fd_record(TREADLE_EV_FD_POLL, fd, result, pc);
  return result;
}

long accept_waiting(int fd, sockaddr* from, socklen_t* length, int flags, std::uint64_t pc) noexcept {
  return receive_with(fd, 0, pc,
                      [&](int) { return sys(SYS_accept4, fd, reinterpret_cast<long>(from), reinterpret_cast<long>(length), flags); });
}

}  // namespace

std::uint64_t receive_timeout(int fd) noexcept { return timeout_of(fd, SO_RCVTIMEO); }
std::uint64_t send_timeout(int fd) noexcept { return timeout_of(fd, SO_SNDTIMEO); }

}  // namespace treadle

using namespace treadle;

extern "C" {

ssize_t recv(int fd, void* to, std::size_t bytes, int flags) {
  if (native()) return TREADLE_REAL(recv)(fd, to, bytes, flags);
  return with_errno(receive_bytes(fd, static_cast<char*>(to), bytes, flags, nullptr, nullptr, TREADLE_PC()));
}

ssize_t recvfrom(int fd, void* to, std::size_t bytes, int flags, sockaddr* from, socklen_t* length) {
  if (native()) return TREADLE_REAL(recvfrom)(fd, to, bytes, flags, from, length);
  return with_errno(receive_bytes(fd, static_cast<char*>(to), bytes, flags, from, length, TREADLE_PC()));
}

ssize_t __recv_chk(int fd, void* to, std::size_t bytes, std::size_t room, int flags) {
  if (bytes > room) __chk_fail();
  if (native()) return TREADLE_REAL(recv)(fd, to, bytes, flags);
  return with_errno(receive_bytes(fd, static_cast<char*>(to), bytes, flags, nullptr, nullptr, TREADLE_PC()));
}

ssize_t __recvfrom_chk(int fd, void* to, std::size_t bytes, std::size_t room, int flags, sockaddr* from, socklen_t* length) {
  if (bytes > room) __chk_fail();
  if (native()) return TREADLE_REAL(recvfrom)(fd, to, bytes, flags, from, length);
  return with_errno(receive_bytes(fd, static_cast<char*>(to), bytes, flags, from, length, TREADLE_PC()));
}

ssize_t recvmsg(int fd, msghdr* message, int flags) {
  if (native()) return TREADLE_REAL(recvmsg)(fd, message, flags);
  return with_errno(receive_with(fd, flags, TREADLE_PC(), [&](int f) { return sys(SYS_recvmsg, fd, reinterpret_cast<long>(message), f); }));
}

int recvmmsg(int fd, mmsghdr* messages, unsigned count, int flags, timespec* timeout) {
  if (native()) return TREADLE_REAL(recvmmsg)(fd, messages, count, flags, timeout);
  return static_cast<int>(with_errno(
      receive_with(fd, flags, TREADLE_PC(), [&](int f) { return sys(SYS_recvmmsg, fd, reinterpret_cast<long>(messages), count, f, 0); })));
}

ssize_t send(int fd, const void* from, std::size_t bytes, int flags) {
  if (native()) return TREADLE_REAL(send)(fd, from, bytes, flags);
  return with_errno(send_bytes(fd, static_cast<const char*>(from), bytes, flags, nullptr, 0, TREADLE_PC()));
}

ssize_t sendto(int fd, const void* from, std::size_t bytes, int flags, const sockaddr* to, socklen_t length) {
  if (native()) return TREADLE_REAL(sendto)(fd, from, bytes, flags, to, length);
  return with_errno(send_bytes(fd, static_cast<const char*>(from), bytes, flags, to, length, TREADLE_PC()));
}

ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  if (native()) return TREADLE_REAL(sendmsg)(fd, message, flags);
  return with_errno(send_with(fd, flags, TREADLE_PC(), [&](int f) { return sys(SYS_sendmsg, fd, reinterpret_cast<long>(message), f); }));
}

int sendmmsg(int fd, mmsghdr* messages, unsigned count, int flags) {
  if (native()) return TREADLE_REAL(sendmmsg)(fd, messages, count, flags);
  return static_cast<int>(with_errno(
      send_with(fd, flags, TREADLE_PC(), [&](int f) { return sys(SYS_sendmmsg, fd, reinterpret_cast<long>(messages), count, f); })));
}

int accept(int fd, sockaddr* from, socklen_t* length) {
  if (native()) return TREADLE_REAL(accept)(fd, from, length);
  return static_cast<int>(with_errno(accept_waiting(fd, from, length, 0, TREADLE_PC())));
}

int accept4(int fd, sockaddr* from, socklen_t* length, int flags) {
  if (native()) return TREADLE_REAL(accept4)(fd, from, length, flags);
  return static_cast<int>(with_errno(accept_waiting(fd, from, length, flags, TREADLE_PC())));
}

int connect(int fd, const sockaddr* to, socklen_t length) {
  if (native()) return TREADLE_REAL(connect)(fd, to, length);
  const FdNature nature = nature_of(fd);
  if (nature.is_socket && !nature.nonblocking) return static_cast<int>(with_errno(connect_waiting(fd, nature, to, length, TREADLE_PC())));
  return static_cast<int>(with_errno(sys(SYS_connect, fd, reinterpret_cast<long>(to), length)));
}

/// Says end of file to the other side.
int shutdown(int fd, int how) noexcept {
  if (native()) return TREADLE_REAL(shutdown)(fd, how);
  const FdNature nature = nature_of(fd);
  fd_step(TREADLE_EV_FD_CLOSE, fd, 0, TREADLE_PC());
  release_data(nature);
  const long result = sys(SYS_shutdown, fd, how);
  fd_record(TREADLE_EV_FD_CLOSE, fd, result, TREADLE_PC());
  return static_cast<int>(with_errno(result));
}

}  // extern "C"

// SPDX-License-Identifier: Apache-2.0
// poll, select and epoll. Enabled when the kernel, asked without waiting, reports something; a time-out is a decision of the Schedule.
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include <cstring>

#include "runtime/fd_wait.h"
#include "runtime/real.h"
#include "runtime/signals.h"
#include "runtime/thread_sync.h"
#include "runtime/time.h"

extern "C" {
int __poll_chk(pollfd*, nfds_t, int, std::size_t);
int __ppoll_chk(pollfd*, nfds_t, const timespec*, const sigset_t*, std::size_t);
[[noreturn]] void __chk_fail() noexcept;
}

namespace treadle {

namespace {

constexpr std::uint64_t kForEver = ~0ull;

std::uint64_t from_milliseconds(int timeout) noexcept { return timeout < 0 ? kForEver : static_cast<std::uint64_t>(timeout) * 1'000'000; }

std::uint64_t from_timespec(const timespec* timeout) noexcept {
  if (timeout == nullptr) return kForEver;
  return static_cast<std::uint64_t>(timeout->tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(timeout->tv_nsec);
}

std::uint64_t from_timeval(const timeval* timeout) noexcept {
  if (timeout == nullptr) return kForEver;
  return static_cast<std::uint64_t>(timeout->tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(timeout->tv_usec) * 1000;
}

/// The mask that a call with its own mask puts in force meanwhile.
class OtherMask {
 public:
  OtherMask(const sigset_t* mask, std::uint64_t pc) noexcept : before_(signals().blocked[self().id]), pc_(pc), changed_(mask != nullptr) {
    if (!changed_) return;
    SignalSet wanted;
    memcpy(&wanted, mask, sizeof wanted);
    set_signal_mask(wanted, pc);
  }
  ~OtherMask() {
    if (changed_) set_signal_mask(before_, pc_);
  }

 private:
  SignalSet before_;
  std::uint64_t pc_;
  bool changed_;
};

/// Who waits, and how the kernel is asked whether it need not. `ask` may be called at any decision point.
struct Question {
  bool (*ask)(const Question&);
  void* what;
  unsigned count;
  const unsigned long* sets[3];  // select
};

bool answered(const Thread& thread) noexcept {
  const auto& question = *static_cast<const Question*>(thread.pending.object);
  return question.ask(question) || cancel_due(thread);
}

void wait_for_answer(const Question& question, int fd, std::uint64_t timeout, std::uint64_t pc) noexcept {
  Pending what;
  what.kind = TREADLE_EV_FD_POLL;
  what.address = static_cast<std::uint64_t>(fd);
  what.pc = pc;
  if (timeout != 0) {
    what.object = const_cast<Question*>(&question);
    what.enabled = answered;
  }
  if (timeout != 0 && timeout != kForEver) {
    what.timed = true;
    what.deadline = virtual_now() + timeout;
  }
  note_kernel_state();
  const Grant grant = await(what);
  act_on_cancel();
  if (grant.kind == TREADLE_TIMEOUT) let_time_pass(what);
}

/// What made a descriptor ready happened before.
void acquire_from(int fd) noexcept {
  const FdNature nature = nature_of(fd);
  if (nature.can_wait) acquire_data(nature);
}

long ask_poll(void* fds, unsigned count) noexcept { return sys(SYS_poll, reinterpret_cast<long>(fds), count, 0); }

long virtual_poll(pollfd* fds, nfds_t count, std::uint64_t timeout, std::uint64_t pc) noexcept {
  if (count == 0 && timeout != kForEver) return virtual_sleep(timeout, pc), 0;
  const Question question{[](const Question& q) { return ask_poll(q.what, q.count) != 0; }, fds, static_cast<unsigned>(count), {}};
  wait_for_answer(question, count == 0 ? -1 : fds[0].fd, timeout, pc);
  const long result = ask_poll(fds, static_cast<unsigned>(count));
  for (nfds_t i = 0; world().check_races && result > 0 && i < count; ++i)
    if (fds[i].revents != 0) acquire_from(fds[i].fd);
  fd_record(TREADLE_EV_FD_POLL, count == 0 ? -1 : fds[0].fd, result, pc);
  return result;
}

constexpr unsigned kMostSelected = 1024;
constexpr unsigned kSetWords = kMostSelected / 64;

struct Selected {
  unsigned long words[3][kSetWords] = {};

  long ask(const Question& question) noexcept {
    const std::size_t bytes = (question.count + 63) / 64 * sizeof(long);
    long pointers[3];
    for (int i = 0; i < 3; ++i) {
      pointers[i] = question.sets[i] == nullptr ? 0 : reinterpret_cast<long>(words[i]);
      if (pointers[i] != 0) memcpy(words[i], question.sets[i], bytes);
    }
    timeval now{};
    return sys(SYS_select, question.count, pointers[0], pointers[1], pointers[2], reinterpret_cast<long>(&now));
  }
};

void acquire_from_selected(const Selected& found, unsigned count) noexcept {
  for (unsigned fd = 0; fd < count; ++fd)
    for (const auto& set : found.words)
      if ((set[fd / 64] >> (fd % 64) & 1) != 0) acquire_from(static_cast<int>(fd));
}

long virtual_select(int count, fd_set* reads, fd_set* writes, fd_set* errors, std::uint64_t timeout, std::uint64_t pc) noexcept {
  if (count < 0) return -EINVAL;
  if (count > static_cast<int>(kMostSelected)) unsupported("the program calls select with descriptors above 1023", pc);
  if (count == 0 && timeout != kForEver) return virtual_sleep(timeout, pc), 0;
  fd_set* sets[3] = {reads, writes, errors};
  Question question{[](const Question& q) { return Selected{}.ask(q) != 0; }, nullptr, static_cast<unsigned>(count), {}};
  for (int i = 0; i < 3; ++i) question.sets[i] = reinterpret_cast<const unsigned long*>(sets[i]);
  wait_for_answer(question, count - 1, timeout, pc);
  Selected found;
  const long result = found.ask(question);
  const std::size_t bytes = (static_cast<unsigned>(count) + 63) / 64 * sizeof(long);
  for (int i = 0; result >= 0 && i < 3; ++i)
    if (sets[i] != nullptr) memcpy(sets[i], found.words[i], bytes);
  if (world().check_races && result > 0) acquire_from_selected(found, static_cast<unsigned>(count));
  fd_record(TREADLE_EV_FD_POLL, count - 1, result, pc);
  return result;
}

/// An epoll descriptor is itself ready when it has something to report; asking it that way takes nothing out of it.
long virtual_epoll(int fd, epoll_event* events, int most, std::uint64_t timeout, std::uint64_t pc) noexcept {
  fd_step(TREADLE_EV_FD_POLL, fd, timeout == 0 ? 0 : POLLIN, pc, timeout == 0 ? kForEver : timeout);
  const long result = sys(SYS_epoll_wait, fd, reinterpret_cast<long>(events), most, 0);
  if (result > 0) acquire_data(FdNature{});
  fd_record(TREADLE_EV_FD_POLL, fd, result, pc);
  return result;
}

}  // namespace

}  // namespace treadle

using namespace treadle;

extern "C" {

int poll(pollfd* fds, nfds_t count, int timeout) {
  if (native()) return TREADLE_REAL(poll)(fds, count, timeout);
  return static_cast<int>(with_errno(virtual_poll(fds, count, from_milliseconds(timeout), TREADLE_PC())));
}

int __poll_chk(pollfd* fds, nfds_t count, int timeout, std::size_t room) {
  if (room / sizeof *fds < count) __chk_fail();
  if (native()) return TREADLE_REAL(poll)(fds, count, timeout);
  return static_cast<int>(with_errno(virtual_poll(fds, count, from_milliseconds(timeout), TREADLE_PC())));
}

int ppoll(pollfd* fds, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  if (native()) return TREADLE_REAL(ppoll)(fds, count, timeout, mask);
  const OtherMask meanwhile(mask, TREADLE_PC());
  return static_cast<int>(with_errno(virtual_poll(fds, count, from_timespec(timeout), TREADLE_PC())));
}

int __ppoll_chk(pollfd* fds, nfds_t count, const timespec* timeout, const sigset_t* mask, std::size_t room) {
  if (room / sizeof *fds < count) __chk_fail();
  if (native()) return TREADLE_REAL(ppoll)(fds, count, timeout, mask);
  const OtherMask meanwhile(mask, TREADLE_PC());
  return static_cast<int>(with_errno(virtual_poll(fds, count, from_timespec(timeout), TREADLE_PC())));
}

int select(int count, fd_set* reads, fd_set* writes, fd_set* errors, timeval* timeout) {
  if (native()) return TREADLE_REAL(select)(count, reads, writes, errors, timeout);
  return static_cast<int>(with_errno(virtual_select(count, reads, writes, errors, from_timeval(timeout), TREADLE_PC())));
}

int pselect(int count, fd_set* reads, fd_set* writes, fd_set* errors, const timespec* timeout, const sigset_t* mask) {
  if (native()) return TREADLE_REAL(pselect)(count, reads, writes, errors, timeout, mask);
  const OtherMask meanwhile(mask, TREADLE_PC());
  return static_cast<int>(with_errno(virtual_select(count, reads, writes, errors, from_timespec(timeout), TREADLE_PC())));
}

int epoll_wait(int fd, epoll_event* events, int most, int timeout) {
  if (native()) return TREADLE_REAL(epoll_wait)(fd, events, most, timeout);
  return static_cast<int>(with_errno(virtual_epoll(fd, events, most, from_milliseconds(timeout), TREADLE_PC())));
}

int epoll_pwait(int fd, epoll_event* events, int most, int timeout, const sigset_t* mask) {
  if (native()) return TREADLE_REAL(epoll_pwait)(fd, events, most, timeout, mask);
  const OtherMask meanwhile(mask, TREADLE_PC());
  return static_cast<int>(with_errno(virtual_epoll(fd, events, most, from_milliseconds(timeout), TREADLE_PC())));
}

int epoll_pwait2(int fd, epoll_event* events, int most, const timespec* timeout, const sigset_t* mask) {
  if (native()) return TREADLE_REAL(epoll_pwait2)(fd, events, most, timeout, mask);
  const OtherMask meanwhile(mask, TREADLE_PC());
  return static_cast<int>(with_errno(virtual_epoll(fd, events, most, from_timespec(timeout), TREADLE_PC())));
}

}  // extern "C"

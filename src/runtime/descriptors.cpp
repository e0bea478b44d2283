// SPDX-License-Identifier: Apache-2.0
#include "runtime/descriptors.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "runtime/exit.h"
#include "runtime/real.h"
#include "runtime/scheduler.h"
#include "runtime/signals.h"
#include "runtime/sources.h"
#include "runtime/start.h"
#include "runtime/sys.h"
#include "runtime/time.h"
#include "runtime/uncaught.h"

namespace treadle {

IoState& io() noexcept {
  World& w = world();
  if (w.io == nullptr) io_start();
  return *w.io;
}

void io_start() noexcept {
  auto* s = arena_new<IoState>();
  s->next_mapping = TREADLE_AT_MAPPINGS;
  world().io = s;
  uncaught_start();
  // Writing to a pipe without readers must fail and not kill us; broken_pipe() then does what the program asked for.
  struct sigaction ignore{};
  ignore.sa_handler = SIG_IGN;
  TREADLE_REAL(sigaction)(SIGPIPE, &ignore, nullptr);
}

/// Also asks for what libc has done by itself: opened something, or read on in a file.
bool io_can_snapshot() noexcept {
  const FdsAtStart* s = process().fds_at_start;
  if (s == nullptr || (world().job->flags & TREADLE_STATUS_MATTERS) != 0 || io().has_kernel_state || io().touched_old_fds ||
      sys(SYS_fcntl, s->lowest_free, F_GETFD) >= 0)
    return false;
  for (unsigned i = 0; i < s->count; ++i)
    if (s->open[i].offset >= 0 && sys(SYS_lseek, s->open[i].fd, 0, SEEK_CUR) != s->open[i].offset) return false;
  return true;
}

namespace {

constexpr int kScanned = 1024;

/// Only what can be read has a position that matters: output that was written stays written.
long position_to_restore(int fd) noexcept {
  struct stat about{};
  if (sys(SYS_fstat, fd, reinterpret_cast<long>(&about)) != 0 || !S_ISREG(about.st_mode)) return -1;
  if ((sys(SYS_fcntl, fd, F_GETFL) & O_ACCMODE) == O_WRONLY || fd == 1 || fd == 2) return -1;
  return sys(SYS_lseek, fd, 0, SEEK_CUR);
}

/// Near the top of the table, out of the way of numbers the program will get.
int lowest_backup() noexcept {
  rlimit limit{};
  sys(SYS_getrlimit, RLIMIT_NOFILE, reinterpret_cast<long>(&limit));
  const auto top = limit.rlim_cur < kScanned ? static_cast<int>(limit.rlim_cur) : kScanned;
  return top / 2 > static_cast<int>(FdsAtStart::kMost) ? top - static_cast<int>(FdsAtStart::kMost) : top / 2;
}

struct Open {
  bool fd[kScanned];
};

/// One call for all of them; where the limit of open files is lower than that, one for each.
void find_open(Open& open) noexcept {
  pollfd all[kScanned];
  for (int fd = 0; fd < kScanned; ++fd) all[fd] = {fd, 0, 0};
  const timespec at_once{};
  const bool told = sys(SYS_ppoll, reinterpret_cast<long>(all), kScanned, reinterpret_cast<long>(&at_once), 0, 8) >= 0;
  for (int fd = 0; fd < kScanned; ++fd) open.fd[fd] = told ? (all[fd].revents & POLLNVAL) == 0 : sys(SYS_fcntl, fd, F_GETFD) >= 0;
}

FdsAtStart* take_stock() noexcept {
  const std::uint64_t memory = map_fixed(0, sizeof(FdsAtStart), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
  if (memory == 0) refuse("there is no memory to note which files are open");
  auto* s = reinterpret_cast<FdsAtStart*>(memory);
  const int lowest = lowest_backup();
  s->first_backup = s->end_backup = lowest;
  s->lowest_free = -1;
  Open open;
  find_open(open);
  for (int fd = 0; fd < kScanned; ++fd) {
    if (fd >= s->first_backup && fd < s->end_backup) continue;
    if (!open.fd[fd]) {
      if (s->lowest_free < 0) s->lowest_free = fd;
      continue;
    }
    if (s->count == FdsAtStart::kMost || fd >= lowest) refuse("the program has too many files open before main is called");
    auto& old = s->open[s->count++];
    old = {fd, -1, position_to_restore(fd)};
    if (process().carrier != TREADLE_CARRIER_RESET) continue;
    old.copy = static_cast<int>(sys(SYS_fcntl, fd, F_DUPFD_CLOEXEC, lowest));
    if (old.copy < 0) refuse("the program's limit of open files leaves no room for the checker");
    s->end_backup = old.copy + 1;
  }
  return s;
}

void close_between(int first, int last) noexcept {
  if (first <= last) sys(SYS_close_range, first, last, 0);
}

void fill_with_random_bytes(int fd) noexcept {
  char block[4096];
  for (int i = 0; i < 64; ++i) {
    fill_randomly(block, sizeof block);
    sys(SYS_write, fd, reinterpret_cast<long>(block), sizeof block);
  }
  sys(SYS_lseek, fd, 0, SEEK_SET);
}

}  // namespace

void make_room_for_copies() noexcept {
  const long highest = sys(SYS_fcntl, 0, F_DUPFD_CLOEXEC, lowest_backup() + static_cast<int>(FdsAtStart::kMost) - 1);
  if (highest >= 0) sys(SYS_close, highest);
}

void io_before_main() noexcept {
  exit_before_main();
  process().fds_at_start = take_stock();
  // libstdc++ saves itself atomics and pthread_once while there is one thread. Fibers need parked threads, kernel threads come later:
  // without this the same program would take different steps under different carriers.
  __libc_single_threaded = 0;
}

/// Children of a fork share the position of a file with us: at the beginning is the one place where all carriers can take it back.
void io_execution_begin() noexcept {
  const FdsAtStart* s = process().fds_at_start;
  for (unsigned i = 0; s != nullptr && i < s->count; ++i)
    if (s->open[i].offset >= 0) sys(SYS_lseek, s->open[i].fd, s->open[i].offset, SEEK_SET);
}

bool is_backup(int fd) noexcept {
  const FdsAtStart* s = process().fds_at_start;
  return s != nullptr && fd >= s->first_backup && fd < s->end_backup;
}

void about_to_close(int fd) noexcept {
  source_closes(fd);
  IoState& state = io();
  if (fd >= 0 && fd < 1024) state.random_fds[fd / 64] &= ~(1ull << (fd % 64));
  const FdsAtStart* s = process().fds_at_start;
  for (unsigned i = 0; s != nullptr && i < s->count; ++i)
    if (s->open[i].fd == fd) state.touched_old_fds = true;
}

/// read() serves it without end; whoever reads it behind our back, as stdio does, gets 256 KiB.
int open_random_device(const char* path) noexcept {
  if (path == nullptr || (strcmp(path, "/dev/urandom") != 0 && strcmp(path, "/dev/random") != 0)) return -1;
  const auto fd = static_cast<int>(sys(SYS_memfd_create, reinterpret_cast<long>("urandom"), 0));
  if (fd < 0) return -1;
  fill_with_random_bytes(fd);
  note_kernel_state();
  if (fd < 1024) io().random_fds[fd / 64] |= 1ull << (fd % 64);
  return fd;
}

bool is_random_device(int fd) noexcept { return fd >= 0 && fd < 1024 && (io().random_fds[fd / 64] >> (fd % 64) & 1) != 0; }

void restore_descriptors() noexcept {
  const FdsAtStart* s = process().fds_at_start;
  // Whatever libc opened behind our back took the lowest free number first. Asking costs a tenth of closing everything.
  const bool opened = io().has_kernel_state || sys(SYS_fcntl, s->lowest_free, F_GETFD) >= 0;
  if (!opened && !io().touched_old_fds) return;
  int next = 0;
  for (unsigned i = 0; i < s->count; ++i) {
    close_between(next, s->open[i].fd - 1);
    next = s->open[i].fd + 1;
  }
  close_between(next, s->first_backup - 1);
  if (io().has_kernel_state) sys(SYS_close_range, s->end_backup, ~0u, 0);
  for (unsigned i = 0; io().touched_old_fds && i < s->count; ++i) sys(SYS_dup2, s->open[i].copy, s->open[i].fd);
}

}  // namespace treadle

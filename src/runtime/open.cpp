// SPDX-License-Identifier: Apache-2.0
// Functions that open descriptors. Numbers are the kernel's (the lowest free one, the same in every execution); all that is to do is to
// know that the kernel now holds something of the execution's, and to stand in for the machine's source of random numbers.
#include <dirent.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "runtime/descriptors.h"
#include "runtime/real.h"
#include "runtime/scheduler.h"
#include "runtime/sources.h"

extern "C" {
int __open_2(const char*, int);
int __open64_2(const char*, int);
int __openat_2(int, const char*, int);
int __openat64_2(int, const char*, int);
}

using namespace treadle;

namespace {

mode_t mode_in(int flags, va_list arguments) noexcept {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(arguments, mode_t) : 0;
}

#define TREADLE_MODE(flags)                      \
  va_list arguments;                             \
  va_start(arguments, flags);                    \
  const mode_t mode = mode_in(flags, arguments); \
  va_end(arguments)

template <class Real>
int open_with(const char* path, bool writes, Real real) noexcept {
  if (!native()) {
    const int random = open_random_device(path);
    if (random >= 0) return random;
    note_kernel_state();
    if (const char* source = source_instead_of(path, writes)) {
      const int fd = TREADLE_REAL(open)(source, O_RDONLY);
      source_opened(fd, nullptr);
      return fd;
    }
  }
  return real();
}

template <class Real>
FILE* stream_with(const char* path, const char* mode, Real real) noexcept {
  if (!native()) {
    const int random = open_random_device(path);
    if (random >= 0) return fdopen(random, mode);
    note_kernel_state();
    if (const char* source = source_instead_of(path, mode[0] != 'r' || std::strchr(mode, '+') != nullptr)) {
      FILE* stream = TREADLE_REAL(fopen)(source, mode);
      if (stream != nullptr) source_opened(fileno(stream), stream);
      return stream;
    }
  }
  return real();
}

template <class Real>
auto opening(Real real) noexcept {
  if (!native()) note_kernel_state();
  return real();
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  TREADLE_MODE(flags);
  return open_with(path, (flags & O_ACCMODE) != O_RDONLY, [&] { return TREADLE_REAL(open)(path, flags, mode); });
}

int open64(const char* path, int flags, ...) {
  TREADLE_MODE(flags);
  return open_with(path, (flags & O_ACCMODE) != O_RDONLY, [&] { return TREADLE_REAL(open64)(path, flags, mode); });
}

int openat(int at, const char* path, int flags, ...) {
  TREADLE_MODE(flags);
  return open_with(path, (flags & O_ACCMODE) != O_RDONLY, [&] { return TREADLE_REAL(openat)(at, path, flags, mode); });
}

int openat64(int at, const char* path, int flags, ...) {
  TREADLE_MODE(flags);
  return open_with(path, (flags & O_ACCMODE) != O_RDONLY, [&] { return TREADLE_REAL(openat64)(at, path, flags, mode); });
}

// What _FORTIFY_SOURCE calls.
int __open_2(const char* path, int flags) {
  return open_with(path, (flags & O_ACCMODE) != O_RDONLY, [&] { return TREADLE_REAL(__open_2)(path, flags); });
}
int __open64_2(const char* path, int flags) {
  return open_with(path, (flags & O_ACCMODE) != O_RDONLY, [&] { return TREADLE_REAL(__open64_2)(path, flags); });
}
int __openat_2(int at, const char* path, int flags) {
  return open_with(path, (flags & O_ACCMODE) != O_RDONLY, [&] { return TREADLE_REAL(__openat_2)(at, path, flags); });
}
int __openat64_2(int at, const char* path, int flags) {
  return open_with(path, (flags & O_ACCMODE) != O_RDONLY, [&] { return TREADLE_REAL(__openat64_2)(at, path, flags); });
}

FILE* fopen(const char* path, const char* mode) {
  return stream_with(path, mode, [&] { return TREADLE_REAL(fopen)(path, mode); });
}
FILE* fopen64(const char* path, const char* mode) {
  return stream_with(path, mode, [&] { return TREADLE_REAL(fopen64)(path, mode); });
}

int creat(const char* path, mode_t mode) {
  return opening([&] { return TREADLE_REAL(creat)(path, mode); });
}
int creat64(const char* path, mode_t mode) {
  return opening([&] { return TREADLE_REAL(creat64)(path, mode); });
}
FILE* tmpfile() {
  return opening([] { return TREADLE_REAL(tmpfile)(); });
}
FILE* tmpfile64() {
  return opening([] { return TREADLE_REAL(tmpfile64)(); });
}
DIR* opendir(const char* path) {
  return opening([&] { return TREADLE_REAL(opendir)(path); });
}
int pipe(int ends[2]) noexcept {
  return opening([&] { return TREADLE_REAL(pipe)(ends); });
}
int pipe2(int ends[2], int flags) noexcept {
  return opening([&] { return TREADLE_REAL(pipe2)(ends, flags); });
}
int socket(int domain, int type, int protocol) noexcept {
  return opening([&] { return TREADLE_REAL(socket)(domain, type, protocol); });
}
int socketpair(int domain, int type, int protocol, int ends[2]) noexcept {
  return opening([&] { return TREADLE_REAL(socketpair)(domain, type, protocol, ends); });
}
int eventfd(unsigned count, int flags) noexcept {
  return opening([&] { return TREADLE_REAL(eventfd)(count, flags); });
}
int epoll_create(int size) noexcept {
  return opening([&] { return TREADLE_REAL(epoll_create)(size); });
}
int epoll_create1(int flags) noexcept {
  return opening([&] { return TREADLE_REAL(epoll_create1)(flags); });
}
int memfd_create(const char* name, unsigned flags) noexcept {
  return opening([&] { return TREADLE_REAL(memfd_create)(name, flags); });
}
int inotify_init() noexcept {
  return opening([] { return TREADLE_REAL(inotify_init)(); });
}
int inotify_init1(int flags) noexcept {
  return opening([&] { return TREADLE_REAL(inotify_init1)(flags); });
}
int mkstemp(char* name) {
  return opening([&] { return TREADLE_REAL(mkstemp)(name); });
}
int mkstemp64(char* name) {
  return opening([&] { return TREADLE_REAL(mkstemp64)(name); });
}
int mkostemp(char* name, int flags) {
  return opening([&] { return TREADLE_REAL(mkostemp)(name, flags); });
}
int dup(int fd) noexcept {
  return opening([&] { return TREADLE_REAL(dup)(fd); });
}

}  // extern "C"

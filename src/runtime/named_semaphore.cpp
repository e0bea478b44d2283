// SPDX-License-Identifier: Apache-2.0
// sem_open: named semaphores, private to the process under test and to the execution. Other processes do not see them.
#include <fcntl.h>

#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstring>

#include "runtime/real.h"
#include "runtime/semaphore.h"

namespace treadle {

struct NamedSemaphore {
  NamedSemaphore* next;
  char name[NAME_MAX];
  bool unlinked;
  unsigned opened;
  sem_t* semaphore;  // what the program gets to see
};

}  // namespace treadle

using namespace treadle;

namespace {

/// Never written (and so no part of what a reset copies): the program needs addresses that are the same in every run, which those in the
/// arena are not.
const sem_t g_places[256] = {};
constexpr unsigned kPlaces = sizeof g_places / sizeof g_places[0];

unsigned count_named() noexcept {
  unsigned count = 0;
  for (const NamedSemaphore* named = world().sync->named; named != nullptr; named = named->next) ++count;
  return count;
}

NamedSemaphore* find_named(const char* name) noexcept {
  NamedSemaphore* named = world().sync->named;
  while (named != nullptr && (named->unlinked || strcmp(named->name, name) != 0)) named = named->next;
  return named;
}

sem_t* fail_to_open(int error) noexcept {
  errno = error;
  return SEM_FAILED;
}

sem_t* open_named(const char* name, int flags, unsigned value, std::uint64_t pc) noexcept {
  if (*name == '/') ++name;
  if (*name == '\0' || strchr(name, '/') != nullptr) return fail_to_open(EINVAL);
  if (strlen(name) > NAME_MAX - 4) return fail_to_open(ENAMETOOLONG);
  NamedSemaphore* named = find_named(name);
  if (named == nullptr) {
    if ((flags & O_CREAT) == 0) return fail_to_open(ENOENT);
    if (value > SEM_VALUE_MAX) return fail_to_open(EINVAL);
    const unsigned place = count_named();
    if (place == kPlaces) return fail_to_open(ENFILE);
    named = arena_new<NamedSemaphore>();
    strcpy(named->name, name);
    named->next = world().sync->named;
    world().sync->named = named;
    named->semaphore = const_cast<sem_t*>(&g_places[place]);
    start_semaphore(named->semaphore, value, pc);
    record(TREADLE_EV_SEM_INIT, address_of(named->semaphore), value, 0, pc);
  } else if ((flags & O_CREAT) != 0 && (flags & O_EXCL) != 0) {
    return fail_to_open(EEXIST);
  }
  ++named->opened;
  return named->semaphore;
}

}  // namespace

extern "C" {

sem_t* sem_open(const char* name, int flags, ...) noexcept {
  mode_t mode = 0;
  unsigned value = 0;
  if ((flags & O_CREAT) != 0) {
    va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    value = va_arg(rest, unsigned);
    va_end(rest);
  }
  if (native()) return TREADLE_REAL(sem_open)(name, flags, mode, value);
  return open_named(name, flags, value, TREADLE_PC());
}

int sem_close(sem_t* semaphore) noexcept {
  if (native()) return TREADLE_REAL(sem_close)(semaphore);
  for (NamedSemaphore* named = world().sync->named; named != nullptr; named = named->next) {
    if (named->semaphore != semaphore || named->opened == 0) continue;
    --named->opened;
    return 0;
  }
  errno = EINVAL;
  return -1;
}

int sem_unlink(const char* name) noexcept {
  if (native()) return TREADLE_REAL(sem_unlink)(name);
  NamedSemaphore* named = find_named(*name == '/' ? name + 1 : name);
  if (named == nullptr) {
    errno = ENOENT;
    return -1;
  }
  named->unlinked = true;
  return 0;
}

}  // extern "C"

// SPDX-License-Identifier: Apache-2.0
// flockfile and its sisters: a recursive lock per stream. The real ones must not be held across steps, since a thread that then enters libc
// would wait on a futex that nobody of ours can release. What stdio does by itself is one atomic step and does not ask for this lock.
#include <cstdio>

#include "runtime/mutex.h"
#include "runtime/real.h"

using namespace treadle;

namespace {

Mutex& stream_lock(FILE* stream, std::uint64_t pc) noexcept {
  if (Mutex* known = find<Mutex>(stream)) return *known;
  Mutex& made = make<Mutex>(stream, pc);
  made.type = PTHREAD_MUTEX_RECURSIVE;
  return made;
}

}  // namespace

extern "C" {

void flockfile(FILE* stream) noexcept {
  if (native()) return TREADLE_REAL(flockfile)(stream);
  lock_mutex(stream_lock(stream, TREADLE_PC()), TREADLE_EV_LOCK, {}, TREADLE_PC());
}

int ftrylockfile(FILE* stream) noexcept {
  if (native()) return TREADLE_REAL(ftrylockfile)(stream);
  return try_lock_mutex(stream_lock(stream, TREADLE_PC()), TREADLE_PC()) == 0 ? 0 : -1;
}

void funlockfile(FILE* stream) noexcept {
  if (native()) return TREADLE_REAL(funlockfile)(stream);
  unlock_mutex(stream_lock(stream, TREADLE_PC()), TREADLE_PC());
}

}  // extern "C"

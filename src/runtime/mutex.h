// SPDX-License-Identifier: Apache-2.0
// What pthread_mutex_*, mtx_*, condition variables and flockfile share.
#pragma once

#include "runtime/objects.h"

namespace treadle {

/// The mutex at this address: known, statically initialised (then it is made), or garbage (then it is reported and made).
/// C11 has no static initialiser: `needs_init`.
Mutex& mutex_at(const void* address, std::uint64_t pc, bool needs_init = false) noexcept;

int lock_mutex(Mutex& mutex, TreadleEventKind kind, const Deadline& deadline, std::uint64_t pc) noexcept;
int try_lock_mutex(Mutex& mutex, std::uint64_t pc) noexcept;
int unlock_mutex(Mutex& mutex, std::uint64_t pc) noexcept;
int destroy_mutex(pthread_mutex_t* at, Mutex& mutex, std::uint64_t pc) noexcept;
/// `kind`: glibc's __kind, the type with its flags.
void init_mutex(pthread_mutex_t* at, int kind, std::uint64_t pc) noexcept;

/// A condition variable's part of unlocking, without a step of its own.
void release_mutex(Mutex& mutex) noexcept;

/// The running thread ends: the robust mutexes that it holds become free, each in a step of its own. Whoever comes next is told.
void leave_robust_mutexes(std::uint64_t pc) noexcept;

inline bool holds(const Mutex& mutex, const Thread& thread) noexcept { return mutex.owner == thread.id + 1u; }

}  // namespace treadle

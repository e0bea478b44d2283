// SPDX-License-Identifier: Apache-2.0
// What pthread_cond_* and cnd_* share.
#pragma once

#include "runtime/mutex.h"

namespace treadle {

/// C11 has no static initialiser: `needs_init`.
Condition& condition_at(const void* address, std::uint64_t pc, bool needs_init = false) noexcept;

int wait_for_condition(Condition& condition, Mutex& mutex, const Deadline& deadline, std::uint64_t pc);
void signal_condition(Condition& condition, std::uint64_t pc) noexcept;
void broadcast_condition(Condition& condition, std::uint64_t pc) noexcept;
int init_condition(pthread_cond_t* at, const pthread_condattr_t* attributes, std::uint64_t pc) noexcept;
void destroy_condition(pthread_cond_t* at, Condition& condition, std::uint64_t pc) noexcept;

}  // namespace treadle

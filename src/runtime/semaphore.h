// SPDX-License-Identifier: Apache-2.0
// What unnamed and named semaphores share.
#pragma once

#include <semaphore.h>

#include "runtime/objects.h"

namespace treadle {

/// A new semaphore of this value at this address.
Semaphore& start_semaphore(sem_t* at, unsigned value, std::uint64_t pc) noexcept;

}  // namespace treadle

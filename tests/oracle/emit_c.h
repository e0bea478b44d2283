// SPDX-License-Identifier: Apache-2.0
// Programs as C11 with pthreads. Each statement is exactly one visible operation (or plain access) for the engine: registers are
// locals, and a thread hands its registers to main as the result of pthread_join, so nothing but the statements touches shared memory.
#pragma once

#include <span>
#include <string>

#include "program.h"

namespace oracle {

/// One program with its own main.
std::string emit_c(const Program& program);

/// Many programs in one translation unit, because compiling them one by one costs too much: `a.out K` runs programs[K].
std::string emit_batch(std::span<const Program> programs);

}  // namespace oracle

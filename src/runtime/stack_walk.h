// SPDX-License-Identifier: Apache-2.0
// Stacks by frame pointers: programs are built with them, it takes nanoseconds, and it works in a signal handler. A library without
// frame pointers cuts the walk short; it never leaves the thread's own stack.
#pragma once

#include "runtime/world.h"

namespace treadle {

/// From the frame at `frame_pointer` outwards; `innermost` (when not 0) is put in front.
void walk_stack(TreadleStack& out, std::uint64_t event, std::uint64_t frame_pointer, std::uint64_t innermost) noexcept;

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// The stream of the running thread: blocks of a file that is mapped, so that what is written stays when the process is killed. Nothing here
// takes a lock or looks at another thread.
#pragma once

#include <cstdint>

#include "abi/paths.h"

extern "C" thread_local TreadlePathCursor __treadle_paths __attribute__((tls_model("initial-exec")));

namespace treadle {

struct Origin {
  std::uint32_t parent, nth;
};

/// Opens the stream of a thread that was just created.
void begin_stream(Origin from) noexcept;

/// Everything is written: seals it. What runs in this thread after that is not recorded.
void end_stream() noexcept;

/// Number of the running thread's stream; opens one when there is none yet.
std::uint32_t stream_number() noexcept;

/// From the running thread: whatever it does until the call of resume_stream is not recorded. A stream that is never resumed says so.
TreadlePathCursor suspend_stream() noexcept;
void resume_stream(TreadlePathCursor at) noexcept;

/// In the child of a fork: its parent's mappings are not to be touched.
void forget_streams() noexcept;

void note_value(TreadleValueKind kind, std::uint64_t value) noexcept;

}  // namespace treadle

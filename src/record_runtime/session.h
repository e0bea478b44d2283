// SPDX-License-Identifier: Apache-2.0
// The recording as a whole, as the program sees it: a folder that `treadle record` made, and the status page in it.
#pragma once

#include "abi/paths.h"

namespace treadle {

/// Null when nothing is recorded: the program was started by itself, or is the child of a fork.
TreadleStatus* session_status() noexcept;
int session_folder() noexcept;

/// The first to call it tells how the run ends; `text` is copied.
bool claim_end(TreadleRunEnd end, int code, const char* text) noexcept;

/// Writes down which shared objects are loaded where.
void list_objects() noexcept;

/// Of the next function of this name behind ours.
void* real_function(const char* name) noexcept;

}  // namespace treadle

#define TREADLE_REAL(name) (reinterpret_cast<decltype(&name)>(treadle::real_function(#name)))

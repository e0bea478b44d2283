// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace treadle {

/// From here on a crash of the program, or the host's SIGVTALRM, ends the execution and not the process.
void catch_crashes() noexcept;

}  // namespace treadle

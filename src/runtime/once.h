// SPDX-License-Identifier: Apache-2.0
// What pthread_once and call_once share.
#pragma once

#include <cstdint>

namespace treadle {

/// Runs `initialiser` unless it has run to its end before. Exceptions pass through, and then it has not run.
void run_once(int* control, void (*initialiser)(), std::uint64_t pc);

}  // namespace treadle

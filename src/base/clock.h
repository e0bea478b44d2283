// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace treadle {

/// Since some moment that stays the same: for differences.
inline double seconds_now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// What `treadle predict` looks for, and within which orders of the run.
#pragma once

#include <vector>

#include "cli/flags.h"

namespace treadle {

Flag atomic_flag();  // a replay of an atomicity violation needs it, too

std::vector<Flag> predict_flags();

}  // namespace treadle

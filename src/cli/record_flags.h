// SPDX-License-Identifier: Apache-2.0
// How `treadle record` runs a program, and how much of the run it keeps.
#pragma once

#include <vector>

#include "cli/flags.h"

namespace treadle {

std::vector<Flag> record_flags();

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// `treadle replay DIR`: every witness in a folder, as a test each.
#pragma once

#include "cli/options.h"

namespace treadle {

/// A line for each; --junit writes them as test cases. -> exit status: 1 some fail, else 2 some could not be replayed, else 0
int replay_folder(const Options& options);

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// A recording for people.
#pragma once

#include <string>

#include "record/recording.h"

namespace treadle {

/// How it ended, what was recorded, and the last `most_lines` lines of each thread's path; 0: all of them.
Result<std::string> text_of(const RecordedRun& recording, std::size_t most_lines);

}  // namespace treadle

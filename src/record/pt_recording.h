// SPDX-License-Identifier: Apache-2.0
// The processor's trace of a recording, real or emulated, decoded.
#pragma once

#include <optional>
#include <string>

#include "record/pt_decode.h"
#include "record/recording.h"

namespace treadle {

/// Nothing: the recording has no such trace. A Problem: it cannot be read, or not without the program that is gone.
Result<std::optional<PtFlow>> processor_flow(const std::string& folder, const RecordedRun& recording);

/// No thread's stream tells of any path: the program was built with --record=pt, which leaves that to the processor.
bool has_no_paths(const RecordedRun& recording);

}  // namespace treadle

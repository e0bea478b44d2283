// SPDX-License-Identifier: Apache-2.0
// What a recorded program was compiled from, kept with the recording: `treadle reproduce` needs to build it once more.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "cli/options.h"

namespace treadle {

struct RecordedSources {
  std::string directory;  // in which it was compiled
  std::vector<std::string> files;
  std::string flags;
};

Result<Done> keep_sources(const std::string& recording, const Options& options);

/// Nothing: the program was not compiled by `treadle record`.
Result<std::optional<RecordedSources>> recorded_sources(const std::string& recording);

}  // namespace treadle

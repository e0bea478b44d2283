// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "explore/coverage.h"

namespace treadle {

/// Why something may happen that no execution of the search has shown, although its strategy looks for it; empty: it cannot.
std::string open_reasons(const Strategy& strategy, const Schedule& schedule, const Tally& tally, const std::optional<std::string>& stopped);

}  // namespace treadle

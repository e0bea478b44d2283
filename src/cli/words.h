// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace treadle {

/// Words as a shell would split them: spaces between, '…' and "…" around what belongs together, \ before a single character.
Result<std::vector<std::string>> split_words(const std::string& text);

}  // namespace treadle

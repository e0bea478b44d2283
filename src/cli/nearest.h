// SPDX-License-Identifier: Apache-2.0
// What the user may have meant.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace treadle {

/// The valid word that `word` was probably meant to be; nothing when none is near.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& valid);

/// "did you mean --strategy?", or the list of all that is valid.
std::string hint_for(std::string_view word, const std::vector<std::string>& valid);

}  // namespace treadle

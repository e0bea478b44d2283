// SPDX-License-Identifier: Apache-2.0
// `path_list` of a result: written, and read again by `treadle show --paths`.
#pragma once

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "explore/path_list.h"

namespace treadle {

nlohmann::ordered_json json_part(const PathList& list);

/// Foreign input: a list in which all numbers stand for something, or nothing.
std::optional<PathList> path_list_in(const nlohmann::ordered_json& json);

}  // namespace treadle

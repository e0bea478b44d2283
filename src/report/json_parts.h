// SPDX-License-Identifier: Apache-2.0
// What all JSON reports are made of.
#pragma once

#include <nlohmann/json.hpp>
#include <set>

#include "explore/outcomes.h"
#include "finding/finding.h"

namespace treadle {

nlohmann::ordered_json json_part(const SourceFrame& frame);
nlohmann::ordered_json json_part(const Finding& finding);
nlohmann::ordered_json json_part(const std::vector<InputValue>& inputs);
nlohmann::ordered_json json_part(const std::set<Outcome>& outcomes);

/// A program may name things with any bytes; JSON is UTF-8.
std::string dumped(const nlohmann::ordered_json& json);

}  // namespace treadle

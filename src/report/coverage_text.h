// SPDX-License-Identifier: Apache-2.0
// `--coverage` for people and machines.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "explore/branch_coverage.h"

namespace treadle {

std::string coverage_text(const BranchCoverage& coverage);
nlohmann::ordered_json json_part(const BranchCoverage& coverage);

}  // namespace treadle

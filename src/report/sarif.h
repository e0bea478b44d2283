// SPDX-License-Identifier: Apache-2.0
// The result of a search as SARIF 2.1.0, for code review tools: a result for each finding, its interleaving as threadFlows.
#pragma once

#include <string>

#include "report/result.h"

namespace treadle {

std::string sarif_of(const CheckResult& result);

}  // namespace treadle

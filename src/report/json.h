// SPDX-License-Identifier: Apache-2.0
// The result of a search for machines. Stable: fields are added, never changed or taken away without a new version.
#pragma once

#include <string>

#include "report/result.h"

namespace treadle {

inline constexpr int json_version = 1;

std::string json_of(const CheckResult& result);

}  // namespace treadle

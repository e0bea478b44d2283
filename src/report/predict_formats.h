// SPDX-License-Identifier: Apache-2.0
// The result of a prediction in the formats of other tools: what a search that found the same would say.
#pragma once

#include <string>

#include "report/predict_result.h"

namespace treadle {

std::string sarif_of(const PredictResult& result);
std::string junit_of(const PredictResult& result);

}  // namespace treadle

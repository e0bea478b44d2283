// SPDX-License-Identifier: Apache-2.0
// The result of a prediction for machines: the fields of a search where they mean the same, and `predictions`.
#pragma once

#include <string>

#include "report/predict_result.h"

namespace treadle {

std::string json_of(const PredictResult& result);

}  // namespace treadle

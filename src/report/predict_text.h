// SPDX-License-Identifier: Apache-2.0
// The result of a prediction for people at a terminal.
#pragma once

#include <string>

#include "report/predict_result.h"
#include "report/text.h"

namespace treadle {

std::string text_report(const PredictResult& result, const TextStyle& style);

/// Both orders of the same steps, side by side.
std::string side_by_side(const TwoOrders& orders, const TextStyle& style);

}  // namespace treadle

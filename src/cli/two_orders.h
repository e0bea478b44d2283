// SPDX-License-Identifier: Apache-2.0
// A prediction told as two orders of the same steps: that of the run that passed, and that of the replay that did not.
#pragma once

#include "finding/symbols.h"
#include "report/predict_result.h"

namespace treadle {

/// `replay` followed the prediction's decisions; `units` are those of the passing run.
TwoOrders two_orders(const Trace& passing, const Prediction& prediction, const Trace& replay, const Finding& finding, const Units& units,
                     const Symbols& symbols);

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/options.h"

namespace treadle {

/// `treadle show --dependence FILE:LINE PROGRAM`: on which reads the events of that line may depend.
int show_dependence(const Options& options);

}  // namespace treadle

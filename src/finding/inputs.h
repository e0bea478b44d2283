// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finding/finding.h"

namespace treadle {

/// What the program was given, in the order in which it asked. A value of four bytes and more is shown as a signed one.
std::vector<InputValue> inputs_of(const Trace& trace);

}  // namespace treadle

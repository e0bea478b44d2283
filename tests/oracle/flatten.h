// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "machine.h"

namespace oracle {

/// The instructions of one thread.
std::vector<Instruction> flatten(const Block& block, const std::vector<Block>& onces, bool handle_reads);

}  // namespace oracle

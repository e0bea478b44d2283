// SPDX-License-Identifier: Apache-2.0
// `--witness-yaml FILE`: each finding that the format of SV-COMP can express; of the others it is said that it cannot.
#pragma once

#include <span>
#include <string>

#include "cli/options.h"
#include "explore/ledger.h"

namespace treadle {

Result<Done> write_sv_witnesses(const Options& options, std::span<const Found> findings, Runner& runner, const Symbols& symbols);

}  // namespace treadle

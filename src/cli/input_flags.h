// SPDX-License-Identifier: Apache-2.0
// What the program gets from outside: values of its inputs, and which bytes are to be any bytes (--symbolic-stdin and its kin). Of these
// the program is told by its environment, which is ours.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/flags.h"

namespace treadle {

std::vector<Flag> input_flags();

Result<Done> set_stdin(Options& options, const std::string& value);

/// What has been asked for so far, as flags: " --symbolic-stdin 4"; empty: nothing.
std::string symbolic_sources();

}  // namespace treadle

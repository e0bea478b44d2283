// SPDX-License-Identifier: Apache-2.0
// A program full of tests: each test is a subject of its own, with its share of the time.
#pragma once

#include <string>

#include "cli/options.h"
#include "cli/test_program.h"

namespace treadle {

/// Returns the exit status.
int check_tests(const Options& options, const std::string& program, const TestProgram& tests);

}  // namespace treadle

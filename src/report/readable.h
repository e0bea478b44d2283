// SPDX-License-Identifier: Apache-2.0
// Names of C++ functions as their authors would write them.
#pragma once

#include <string>

namespace treadle {

/// std::vector<std::string>::push_back(…) instead of three lines of default template arguments.
std::string readable(std::string function);

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace treadle {

/// A header of the C or C++ library, or whatever else lies where the system keeps such things.
bool is_library_file(const std::string& file);

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace treadle {

/// As `sha256sum` prints it: other tools name files by it (FIPS 180-4).
std::string sha256(std::string_view bytes);

}  // namespace treadle

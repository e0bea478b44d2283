// SPDX-License-Identifier: Apache-2.0
// Whole files: written so that a reader, or a crash at any moment, finds the old contents or the new ones, never a part.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace treadle {

Result<Done> write_file_atomically(const std::string& path, std::string_view contents);

Result<std::string> read_file(const std::string& path, std::uint64_t most_bytes = UINT64_MAX);

}  // namespace treadle

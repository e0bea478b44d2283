// SPDX-License-Identifier: Apache-2.0
// A folder that goes away with us.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

namespace treadle {

struct TemporaryFolder {
  std::filesystem::path path;  // empty: it could not be made, errno says why

  explicit TemporaryFolder(const std::string& what) {
    std::string pattern = (std::filesystem::temp_directory_path() / ("treadle-" + what + "-XXXXXX")).string();
    if (::mkdtemp(pattern.data()) != nullptr) path = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path.empty()) std::filesystem::remove_all(path, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
};

}  // namespace treadle

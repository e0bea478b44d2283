// SPDX-License-Identifier: Apache-2.0
// Witnesses as files, beside each other in one folder.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options.h"
#include "finding/finding.h"

namespace treadle {

/// Where findings come from.
struct Origin {
  std::string program;
  std::uint64_t binary_hash = 0;
  std::vector<std::string> arguments;
  std::string called;  // as the user called it
  std::vector<std::string> environment{};
};

Result<Done> write_witnesses(std::span<Finding* const> findings, const std::string& folder, const Origin& origin);

/// What `treadle replay` must be told besides the witness.
std::string replay_options(const Options& options);

}  // namespace treadle

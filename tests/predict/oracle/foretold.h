// SPDX-License-Identifier: Apache-2.0
// What `treadle predict` says about a generated program, against what the run it was given implies.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "implied.h"

namespace oracle {

struct Difference {
  std::vector<std::string> missing;  // implied by the run, and not predicted
  std::vector<std::string> surplus;  // predicted, and not possible; or not seen when replayed
  bool limited = false;              // the report says that it does not cover everything: what is missing does not count
  bool empty() const { return missing.empty() && surplus.empty(); }
  std::string text() const;
};

/// `prefix` is that of the program in its batch: "p7_".
Difference compare(const nlohmann::json& report, const std::string& prefix, const Implied& implied, const Implied& possible);

}  // namespace oracle

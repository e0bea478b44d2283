// SPDX-License-Identifier: Apache-2.0
// A variable that nobody protects races at every pair of places that use it: one mistake, hundreds of findings. Whoever reads them on a
// terminal is served by a few in full; all of them are in the machine formats and in the folder of witnesses.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "finding/finding.h"

namespace treadle {

/// How much of a finding is told, given those that were told before it.
enum class Told { Whole, InALine, Counted };

class Alike {
 public:
  Told next(const Finding& finding);

  struct Rest {
    std::string about;  // "data race on `x`"
    std::size_t count = 0;
  };
  /// Those that were only counted, by what they are about.
  std::vector<Rest> rest() const;

 private:
  std::map<std::string, std::size_t> seen_;
};

}  // namespace treadle

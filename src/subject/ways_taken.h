// SPDX-License-Identifier: Apache-2.0
// The ways of branches that a program takes in all its executions, whoever runs them: a file that they leave them in (abi/branches.h).
#pragma once

#include <memory>
#include <unordered_set>

#include "base/result.h"
#include "base/temporary_folder.h"

namespace treadle {

class WaysTaken {
 public:
  /// Programs that are started from here on, until it is gone, keep theirs here.
  static Result<std::unique_ptr<WaysTaken>> begin();
  ~WaysTaken();

  struct Known {
    std::unordered_set<std::uint64_t> ways;  // addresses of their bytes
    bool complete = false;                   // false: the program could not keep all of them
  };
  Known so_far() const;

 private:
  WaysTaken() : folder_("ways") {}
  TemporaryFolder folder_;
};

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// What a search over inputs and schedules reports, against the paths that there are.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "paths.h"

namespace oracle {

/// Of one program; several reports (one for each combination of inputs) are put together.
struct Reported {
  std::set<Path> completed;
  std::set<std::string> failing;  // labels of assertions
  bool stuck = false;
  std::uint64_t executions = 0;       // without those whose assumptions do not hold
  std::uint64_t runs = 0;             // with them
  std::vector<std::string> other;     // findings that cannot be, whatever the paths
  std::vector<std::string> repeated;  // paths that are listed twice
  std::string unfinished;             // what the report says that it covers, when that is not everything
  std::string no_model;               // what the report says that it left out because something has no model
};

/// `prefix` stands in front of the labels of this program. Data races are looked at by other comparisons.
void add_report(const nlohmann::json& report, const std::string& prefix, Reported& reported);

struct Promises {
  bool each_once = true;  // no path is executed twice
  bool complete = true;   // every path is
};

/// Empty, or the differences, a line each.
std::string differences(const Reported& reported, const Paths& paths, Promises promises);

}  // namespace oracle

// SPDX-License-Identifier: Apache-2.0
// Switch equivalence (Algorithm 9 of the seed): two prefixes found in one execution that could be appended to each other in either order,
// and would give both target reads the same new values, lead to the same state twice. Only one of the orders is run.
#pragma once

#include <cstdint>
#include <vector>

#include "solve/causal_model.h"

namespace treadle {

/// A prefix as seen from any execution: which step of which thread reads what, and which steps come before it.
struct Extension {
  std::vector<std::uint64_t> steps;  // sorted: thread, how-manieth of its units, and whether it is the flush of it
  std::uint64_t target = 0;          // one of them, and which of its reads
  std::uint64_t value = 0;
  bool operator==(const Extension&) const = default;
};
using Equivalents = std::vector<Extension>;

struct NewPrefix {
  Question question;
  Reply reply;
};

/// For each of them the extensions that need not be explored after it.
std::vector<Equivalents> switch_equivalents(const CausalModel& model, const std::vector<NewPrefix>& found);

Extension extension_of(const CausalModel& model, const NewPrefix& found);

}  // namespace treadle

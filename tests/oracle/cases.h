// SPDX-License-Identifier: Apache-2.0
// Which programs a command is about: generated from seeds, the litmus tests, or the programs that spin.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "expected.h"
#include "generate.h"

namespace oracle {

struct Selection {
  std::uint64_t seed = 1;
  int count = 1;
  std::string profile = "mixed";
  std::string litmus;                 // a test's name, or "all": then seed and profile do not matter
  std::string spinning;               // likewise, of the programs in spinning.h
  std::vector<std::string> programs;  // PROFILE/SEED, instead of `count` seeds in a row
  bool is_generated() const { return litmus.empty() && spinning.empty() && programs.empty(); }
  // Of the profile, when given:
  std::optional<int> most_threads, most_operations;
  std::optional<std::uint64_t> most_executions, most_classes;
  Model limit_model = Model::Sc;
};

/// Throws std::invalid_argument when there is no such profile or test. Litmus tests above the limit of executions are left out.
std::vector<Case> select_cases(const Selection& selection);

/// The program of one seed; `profile` need not be resolved.
Case generate_case(const Selection& selection, std::uint64_t seed);

}  // namespace oracle

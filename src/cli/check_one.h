// SPDX-License-Identifier: Apache-2.0
// One subject of `treadle check`: searched, its findings made easy to read and their witnesses written.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/options.h"
#include "cli/searches.h"
#include "report/result.h"

namespace treadle {

struct CheckedSubject {
  Options options;  // the searches refer to it
  std::unique_ptr<Searches> searches;
  CheckResult result;
  std::optional<Problem> not_saved;  // what kept its witnesses from being written
};

inline constexpr double default_seconds = 60;

/// `called` tells its witnesses from those of others. A Problem: it could not be started or searched at all.
/// `known` is what an earlier subject of the same program has read of it, if any.
Result<std::unique_ptr<CheckedSubject>> check_one(Options options, const std::string& program, const std::string& called,
                                                  std::shared_ptr<KnownProgram> known = {});

/// What was asked about, in the user's own words.
std::string subject_of(const Options& options);

}  // namespace treadle

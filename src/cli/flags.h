// SPDX-License-Identifier: Apache-2.0
// One declaration for each flag, from which parsing, help and the suggestions for misspelt ones come.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options.h"

namespace treadle {

struct Flag {
  std::string name;   // "--max-time"
  std::string value;  // "TIME"; empty for a switch
  std::string group;  // heading in the help
  std::string help;
  Result<Done> (*set)(Options& options, const std::string& value);
};

enum class Use { Check, Replay, Minimise, Recheck, Predict, Report, Record, Reproduce };
std::vector<Flag> flags_of(Use use);

struct Subcommand {
  std::string usage;  // "treadle check [options] PROGRAM|SOURCE... [-- ARGS]"
  std::string about;
  std::string examples;  // last in the help
  std::vector<Flag> flags;
  std::string files;  // what the words without a dash are
};

std::string help_of(const Subcommand& subcommand);

/// Reads the words after the subcommand. Nothing: help was asked for and has been printed.
Result<std::optional<Options>> parse(const Subcommand& subcommand, std::vector<std::string> words);

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// Man pages and shell completions, from the one table of flags.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/flags.h"

namespace treadle {

/// A word after `treadle`.
struct Command {
  std::string name, help;
  std::function<int(std::vector<std::string>)> run;
  Subcommand (*describe)() = nullptr;  // null: takes what another program takes
};

/// treadle(1), all commands in one page.
std::string man_page(std::span<const Command> commands);

/// For "bash", "zsh" or "fish"; empty for any other shell.
std::string completions(const std::string& shell, std::span<const Command> commands);

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "cli/flags.h"

namespace treadle {
namespace {

constexpr std::size_t column = 28, width = 100;

/// Filled to the width of a terminal, each line after the first indented; a newline in the text stays one.
std::string filled(const std::string& text) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!out.empty()) out += "\n" + std::string(column, ' ');
    std::size_t used = column;
    std::istringstream words(line);
    for (std::string word; words >> word; used += word.size() + 1) {
      if (used > column && used + word.size() > width) {
        out += "\n" + std::string(column, ' ');
        used = column;
      } else if (used > column) {
        out += " ";
      }
      out += word;
    }
  }
  return out;
}

std::string line_of(const Flag& flag) {
  const std::string head = "  " + flag.name + (flag.value.empty() ? "" : " " + flag.value);
  return fmt::format("{:<{}}{}\n", head, column, filled(flag.help));
}

}  // namespace

std::string help_of(const Subcommand& subcommand) {
  std::string text = fmt::format("Usage: {}\n\n{}\n", subcommand.usage, subcommand.about);
  std::vector<std::string> groups;
  for (const Flag& flag : subcommand.flags)
    if (std::ranges::find(groups, flag.group) == groups.end()) groups.push_back(flag.group);
  for (const std::string& group : groups) {
    text += fmt::format("\n{}:\n", group);
    for (const Flag& flag : subcommand.flags)
      if (flag.group == group) text += line_of(flag);
  }
  return text + "\n" + subcommand.examples;
}

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// What follows a flag, as a value: one of a few words, a whole number, a time, an amount of memory. A Problem says in one sentence what is
// wrong, with the nearest that would be right.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/nearest.h"

namespace treadle {

template <class T>
Result<Done> choose(const std::string& value, const std::map<std::string, T>& valid, T& target) {
  if (const auto found = valid.find(value); found != valid.end()) {
    target = found->second;
    return Done{};
  }
  std::vector<std::string> names;
  for (const auto& [name, meaning] : valid) names.push_back(name);
  return Problem{fmt::format("\"{}\" is not valid", value), hint_for(value, names)};
}

template <class Target>
Result<Done> number(const std::string& value, Target& target, std::uint64_t lowest = 0, std::uint64_t highest = UINT64_MAX) {
  std::uint64_t parsed = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), parsed);
  if (error != std::errc{} || end != value.data() + value.size()) return Problem{fmt::format("\"{}\" is not a whole number", value), ""};
  if (parsed < lowest && highest == UINT64_MAX) return Problem{fmt::format("{} is too little", value), fmt::format("at least {}", lowest)};
  if (parsed < lowest || parsed > highest) return Problem{fmt::format("{} is not between {} and {}", value, lowest, highest), ""};
  target = static_cast<std::uint64_t>(parsed);
  return Done{};
}

Result<double> seconds(const std::string& value);  // "500ms", "90s", "5m", "2h"
Result<double> bytes(const std::string& value);    // "512M", "2G"

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
#include "cli/flag_values.h"

namespace treadle {
namespace {

/// A number and its unit, "90s": the value in the smallest unit given.
Result<double> measure(const std::string& value, const std::map<std::string, double>& units, const char* example) {
  double parsed = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), parsed);
  const auto unit = units.find(std::string(end, value.data() + value.size()));
  if (error != std::errc{} || unit == units.end() || !(parsed > 0)) return Problem{fmt::format("\"{}\" is not understood", value), example};
  return parsed * unit->second;
}

}  // namespace

Result<double> seconds(const std::string& value) {
  return measure(value, {{"", 1}, {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}}, "a time is written 500ms, 90s, 5m or 2h");
}

Result<double> bytes(const std::string& value) {
  return measure(value, {{"", 1}, {"K", 1024.0}, {"M", 1048576.0}, {"G", 1073741824.0}}, "an amount of memory is written 512M or 2G");
}

}  // namespace treadle

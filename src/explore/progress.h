// SPDX-License-Identifier: Apache-2.0
// One line on the terminal that says how far a search is: only on a terminal, and only when the search takes longer than a second.
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

namespace treadle {

struct HowFar {
  std::uint64_t executions = 0;
  std::size_t findings = 0;
  double seconds = 0;
  std::optional<double> estimate;  // executions of the whole search
  std::optional<std::uint64_t> max_executions;
  std::optional<double> max_seconds;
};

/// "12,345 executions, 51,200/s, 2 findings, about 80,000 in all, 2 s left"
std::string text_of(const HowFar& how_far);

std::string about(double number);      // "78,000": two digits are as much as an estimate is worth
std::string duration(double seconds);  // "14 s", "3 min", "2 days"

class Progress {
 public:
  explicit Progress(std::FILE* terminal = stderr);
  ~Progress();  // wipes the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Whether there is anything to be shown by now: how far a search is may take a while to find out.
  bool is_due(double seconds) const;
  void show(const HowFar& how_far);

 private:
  std::FILE* terminal_;  // null: not a terminal
  double shown_at_ = 0;
  bool on_screen_ = false;
};

}  // namespace treadle

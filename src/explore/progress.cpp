// SPDX-License-Identifier: Apache-2.0
#include "explore/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace treadle {
namespace {

constexpr double silence = 1.0, refresh = 0.2;  // seconds

std::string grouped(double number) {
  if (number >= 1e15) return fmt::format("{:.1e}", number);
  std::string digits = fmt::format("{:.0f}", number);
  for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

double rounded(double number) {
  if (number < 100) return std::round(number);
  const double unit = std::pow(10, std::floor(std::log10(number)) - 1);
  return std::round(number / unit) * unit;
}

}  // namespace

std::string about(double number) { return grouped(rounded(number)); }

std::string duration(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 100 * 60) return fmt::format("{:.0f} min", seconds / 60);
  if (seconds < 100 * 3600) return fmt::format("{:.0f} h", seconds / 3600);
  return seconds < 1e10 ? fmt::format("{} days", about(seconds / 86400)) : "years";
}

std::string text_of(const HowFar& how_far) {
  const double rate = static_cast<double>(how_far.executions) / std::max(how_far.seconds, 1e-3);
  std::string line = fmt::format("{} executions, {}/s, {} finding{}", grouped(static_cast<double>(how_far.executions)), grouped(rate),
                                 how_far.findings, how_far.findings == 1 ? "" : "s");
  double left = INFINITY;
  const auto until = [&](double executions) {
    left = std::min(left, std::max(executions - static_cast<double>(how_far.executions), 0.0) / std::max(rate, 1e-3));
  };
  if (how_far.estimate) {
    line += fmt::format(", about {} in all", about(*how_far.estimate));
    until(*how_far.estimate);
  }
  if (how_far.max_executions) until(static_cast<double>(*how_far.max_executions));
  if (how_far.max_seconds) left = std::min(left, std::max(*how_far.max_seconds - how_far.seconds, 0.0));
  if (std::isfinite(left)) line += fmt::format(", {} left", duration(left));
  return line;
}

Progress::Progress(std::FILE* terminal) : terminal_(isatty(fileno(terminal)) ? terminal : nullptr) {}

Progress::~Progress() {
  if (on_screen_) std::fputs("\r\033[K", terminal_), std::fflush(terminal_);
}

bool Progress::is_due(double seconds) const { return terminal_ && seconds >= silence && seconds - shown_at_ >= refresh; }

void Progress::show(const HowFar& how_far) {
  if (!is_due(how_far.seconds)) return;
  shown_at_ = how_far.seconds;
  on_screen_ = true;
  std::fputs(("\r\033[K" + text_of(how_far)).c_str(), terminal_);
  std::fflush(terminal_);
}

}  // namespace treadle

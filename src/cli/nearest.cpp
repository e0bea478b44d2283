// SPDX-License-Identifier: Apache-2.0
#include "cli/nearest.h"

#include <fmt/format.h>

#include <algorithm>

namespace treadle {
namespace {

/// Insertions, deletions, replacements and swaps of neighbours that lead from one to the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& valid) {
  std::optional<std::string> best;
  std::size_t smallest = std::max<std::size_t>(word.size() / 3, 1) + 1;
  for (const std::string& candidate : valid) {
    // The beginning of a long word counts as near: people shorten.
    const bool shortened = word.size() >= 3 && candidate.starts_with(word);
    const std::size_t far = shortened ? 1 : distance(word, candidate);
    if (far < smallest) smallest = far, best = candidate;
  }
  return best;
}

std::string hint_for(std::string_view word, const std::vector<std::string>& valid) {
  if (const auto meant = nearest(word, valid)) return fmt::format("did you mean {}?", *meant);
  std::string all;
  for (const std::string& candidate : valid) all += (all.empty() ? "" : ", ") + candidate;
  return "valid: " + all;
}

}  // namespace treadle

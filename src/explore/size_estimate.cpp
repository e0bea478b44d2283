// SPDX-License-Identifier: Apache-2.0
#include "explore/size_estimate.h"

#include <algorithm>

namespace treadle {
namespace {

// Of fifteen programs with a thousand probes each, the mean was between nothing and six tenths of the truth where they were worth less
// than 20 equal ones, between six tenths and 1.2 times it where they were worth 37 and more. A few dozen probes are trusted when they
// differ little.
constexpr double enough = 50, enough_of_few = 10, share_of_few = 0.1;
// For the factor between true and estimated size of what is over: a third of it, either way.
constexpr double enough_to_correct = 10;
// A mean of weights is more than ten times the truth in one case of ten at most (Markov).
constexpr double surely = 0.1;

bool can_be_trusted(const Weights& all) {
  const double worth = all.effective();
  return worth >= enough || (worth >= enough_of_few && worth >= share_of_few * static_cast<double>(all.count));
}

}  // namespace

void Weights::add(double weight) {
  ++count;
  sum += weight;
  squares += weight * weight;
}

Estimate size_by_probes(std::uint64_t over, const WeightsOfParts& exact, const WeightsOfParts& rough) {
  const auto known = static_cast<double>(over);
  const auto count = static_cast<double>(exact.over.count + exact.open.count);
  Estimate estimate{.probes = exact.over.count + exact.open.count, .by = Estimate::By::Probes};
  const double rest = count > 0 ? exact.open.sum / count : 0;
  estimate.executions = known + rest;
  if (count > 1) estimate.standard_error = std::sqrt(std::max(exact.open.squares / count - rest * rest, 0.0) / (count - 1));

  const Weights all{estimate.probes, exact.over.sum + exact.open.sum, exact.over.squares + exact.open.squares};
  if (can_be_trusted(all)) return estimate;
  if (rough.over.effective() < enough_to_correct) {
    estimate.at_least = true;
    estimate.executions = known + surely * rest;
    estimate.standard_error = INFINITY;
    return estimate;
  }
  const double ratio = rough.open.sum / rough.over.sum, one = 1 / rough.over.effective();
  const double spread = rough.open.squares > 0 ? ratio * ratio * (1 / rough.open.effective() + one) : 0;
  estimate.executions = known * (1 + ratio);
  estimate.standard_error =
      known * std::sqrt(spread + one * one);  // an open class may have been missed that weighs as much as one that is over
  estimate.by = Estimate::By::CorrectedProbes;
  return estimate;
}

}  // namespace treadle

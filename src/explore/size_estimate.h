// SPDX-License-Identifier: Apache-2.0
// The size of a search, from what it has done and what probes say of the rest.
//
// Let each probe have a weight whose mean over all probes is the number of classes (class_weight.h). Then the mean of the weights of those
// whose class the search has not come to is the number of classes that remain, for any part of the search that is fixed without regard to
// the probes: executions over + mean weight of the open probes is unbiased at any time, gets nearer as the search goes on, and is exact at
// its end. Old probes stay as good as new ones: what a class waits for is looked up in the tree again.
//
// Unbiased is not near. Where few probes have most of the weight, all weights that were met are too small, of classes that are over and of
// those that are not. How much too small the former tell: their true number is known. So the rest is corrected by the same factor (the
// ratio estimator of sampling theory: no longer unbiased, but its error has no heavy tail). That takes probes of classes that are over; as
// long as there are too few of them, all that can be said is "at least".
#pragma once

#include <cmath>
#include <cstdint>

namespace treadle {

/// Weights of some probes.
struct Weights {
  std::uint64_t count = 0;  // also of those that weigh nothing
  double sum = 0, squares = 0;

  void add(double weight);
  /// As many probes of one weight would be worth as much.
  double effective() const { return squares > 0 && std::isfinite(squares) ? sum * sum / squares : 0; }
};

/// What is thought of a whole search.
struct Estimate {
  enum class By : std::uint8_t { Probes, CorrectedProbes, ExploredTree };

  double executions = 0;
  double seconds_left = 0;
  double standard_error = INFINITY;  // of the executions; infinite: not known
  std::uint64_t probes = 0;          // executions at random that it rests on
  By by = By::ExploredTree;          // that may be far off
  bool at_least = false;             // too few probes counted to say more
};

/// Of all probes there were.
struct WeightsOfParts {
  Weights over, open;  // their classes are over, or are not
};

/// `over`: so many executions are over and done with. `rough` need only be in proportion to numbers of classes.
Estimate size_by_probes(std::uint64_t over, const WeightsOfParts& exact, const WeightsOfParts& rough);

}  // namespace treadle

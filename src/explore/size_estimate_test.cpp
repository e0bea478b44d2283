// SPDX-License-Identifier: Apache-2.0
#include "explore/size_estimate.h"

#include <gtest/gtest.h>

namespace treadle {
namespace {

Weights equal(std::uint64_t count, double weight) {
  Weights weights;
  for (std::uint64_t i = 0; i < count; ++i) weights.add(weight);
  return weights;
}

TEST(SizeEstimate, IsWhatIsOverAndTheMeanOfWhatIsNot) {
  const WeightsOfParts weights{equal(60, 100), equal(40, 200)};
  const Estimate estimate = size_by_probes(1000, weights, weights);
  EXPECT_EQ(estimate.by, Estimate::By::Probes);
  EXPECT_FALSE(estimate.at_least);
  EXPECT_DOUBLE_EQ(estimate.executions, 1000 + 0.4 * 200);
  EXPECT_NEAR(estimate.standard_error, 200 * std::sqrt(0.4 * 0.6 / 99), 1e-9);
}

TEST(SizeEstimate, SaysOnlyAtLeastWhenFewProbesHaveTheWeight) {
  Weights open = equal(990, 1);
  for (int i = 0; i < 3; ++i) open.add(1e6);
  const WeightsOfParts weights{equal(7, 1), open};
  const Estimate estimate = size_by_probes(7, weights, weights);
  EXPECT_TRUE(estimate.at_least);
  EXPECT_TRUE(std::isinf(estimate.standard_error));
  EXPECT_EQ(estimate.probes, 1000u);
  EXPECT_LT(estimate.executions, 1000);  // the mean is 3,001
}

TEST(SizeEstimate, IsCorrectedByWhatProbesSaidOfWhatIsOver) {
  const WeightsOfParts exact{equal(400, 0), equal(400, 0)};  // none counts
  const WeightsOfParts rough{equal(400, 3), equal(400, 6)};
  const Estimate estimate = size_by_probes(5000, exact, rough);
  EXPECT_EQ(estimate.by, Estimate::By::CorrectedProbes);
  EXPECT_FALSE(estimate.at_least);
  EXPECT_DOUBLE_EQ(estimate.executions, 15'000);
  EXPECT_GT(estimate.standard_error, 500);
  EXPECT_LT(estimate.standard_error, 1500);
}

TEST(SizeEstimate, KnowsThatAnOpenClassMayHaveBeenMissed) {
  const WeightsOfParts exact{equal(20, 0), Weights{}}, rough{equal(20, 3), Weights{}};
  const Estimate estimate = size_by_probes(1000, exact, rough);
  EXPECT_DOUBLE_EQ(estimate.executions, 1000);
  EXPECT_DOUBLE_EQ(estimate.standard_error, 50);
}

TEST(SizeEstimate, OfWeightsBeyondAllNumbersIsALowerBound) {
  const WeightsOfParts weights{equal(100, 1e300), equal(100, 1e300)};
  EXPECT_TRUE(size_by_probes(10, weights, weights).at_least);
}

}  // namespace
}  // namespace treadle

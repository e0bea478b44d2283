// SPDX-License-Identifier: Apache-2.0
#include "explore/samples.h"

#include <gtest/gtest.h>

namespace treadle {
namespace {

TEST(Samples, OfAnyLengthOfTimeAreAFewHundredFromBeginningToEnd) {
  Samples samples;
  for (int i = 0; i <= 1'000'000; ++i) {
    const double now = i * 0.001;
    samples.take_if_due([&] { return Sample{now, static_cast<std::uint64_t>(i)}; }, now);
  }
  const auto& taken = samples.taken();
  EXPECT_LT(taken.size(), 200u);
  EXPECT_GT(taken.size(), 80u);
  EXPECT_EQ(taken.front().seconds, 0);
  EXPECT_GT(taken.back().seconds, 950);
  for (std::size_t i = 1; i < taken.size(); ++i) EXPECT_LT(taken[i - 1].seconds, taken[i].seconds);
}

}  // namespace
}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
#include "explore/progress.h"

#include <gtest/gtest.h>

namespace treadle {
namespace {

TEST(Progress, TellsExecutionsRateFindingsEstimateAndTimeLeft) {
  EXPECT_EQ(text_of(HowFar{100'000, 1, 2.0, 812'345.0, std::nullopt, std::nullopt}),
            "100,000 executions, 50,000/s, 1 finding, about 810,000 in all, 14 s left");
}

TEST(Progress, CountsDownToTheNearestLimit) {
  EXPECT_EQ(text_of(HowFar{1000, 0, 10.0, std::nullopt, 2000, std::nullopt}), "1,000 executions, 100/s, 0 findings, 10 s left");
  EXPECT_EQ(text_of(HowFar{1000, 0, 10.0, std::nullopt, 2000, 12.0}), "1,000 executions, 100/s, 0 findings, 2 s left");
  EXPECT_EQ(text_of(HowFar{1000, 0, 10.0, 1e30, std::nullopt, 12.0}),
            "1,000 executions, 100/s, 0 findings, about 1.0e+30 in all, 2 s left");
}

}  // namespace
}  // namespace treadle

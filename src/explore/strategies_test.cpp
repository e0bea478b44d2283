// SPDX-License-Identifier: Apache-2.0
#include "explore/strategies.h"

#include <gtest/gtest.h>

namespace treadle {
namespace {

TEST(Strategies, EachIsMadeByItsName) {
  for (const StrategyEntry& entry : strategies()) {
    const auto found = strategy_for(entry.name, {});
    ASSERT_TRUE(found);
    const auto strategy = (*found)->make({});
    EXPECT_TRUE(strategy->next()) << entry.name;
    EXPECT_TRUE(!strategy->samples() || entry.default_budget.executions || entry.default_budget.seconds)
        << entry.name << " would never end by itself";
  }
}

TEST(Strategies, RefuseWhatTheyDoNotHonourInsteadOfIgnoringIt) {
  StrategyOptions options;
  options.schedule.model = MemoryModel::Tso;
  EXPECT_EQ(strategy_for("random", options).problem().sentence, "strategy random does not support model tso");
  options.schedule.model = MemoryModel::Sc;
  options.preemptions = 2;
  EXPECT_EQ(strategy_for("pct", options).problem().sentence, "strategy pct does not support --preemptions");
  EXPECT_TRUE(strategy_for("exhaustive", options));
  options.depth = 2;
  EXPECT_EQ(strategy_for("exhaustive", options).problem().sentence, "strategy exhaustive does not support --depth");
  EXPECT_EQ(strategy_for("guess", {}).problem().sentence, "there is no strategy guess");
}

}  // namespace
}  // namespace treadle

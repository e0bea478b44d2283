// SPDX-License-Identifier: Apache-2.0
#include "explore/strategies.h"

#include <fmt/format.h>
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
  for (const StrategyEntry& entry : strategies()) {
    options.schedule.model = MemoryModel::Tso;
    const auto found = strategy_for(entry.name, options);
    EXPECT_EQ(static_cast<bool>(found), entry.tso_pso) << entry.name;
    if (!found) EXPECT_EQ(found.problem().sentence, fmt::format("strategy {} does not support model tso", entry.name));
  }
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

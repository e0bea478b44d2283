// SPDX-License-Identifier: Apache-2.0
#include "subject/thread_table.h"

#include <gtest/gtest.h>

namespace treadle {
namespace {

TEST(ThreadTable, KeepsNumbersOnceGiven) {
  ThreadTable table;
  table.learn({{}, {0, 1}, {0, 2}});
  table.learn({{}, {0, 1}, {0, 2}, {1, 1}});
  EXPECT_EQ(table.names().size(), 4u);
  EXPECT_EQ(table.names()[3], (ThreadName{1, 1}));
}

TEST(ThreadTable, LeavesSchedulesOfThisSessionAlone) {
  ThreadTable table;
  table.learn({{}, {0, 1}, {0, 2}});
  EXPECT_FALSE(table.translation({{}, {0, 1}}));
  EXPECT_FALSE(table.translation({{}, {0, 1}, {0, 2}, {2, 1}}));
  EXPECT_EQ(table.names().size(), 4u);
}

TEST(ThreadTable, TranslatesTheNumbersOfAnotherSession) {
  ThreadTable table;
  table.learn({{}, {0, 1}, {1, 1}, {0, 2}});                                     // 0.1 is 1, 0.1.1 is 2, 0.2 is 3
  const auto numbers = table.translation({{}, {0, 2}, {0, 1}, {2, 1}, {1, 1}});  // there 0.2 is 1, 0.1 is 2, 0.1.1 is 3, 0.2.1 is 4
  ASSERT_TRUE(numbers);
  EXPECT_EQ(*numbers, (std::vector<std::uint8_t>{0, 3, 1, 2, 4}));
  EXPECT_EQ(table.names().back(), (ThreadName{3, 1}));
}

}  // namespace
}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
#include "logger.h"

#include <gtest/gtest.h>

#include <algorithm>

TEST(Logger, WritesEveryLineOfEveryThread) {
  pool::Logger logger;
  std::thread a([&] { logger.log("from a"); });
  std::thread b([&] { logger.log("from b"); });
  a.join();
  b.join();
  auto lines = logger.finish();
  std::sort(lines.begin(), lines.end());
  EXPECT_EQ(lines, (std::vector<std::string>{"from a", "from b"}));
}

// SPDX-License-Identifier: Apache-2.0
#include "solve/closed_order.h"

#include <gtest/gtest.h>

namespace treadle {
namespace {

using Said = ClosedOrder::Said;

TEST(ClosedOrder, KnowsWhatFollows) {
  ClosedOrder order;
  for (int i = 0; i < 5; ++i) order.add();
  EXPECT_EQ(order.say(0, 1), Said::New);
  EXPECT_EQ(order.say(2, 3), Said::New);
  EXPECT_EQ(order.say(1, 2), Said::New);
  EXPECT_TRUE(order.comes_before(0, 3));
  EXPECT_EQ(order.say(0, 3), Said::Known);
  EXPECT_EQ(order.before(3), ClosedOrder::bit(0) | ClosedOrder::bit(1) | ClosedOrder::bit(2));
  EXPECT_EQ(order.before(4), 0u);
}

TEST(ClosedOrder, AllowsNoCycle) {
  ClosedOrder order;
  for (int i = 0; i < 3; ++i) order.add();
  order.say(0, 1);
  order.say(1, 2);
  EXPECT_EQ(order.say(2, 0), Said::Contradiction);
  EXPECT_EQ(order.say(1, 1), Said::Contradiction);
}

TEST(ClosedOrder, StartsAnew) {
  ClosedOrder order;
  for (std::uint32_t i = 0; i < ClosedOrder::most; ++i) EXPECT_EQ(order.add(), i);
  order.say(62, 63);
  order.clear();
  EXPECT_EQ(order.size(), 0u);
  order.add();
  EXPECT_EQ(order.before(0), 0u);
}

}  // namespace
}  // namespace treadle

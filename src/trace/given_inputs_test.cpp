// SPDX-License-Identifier: Apache-2.0
#include "trace/given_inputs.h"

#include <gtest/gtest.h>

#include "trace/made_up.h"

namespace treadle {
namespace {

TEST(GivenInputs, AreKeptByThreadAndByName) {
  GivenInputs inputs;
  EXPECT_TRUE(inputs.empty());
  inputs.add("0.1", 5);
  inputs.add("0", 3);
  inputs.add("0.1", ~std::uint64_t{0});
  EXPECT_TRUE(inputs.add_named("limit", 9));
  EXPECT_FALSE(inputs.add_named("limit", 8));
  ASSERT_EQ(inputs.threads.size(), 2u);
  EXPECT_EQ(inputs.threads[0].thread, "0");
  EXPECT_EQ(inputs.threads[1].values, (std::vector<std::uint64_t>{5, ~std::uint64_t{0}}));
  EXPECT_EQ(text_of(inputs), "3,0.1:5,-1,limit=9");
}

TEST(GivenInputs, OfOtherThreadsThanTheMainOneAreTextToo) {
  GivenInputs inputs;
  inputs.add("0.2", 7);
  EXPECT_EQ(text_of(inputs), "0.2:7");
}

TEST(GivenInputs, InAnExecutionAreThoseOfEachThreadInItsOwnOrder) {
  MadeUpTrace one, other;
  one.trace.threads = other.trace.threads = {{}, {0, 1}};
  one.event(0, TREADLE_EV_INPUT, 0, 1);
  one.event(1, TREADLE_EV_INPUT, 0, 2);
  one.event(0, TREADLE_EV_INPUT, 0, 3);
  other.event(1, TREADLE_EV_INPUT, 0, 2);
  other.event(0, TREADLE_EV_INPUT, 0, 1);
  other.event(0, TREADLE_EV_INPUT, 0, 3);
  EXPECT_EQ(given_in(one.trace), given_in(other.trace));
  EXPECT_EQ(text_of(given_in(one.trace)), "1,3,0.1:2");
}

}  // namespace
}  // namespace treadle

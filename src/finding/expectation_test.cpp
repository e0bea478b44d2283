// SPDX-License-Identifier: Apache-2.0
#include "finding/expectation.h"

#include <gtest/gtest.h>

namespace treadle {
namespace {

TEST(Expectation, OfGoogleTestIsReadFromWhatItPrints) {
  const auto found = failed_expectation(
      "queue_test.cpp:14: Failure\n"
      "Expected equality of these values:\n  counter.load()\n    Which is: 1\n  2\n"
      "queue_test.cpp:15: Failure\nValue of: empty\n"
      "[  FAILED  ] Counter.KeepsBoth (0 ms)\n");
  EXPECT_EQ(found.file, "queue_test.cpp");
  EXPECT_EQ(found.line, 14u);
  EXPECT_EQ(found.message, "Expected equality of these values: counter.load(), Which is: 1, 2");
}

TEST(Expectation, OfCatchIsReadFromWhatItPrints) {
  const auto found = failed_expectation(
      "/a folder/c.cpp:15: FAILED:\n  REQUIRE( counter.load() == 2 )\nwith expansion:\n  1 == 2\n\n"
      "===============================================================================\n");
  EXPECT_EQ(found.file, "/a folder/c.cpp");
  EXPECT_EQ(found.line, 15u);
  EXPECT_EQ(found.message, "REQUIRE( counter.load() == 2 ), with expansion: 1 == 2");
}

TEST(Expectation, WithoutAPlaceHasItsMessage) {
  const auto found =
      failed_expectation("unknown file: Failure\nC++ exception with description \"gone\" thrown in the test body.\n[  FAILED  ] X\n");
  EXPECT_EQ(found.file, "");
  EXPECT_EQ(found.message, "C++ exception with description \"gone\" thrown in the test body.");
}

TEST(Expectation, OfAnotherKindOfProgramIsItsLastLine) {
  EXPECT_EQ(failed_expectation("ok 1\nnot ok 2 - lost an item\n\n").message, "not ok 2 - lost an item");
  EXPECT_EQ(failed_expectation("").message, "");
}

TEST(Expectation, ThatIsVeryLongIsCutBetweenCharacters) {
  std::string text = "a.cpp:1: Failure\n";
  for (int i = 0; i < 400; ++i) text += "é";
  const auto found = failed_expectation(text);
  EXPECT_EQ(found.message.size() % 2, 1u);  // 150 of two bytes, and the three of the ellipsis
  EXPECT_TRUE(found.message.ends_with("é…"));
}

}  // namespace
}  // namespace treadle

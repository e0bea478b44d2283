// SPDX-License-Identifier: Apache-2.0
#include "cli/test_program.h"

#include <gtest/gtest.h>

#include "base/mapped_file.h"

namespace treadle {
namespace {

using Words = std::vector<std::string>;

TEST(TestProgram, ListsOfGoogleTestBecomeFullNames) {
  const std::string printed =
      "Running main() from gtest_main.cc\n"
      "Queue.\n  KeepsOrder\n  DISABLED_IsFast\n"
      "Sizes/Pool.\n  Grows/0  # GetParam() = 4\n  Grows/1  # GetParam() = 8\n"
      "Typed/0.  # TypeParam = int\n  Works\n"
      "DISABLED_Old.\n  Works\n";
  EXPECT_EQ(listed_by_google_test(printed, false),
            (Words{"Queue.KeepsOrder", "Sizes/Pool.Grows/0", "Sizes/Pool.Grows/1", "Typed/0.Works"}));
  EXPECT_EQ(listed_by_google_test(printed, true).size(), 6u);
}

TEST(TestProgram, WhatIsNoListOfGoogleTestHasNoNames) {
  EXPECT_TRUE(listed_by_google_test("Starting up. Please wait.\n  server ready\n", false).empty());
}

TEST(TestProgram, ListsOfCatchAreNamesLineByLine) {
  EXPECT_EQ(listed_by_catch("two pushes, one pop\n\"#4 again\"\n"), (Words{"two pushes, one pop", "#4 again"}));
}

TEST(TestProgram, OneTestOfGoogleTestIsRunByItsOwnFilter) {
  EXPECT_EQ(arguments_for(Framework::GoogleTest, "Queue.KeepsOrder", {"--gtest_filter=Queue.*", "--quick", "--gtest_shuffle"}),
            (Words{"--quick", "--gtest_filter=Queue.KeepsOrder"}));
}

TEST(TestProgram, OneTestOfCatchIsRunByItsNameWithWhatHasAMeaningEscaped) {
  EXPECT_EQ(arguments_for(Framework::Catch2, "two pushes, [one] pop", {"[queue]", "--rng-seed", "4", "-r", "xml", "-s"}),
            (Words{"two pushes\\, \\[one\\] pop", "--rng-seed", "4", "-s"}));
}

TEST(TestProgram, TheFrameworkIsKnownByItsSymbols) {
  EXPECT_EQ(framework_in("_ZN7testing8UnitTest11GetInstanceEv"), Framework::GoogleTest);
  EXPECT_EQ(framework_in("_ZN5Catch7SessionC1Ev"), Framework::Catch2);
  EXPECT_EQ(framework_in("int main"), std::nullopt);
}

TEST(TestProgram, DebugInformationIsNotLookedThrough) {
  const MappedFile self("/proc/self/exe");
  ASSERT_TRUE(self.ok());
  std::size_t left = 0;
  bool google_test = false;
  for (const std::string_view part : without_debug_information(self.bytes())) {
    left += part.size();
    google_test |= framework_in(part) == Framework::GoogleTest;
  }
  EXPECT_TRUE(google_test);
  EXPECT_LT(left, self.bytes().size());
  const std::string_view not_a_program = "no program at all, but long enough to have the head of one: sixty-four bytes";
  EXPECT_EQ(without_debug_information(not_a_program), std::vector{not_a_program});
}

}  // namespace
}  // namespace treadle

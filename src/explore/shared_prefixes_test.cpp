// SPDX-License-Identifier: Apache-2.0
#include "explore/shared_prefixes.h"

#include <gtest/gtest.h>

#include "abi/wish.h"

namespace treadle {
namespace {

/// Each character a decision.
Schedule schedule(std::string_view prefix) {
  Schedule one;
  for (const char c : prefix) one.prefix.push_back({DecisionKind::Step, ThreadId{static_cast<std::uint8_t>(c)}, 0});
  return one;
}

std::vector<Snapshots> plan(SharedPrefixes& prefixes, const std::vector<std::string_view>& batch) {
  std::vector<Schedule> schedules;
  for (const auto prefix : batch) schedules.push_back(schedule(prefix));
  const auto planned = prefixes.plan(schedules, {});
  return {planned.begin(), planned.end()};
}

TEST(SharedPrefixes, AreSavedWhereTheNextScheduleLeavesTheWay) {
  SharedPrefixes prefixes;
  const auto planned = plan(prefixes, {"aaaaaaaaaab", "aaaaaaaaaac", "aaaaaaaaaad"});
  EXPECT_EQ(planned[0].resume_from, 0u);
  EXPECT_NE(planned[0].save_as, 0u);
  EXPECT_EQ(planned[0].save_at, 10u);
  EXPECT_EQ(planned[1].resume_from, planned[0].save_as);
  EXPECT_EQ(planned[1].save_as, 0u) << "it is there already";
  EXPECT_EQ(planned[2].resume_from, planned[0].save_as);
}

TEST(SharedPrefixes, LieOnTopOfEachOtherAndAreLeftOneByOne) {
  SharedPrefixes prefixes;
  const auto planned = plan(prefixes, {"aaaaaaaaaabbbbbbbbbbc", "aaaaaaaaaabbbbbbbbbbd", "aaaaaaaaaae", "f"});
  EXPECT_EQ(planned[0].save_at, 20u);
  EXPECT_EQ(planned[1].resume_from, planned[0].save_as);
  EXPECT_EQ(planned[1].save_as, 0u) << "what the next one shares was left behind";
  EXPECT_EQ(planned[2].resume_from, 0u);
  EXPECT_EQ(planned[3].resume_from, 0u);
}

TEST(SharedPrefixes, OutlastTheBatch) {
  SharedPrefixes prefixes;
  const auto first = plan(prefixes, {"aaaaaaaaaab", "aaaaaaaaaac"});
  const auto second = plan(prefixes, {"aaaaaaaaaad", "aaaaaaaaae"});
  EXPECT_EQ(second[0].resume_from, first[0].save_as);
  EXPECT_EQ(second[1].resume_from, 0u) << "that one leaves the way earlier";
}

TEST(SharedPrefixes, OfAFewStepsAreMadeAgainUnlessExecutionsTakeLong) {
  SharedPrefixes prefixes;
  EXPECT_EQ(plan(prefixes, {"aab", "aac"})[0].save_as, 0u);
  for (int i = 0; i < 100; ++i) prefixes.took(1, 0.01);
  EXPECT_NE(plan(prefixes, {"aab", "aac"})[0].save_as, 0u);
}

TEST(SharedPrefixes, AreNotSharedByExecutionsUnderAnotherModel) {
  SharedPrefixes prefixes;
  std::vector<Schedule> schedules{schedule("aaaaaaaaaab"), schedule("aaaaaaaaaac"), schedule("aaaaaaaaaad")};
  schedules[2].model = MemoryModel::Tso;
  const auto planned = prefixes.plan(schedules, {});
  EXPECT_EQ(planned[1].resume_from, planned[0].save_as);
  EXPECT_EQ(planned[2].resume_from, 0u);
}

TEST(SharedPrefixes, EndWhereWishesBegin) {
  SharedPrefixes prefixes;
  std::vector<Schedule> schedules{schedule("aaaaaaaaaabbbbbbbbbbc"), schedule("aaaaaaaaaabbbbbbbbbbd")};
  for (Schedule& one : schedules)
    for (std::size_t i = 10; i < one.prefix.size(); ++i) one.prefix[i].argument = TREADLE_WISH;
  EXPECT_EQ(prefixes.plan(schedules, {})[0].save_at, 10u);
}

TEST(SharedPrefixes, AreForgottenWhenThreadNumbersChange) {
  SharedPrefixes prefixes;
  plan(prefixes, {"aaaaaaaaaab", "aaaaaaaaaac"});
  prefixes.forget();
  EXPECT_EQ(plan(prefixes, {"aaaaaaaaaad"})[0].resume_from, 0u);
}

}  // namespace
}  // namespace treadle

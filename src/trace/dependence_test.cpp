// SPDX-License-Identifier: Apache-2.0
#include "trace/dependence.h"

#include <gtest/gtest.h>

namespace treadle {
namespace {

constexpr std::uint64_t first_read = 0x105, second_read = 0x205, write = 0x305, unknown = 0x905;

DependenceTables three_sites() {
  DependenceTables tables;
  tables.code = {{0x300, 0x305, 2}, {0x100, 0x105, 0}, {0x200, 0x205, 1}, {0x400, 0x405, 1}};
  tables.sites = {{0, 0, 0, 0}, {0, 1, 0, 0}, {1, 2, 2, 1}};
  tables.sets = {{}, {0}, {1, 0}, {1}};
  return tables;
}

TEST(Dependence, ThatKnowsNothingSaysThatEverythingDependsOnEverything) {
  const Dependence dependence;
  EXPECT_TRUE(dependence.controls(first_read, write));
  EXPECT_TRUE(dependence.steers(first_read, write));
  EXPECT_TRUE(dependence.flows_into(first_read, write));
  EXPECT_TRUE(dependence.carries(first_read, write));
  EXPECT_TRUE(dependence.knows_nothing());
}

TEST(Dependence, IsWhatTheTablesSayForReturnAddresses) {
  const Dependence dependence(three_sites());
  EXPECT_TRUE(dependence.controls(first_read, write));
  EXPECT_FALSE(dependence.controls(second_read, write));
  EXPECT_TRUE(dependence.steers(second_read, write));
  EXPECT_FALSE(dependence.flows_into(first_read, second_read));
  EXPECT_TRUE(dependence.flows_into(second_read, write));
  EXPECT_FALSE(dependence.carries(second_read, write));
  EXPECT_TRUE(dependence.carries(first_read, write));
  EXPECT_FALSE(dependence.controls(first_read, second_read));
}

TEST(Dependence, OfASiteIsThatOfAllItsCode) {
  const Dependence dependence(three_sites());
  EXPECT_TRUE(dependence.flows_into(0x405, write));
  EXPECT_FALSE(dependence.controls(first_read, 0x405));
  EXPECT_EQ(dependence.site_of(0x405), dependence.site_of(second_read));
  EXPECT_EQ(dependence.site_of(unknown), std::nullopt);
}

TEST(Dependence, OnOrOfAnUnknownPlaceIsAssumed) {
  const Dependence dependence(three_sites());
  EXPECT_FALSE(dependence.knows(unknown));
  EXPECT_TRUE(dependence.knows(write));
  EXPECT_TRUE(dependence.controls(unknown, write));
  EXPECT_TRUE(dependence.controls(first_read, unknown));
  EXPECT_TRUE(dependence.flows_into(0x100, write));  // the call itself, not what it returns to
}

TEST(Dependence, OfASiteOnEverythingIncludesUnknownPlaces) {
  DependenceTables tables = three_sites();
  tables.sites[2].control = DependenceTables::everything;
  const Dependence dependence(std::move(tables));
  EXPECT_TRUE(dependence.controls(second_read, write));
  EXPECT_TRUE(dependence.controls(unknown, write));
}

}  // namespace
}  // namespace treadle

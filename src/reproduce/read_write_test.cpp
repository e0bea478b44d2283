// SPDX-License-Identifier: Apache-2.0
#include "reproduce/read_write.h"

#include <gtest/gtest.h>

namespace treadle {
namespace {

constexpr std::uint32_t cores = 4, writes_of_each = 4;

/// Fig. 6.5 of the seed: four writes on each of four cores (a thread each here), and a read that may have read from any of them.
LedAccesses figure_6_5() {
  LedAccesses all;
  std::uint32_t rank = 0;
  for (std::uint32_t core = 0; core < cores; ++core)
    for (std::uint32_t i = 0; i < writes_of_each; ++i) {
      std::vector<std::uint32_t> clock(cores + 1);
      clock[core] = i;
      all[0x1000].push_back({core, i, true, rank++, clock});
    }
  all[0x1000].push_back({cores, 0, false, rank, std::vector<std::uint32_t>(cores + 1)});
  return all;
}

TEST(ReadWrite, ConstraintsOfFigure65AreOneForEachOtherWrite) {
  const auto count = count_read_write(figure_6_5(), false);
  ASSERT_TRUE(count);
  EXPECT_EQ(count->reads, 1u);
  EXPECT_EQ(count->writes, 16u);
  EXPECT_EQ(count->candidates, 17u);  // what was there at the beginning is one too
  // Behind the write, and for each other one that its own thread has not made before it; of the beginning: 16.
  EXPECT_EQ(count->constraints, 4u * (16 + 15 + 14 + 13) + 16);
}

TEST(ReadWrite, ConstraintsOfFigure65InRowsAreOneForEachCore) {
  const auto count = count_read_write(figure_6_5(), true);
  ASSERT_TRUE(count);
  EXPECT_EQ(count->candidates, 17u);
  // Behind the write, before the next of its own core, and somewhere in the row of each other core.
  EXPECT_EQ(count->constraints, 4u * (5 + 5 + 5 + 4) + 4);
}

TEST(ReadWrite, OfAReadWhosePastIsKnownNothingIsLeftOpen) {
  LedAccesses all;
  all[8].push_back({0, 0, true, 0, {0, 0}});
  all[8].push_back({0, 1, true, 1, {1, 0}});
  all[8].push_back({1, 0, false, 2, {2, 0}});
  const auto count = count_read_write(all, false);
  ASSERT_TRUE(count);
  EXPECT_EQ(count->candidates, 1u);
  EXPECT_EQ(count->constraints, 0u);
}

Event event_of(TreadleEventKind kind, std::uint8_t thread, std::uint64_t address = 0, std::uint64_t value = 0) {
  Event event{};
  event.kind = kind;
  event.thread = thread;
  event.address = address;
  event.value = value;
  event.size = 4;
  event.extra = kind == TREADLE_EV_PATH ? TREADLE_ON_THE_PATH : 0;
  return event;
}

/// Main creates two threads. Each enters two blocks; the first writes in its first one, the second reads in its second.
Trace two_threads() {
  Trace trace;
  trace.threads = {ThreadName{}, ThreadName{0, 1}, ThreadName{0, 2}};
  trace.events = {
      event_of(TREADLE_EV_WRITE, 0, 0x40),   event_of(TREADLE_EV_THREAD_CREATE, 0, 0, 1), event_of(TREADLE_EV_THREAD_CREATE, 0, 0, 2),
      event_of(TREADLE_EV_PATH, 1, 0xff, 1), event_of(TREADLE_EV_WRITE, 1, 0x40),         event_of(TREADLE_EV_PATH, 1, 0xff, 2),
      event_of(TREADLE_EV_PATH, 2, 0xff, 1), event_of(TREADLE_EV_PATH, 2, 0xff, 2),       event_of(TREADLE_EV_READ, 2, 0x40)};
  return trace;
}

Ways two_ways() {
  Ways ways;
  for (const char* name : {"0", "0.1", "0.2"}) ways.threads.push_back({name, {1, 2}, {}, {}, {}, 0});
  return ways;
}

TEST(KnownOrder, OfTwoThreadsOfMainIsThatMainCameFirst) {
  const LedAccesses all = led_accesses(two_threads(), two_ways(), true);
  ASSERT_EQ(all.size(), 1u);
  const auto& list = all.begin()->second;
  ASSERT_EQ(list.size(), 3u);
  EXPECT_TRUE(is_before(list[0], list[1]));
  EXPECT_TRUE(is_before(list[0], list[2]));
  EXPECT_FALSE(is_before(list[1], list[2]));
  EXPECT_FALSE(is_before(list[2], list[1]));
  EXPECT_EQ(count_read_write(all, false)->candidates, 2u);
}

TEST(KnownOrder, OfACoreIsThatWhatWasDoneBeforeTheSwitchCameFirst) {
  Ways ways = two_ways();
  ways.threads[2].gates.push_back({1, 1, 1});  // 0.2 enters its second block when 0.1 has entered its second
  const auto with = led_accesses(two_threads(), ways, true);
  const auto& list = with.begin()->second;
  EXPECT_TRUE(is_before(list[1], list[2]));
  EXPECT_EQ(count_read_write(with, true)->constraints, 0u);
  EXPECT_GT(count_read_write(led_accesses(two_threads(), ways, false), false)->constraints, 0u);
}

TEST(KnownOrder, OfWhatABlockDoesThatWasOnlyJustEnteredIsNothing) {
  Ways ways = two_ways();
  ways.threads[2].gates.push_back({1, 1, 0});  // 0.1 was on its first block when the core was taken from it: it may not have written yet
  const auto all = led_accesses(two_threads(), ways, true);
  const auto& list = all.begin()->second;
  EXPECT_FALSE(is_before(list[1], list[2]));
}

}  // namespace
}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
#include "trace/names.h"

#include <gtest/gtest.h>

#include "trace/made_up.h"

namespace treadle {
namespace {

constexpr std::uint64_t kHeapOf1 = TREADLE_AT_HEAP + TREADLE_HEAP_SLOT;

TEST(Names, OfThreadsArePathsInTheSpawnTree) {
  const std::vector<ThreadName> threads{{}, {0, 1}, {0, 2}, {1, 1}};
  EXPECT_EQ(name_of(ThreadId{0}, threads), "0");
  EXPECT_EQ(name_of(ThreadId{3}, threads), "0.1.1");
  EXPECT_EQ(name_of(ThreadId{9}, threads), "?9");
  EXPECT_EQ(name_of(ThreadId{1}, {{}, {1, 1}}), "?1") << "a table that makes no sense is no endless loop";
  EXPECT_TRUE(is_well_formed(threads));
  EXPECT_FALSE(is_well_formed({}));
  EXPECT_FALSE(is_well_formed({{}, {1, 1}}));
  EXPECT_FALSE(is_well_formed({{}, {0, 1}, {0, 1}}));
  EXPECT_FALSE(is_well_formed({{0, 1}}));
}

TEST(Names, OfHeapObjectsCountTheAllocationsOfTheirThread) {
  MadeUpTrace t;
  t.event(1, TREADLE_EV_ALLOC, kHeapOf1 + 0x100, 16);
  t.event(0, TREADLE_EV_ALLOC, TREADLE_AT_HEAP + 0x100, 16);
  t.event(1, TREADLE_EV_ALLOC, kHeapOf1 + 0x200, 64);
  const Names names(t.trace);
  EXPECT_EQ(names.at(kHeapOf1 + 0x100), "heap 0.1#1");
  EXPECT_EQ(names.at(kHeapOf1 + 0x208), "heap 0.1#2+8");
  EXPECT_EQ(names.at(TREADLE_AT_HEAP + 0x10f), "heap 0#1+15");
  EXPECT_EQ(names.at(TREADLE_AT_HEAP + 0x110), "heap 0@0x110") << "made before main began";
}

TEST(Names, OfAReusedAddressDependOnWhen) {
  MadeUpTrace t;
  const auto first = t.event(0, TREADLE_EV_ALLOC, TREADLE_AT_HEAP, 64);
  const auto freed = t.event(0, TREADLE_EV_FREE, TREADLE_AT_HEAP, 64);
  const auto second = t.event(0, TREADLE_EV_ALLOC, TREADLE_AT_HEAP + 16, 8);
  const Names names(t.trace);
  EXPECT_EQ(names.at(TREADLE_AT_HEAP + 16, first), "heap 0#1+16");
  EXPECT_EQ(names.at(TREADLE_AT_HEAP + 16, freed), "heap 0#1+16") << "a late access still meant the old block";
  EXPECT_EQ(names.at(TREADLE_AT_HEAP + 16, second), "heap 0#2");
  EXPECT_EQ(names.at(TREADLE_AT_HEAP + 32), "heap 0#1+32");
  EXPECT_EQ(names.allocation_of(TREADLE_AT_HEAP + 17), second);
  EXPECT_EQ(names.allocation_of(TREADLE_AT_HEAP + 64), UINT64_MAX);
}

TEST(Names, TellStacksThreadLocalsThreadsAndTheRestApart) {
  const MadeUpTrace t;
  const Names names(t.trace);
  const std::uint64_t slot = TREADLE_AT_STACKS + 2 * TREADLE_STACK_SLOT;
  EXPECT_EQ(names.at(slot + TREADLE_STACK_SLOT - TREADLE_TLS_BYTES - 0x48), "stack 0.2-0x48");
  EXPECT_EQ(names.at(slot + TREADLE_STACK_SLOT - TREADLE_TLS_BYTES + 0x40), "thread-local 0.2+0x40");
  EXPECT_EQ(names.at(0x7ead1000), "thread 0.1");
  EXPECT_EQ(names.at(0xdeadbeef), "0xdeadbeef");
}

TEST(Names, OfWhatAnEventIsAbout) {
  MadeUpTrace t;
  t.trace.texts = {"r1"};
  t.event(0, TREADLE_EV_THREAD_JOIN, 0, 3);
  t.event(0, TREADLE_EV_FENCE);
  t.event(0, TREADLE_EV_FD_READ, 5);
  t.event(0, TREADLE_EV_OBSERVE, 0, 7);
  t.event(0, TREADLE_EV_OBSERVE, 1, 7);
  const Names names(t.trace);
  std::vector<std::string> objects;
  for (std::uint64_t i = 0; i < t.trace.events.size(); ++i) objects.push_back(names.object_of(t.trace.events[i], i));
  EXPECT_EQ(objects, (std::vector<std::string>{"thread 0.1.1", "", "fd 5", "r1", ""}));
}

TEST(Trace, ClearedIsAsNew) {
  MadeUpTrace t;
  t.event(0, TREADLE_EV_LOCK, 1);
  t.blocked(0, TREADLE_EV_LOCK, 1, 1);
  t.end(TREADLE_END_DEADLOCK, 1, 2, 3, 4, 5, "x");
  t.stack(0, 0, {1});
  EXPECT_EQ(decisions_of(t.trace).size(), 1u);
  t.trace.clear();
  EXPECT_TRUE(t.trace.events.empty() && t.trace.choices.empty() && t.trace.pending.empty() && t.trace.stacks.empty());
  EXPECT_EQ(t.trace.end.ending, TREADLE_END_NOT_RUN);
  EXPECT_EQ(t.trace.end.pc + t.trace.end.detail + t.trace.end.address + t.trace.end.extra + t.trace.end.text.size(), 0u);
}

TEST(Trace, PlainAccessesAreVisibleOnlyWhenRacesAreExplored) {
  EXPECT_FALSE(is_visible(TREADLE_EV_READ, Races::Stop));
  EXPECT_TRUE(is_visible(TREADLE_EV_READ, Races::Explore));
  EXPECT_TRUE(is_visible(TREADLE_EV_LOCK, Races::Stop));
  EXPECT_TRUE(is_visible(TREADLE_EV_FENCE, Races::Ignore));
  EXPECT_FALSE(is_visible(TREADLE_EV_ALLOC, Races::Explore));
  EXPECT_TRUE(is_trouble(TREADLE_EV_RACE));
  EXPECT_FALSE(is_trouble(TREADLE_EV_LOCK));
}

}  // namespace
}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
#include "trace/happens_before.h"

#include <gtest/gtest.h>

#include "trace/locks.h"
#include "trace/made_up.h"

namespace treadle {
namespace {

constexpr Source kInitial{Source::Kind::Initial, UINT64_MAX};
constexpr Source kUnknown{Source::Kind::Unknown, UINT64_MAX};
Source from(std::uint64_t event) { return {Source::Kind::Write, event}; }

TEST(ReadsFrom, TheLastWriteThatOverlaps) {
  MadeUpTrace t;
  const auto early = t.event(0, TREADLE_EV_READ, 0x100, 0, 0, 0, 4);
  const auto write = t.event(0, TREADLE_EV_WRITE, 0x100, 0x11223344, 0, 0, 4);
  t.event(0, TREADLE_EV_WRITE, 0x104, 9, 0, 0, 4);
  const auto whole = t.event(1, TREADLE_EV_READ, 0x100, 0x11223344, 0, 0, 4);
  const auto part = t.event(1, TREADLE_EV_READ, 0x101, 0x33, 0, 0, 1);
  const auto wide = t.event(1, TREADLE_EV_READ, 0x0fc, 0x1122334400000000, 0, 0, 8);
  const auto other = t.event(1, TREADLE_EV_READ, 0x0ff, 0, 0, 0, 1);
  const ReadsFrom reads(t.trace);
  EXPECT_EQ(reads.of(early), kInitial);
  EXPECT_EQ(reads.of(whole), from(write));
  EXPECT_EQ(reads.of(part), from(write));
  EXPECT_EQ(reads.of(wide), from(write));
  EXPECT_EQ(reads.of(other), kInitial);
}

TEST(ReadsFrom, WhatAnAtomicExchangeLeftBehind) {
  MadeUpTrace t;
  const auto add = t.event(0, TREADLE_EV_RMW, 0x100, 0, 1, 0, 4);
  const auto next = t.event(1, TREADLE_EV_RMW, 0x100, 1, 2, 0, 4);
  const auto fails = t.event(0, TREADLE_EV_CAS_FAIL, 0x100, 2, 0, 0, 4);
  const auto read = t.event(0, TREADLE_EV_ATOMIC_READ, 0x100, 2, 0, 0, 4);
  const ReadsFrom reads(t.trace);
  EXPECT_EQ(reads.of(add), kInitial);
  EXPECT_EQ(reads.of(next), from(add));
  EXPECT_EQ(reads.of(fails), from(next));
  EXPECT_EQ(reads.of(read), from(next)) << "a failed exchange writes nothing";
}

TEST(ReadsFrom, RangesWhateverTheirValue) {
  MadeUpTrace t;
  const auto fill = t.event(0, TREADLE_EV_RANGE_WRITE, 0x100, 0, 1000);
  const auto inside = t.event(1, TREADLE_EV_READ, 0x4e0, 7, 0, 0, 4);
  const auto outside = t.event(1, TREADLE_EV_READ, 0x4e8, 0, 0, 0, 4);
  const ReadsFrom reads(t.trace);
  EXPECT_EQ(reads.of(inside), from(fill));
  EXPECT_EQ(reads.of(outside), kInitial);
}

TEST(ReadsFrom, NothingOlderThanItsBlock) {
  MadeUpTrace t;
  t.event(0, TREADLE_EV_WRITE, 0x100, 7, 0, 0, 4);
  t.event(0, TREADLE_EV_FREE, 0x100, 16);
  t.event(0, TREADLE_EV_ALLOC, 0x100, 4000);
  const auto read = t.event(0, TREADLE_EV_READ, 0x100, 7, 0, 0, 4);
  EXPECT_EQ(ReadsFrom(t.trace).of(read), kInitial);
}

TEST(ReadsFrom, IsUnknownWhenTheValueCameFromElsewhere) {
  MadeUpTrace t;
  t.event(0, TREADLE_EV_ATOMIC_WRITE, 0x100, 7, 0, 0, 4);
  const auto read = t.event(0, TREADLE_EV_ATOMIC_READ, 0x100, 8, 0, 0, 4);
  EXPECT_EQ(ReadsFrom(t.trace).of(read), kUnknown);
}

TEST(ReadsFrom, PassesOverStoresThatAreStillInABuffer) {
  MadeUpTrace t;
  const auto old = t.event(0, TREADLE_EV_ATOMIC_WRITE, 0x100, 1, 0, 0, 4);
  const auto buffered = t.event(1, TREADLE_EV_ATOMIC_WRITE, 0x100, 2, 0, 0, 4);
  const auto mine = t.event(1, TREADLE_EV_ATOMIC_READ, 0x100, 2, 0, 0, 4);
  const auto others = t.event(2, TREADLE_EV_ATOMIC_READ, 0x100, 1, 0, 0, 4);
  const auto elsewhere = t.event(1, TREADLE_EV_ATOMIC_WRITE, 0x200, 5, 0, 0, 4);
  const auto before = t.event(2, TREADLE_EV_ATOMIC_READ, 0x200, 0, 0, 0, 4);
  t.trace.choices[1].taken.kind = DecisionKind::Flush;
  const ReadsFrom reads(t.trace);
  EXPECT_EQ(reads.of(mine), from(buffered));
  EXPECT_EQ(reads.of(others), from(old));
  EXPECT_EQ(reads.of(before), kInitial);
  (void)elsewhere;
}

std::vector<std::pair<unsigned, std::uint64_t>> held(const Trace& trace) {
  std::vector<std::pair<unsigned, std::uint64_t>> all;
  for (const Held& h : locks_held(trace)) all.emplace_back(index_of(h.thread), h.object);
  return all;
}

TEST(LocksHeld, FollowsMutexesWithTheirDepthAndConditionWaits) {
  MadeUpTrace t;
  t.event(0, TREADLE_EV_LOCK, 0x10, 1);
  t.event(0, TREADLE_EV_LOCK, 0x10, 2);
  t.event(1, TREADLE_EV_TRYLOCK, 0x10, 0, 16);
  t.event(1, TREADLE_EV_LOCK, 0x20, 1);
  t.event(0, TREADLE_EV_UNLOCK, 0x10, 1);
  EXPECT_EQ(held(t.trace), (std::vector<std::pair<unsigned, std::uint64_t>>{{0, 0x10}, {1, 0x20}}));
  t.event(0, TREADLE_EV_UNLOCK, 0x10, 0);
  t.event(1, TREADLE_EV_COND_WAIT, 0x30, 0x20);
  EXPECT_TRUE(held(t.trace).empty());
  EXPECT_EQ(locks_held(t.trace, 4).size(), 2u);
}

TEST(LocksHeld, CountsReadersOneByOne) {
  MadeUpTrace t;
  t.event(0, TREADLE_EV_RDLOCK, 0x10, 1);
  t.event(0, TREADLE_EV_RDLOCK, 0x10, 2);
  t.event(1, TREADLE_EV_RDLOCK, 0x10, 3);
  t.event(0, TREADLE_EV_RWUNLOCK, 0x10, 2);
  EXPECT_EQ(held(t.trace), (std::vector<std::pair<unsigned, std::uint64_t>>{{0, 0x10}, {1, 0x10}}));
}

TEST(LocksHeld, CountsInitialisersThatRun) {
  MadeUpTrace t;
  t.event(0, TREADLE_EV_ONCE_BEGIN, 0x10, 1);
  t.event(1, TREADLE_EV_ONCE_BEGIN, 0x20, 0);
  EXPECT_EQ(held(t.trace), (std::vector<std::pair<unsigned, std::uint64_t>>{{0, 0x10}}));
  t.event(0, TREADLE_EV_ONCE_END, 0x10);
  EXPECT_TRUE(held(t.trace).empty());
}

}  // namespace
}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "predict/acquisition_history.h"
#include "predict/interference.h"
#include "predict/lock_rings.h"
#include "predict/race_candidates.h"
#include "predict/without_data.h"
#include "trace/made_up.h"

namespace treadle {
namespace {

constexpr std::uint64_t x = 0x100, y = 0x108, a = 0x200, b = 0x208, gate = 0x210;

struct Made : MadeUpTrace {
  Made() {
    event(0, TREADLE_EV_THREAD_CREATE, 0, 1);
    event(0, TREADLE_EV_THREAD_CREATE, 0, 2);
  }
  std::uint32_t write(unsigned t, std::uint64_t at, std::uint64_t value, std::uint64_t before = 0) {
    return static_cast<std::uint32_t>(event(t, TREADLE_EV_WRITE, at, value, before, 0x1000 + trace.events.size(), 4));
  }
  std::uint32_t read(unsigned t, std::uint64_t at, std::uint64_t value) {
    return static_cast<std::uint32_t>(event(t, TREADLE_EV_READ, at, value, 0, 0x1000 + trace.events.size(), 4));
  }
  std::uint32_t lock(unsigned t, std::uint64_t at) {
    return static_cast<std::uint32_t>(event(t, TREADLE_EV_LOCK, at, 1, 0, 0x1000 + trace.events.size()));
  }
  std::uint32_t unlock(unsigned t, std::uint64_t at) { return static_cast<std::uint32_t>(event(t, TREADLE_EV_UNLOCK, at)); }
  std::uint32_t join(unsigned t) {
    event(t, TREADLE_EV_THREAD_EXIT);
    return static_cast<std::uint32_t>(event(0, TREADLE_EV_THREAD_JOIN, 0, t));
  }
  std::vector<RaceGroup> races() const { return race_candidates(trace, shared_locations(trace), ThreadOrder(trace), LockSets(trace)); }
  RingCandidates rings() const { return lock_rings(trace, ThreadOrder(trace), LockSets(trace)); }
};

TEST(ThreadOrder, FollowsCreationAndJoining) {
  Made made;
  const auto child = made.write(1, x, 1);
  const auto other = made.write(2, x, 2);
  const auto joined = made.join(1);
  const ThreadOrder order(made.trace);
  EXPECT_TRUE(order.comes_before(0, child));
  EXPECT_FALSE(order.comes_before(1, child));  // thread 2 is created after thread 1
  EXPECT_TRUE(order.comes_before(1, other));
  EXPECT_FALSE(order.ordered(child, other));
  EXPECT_TRUE(order.comes_before(child, joined));
  EXPECT_FALSE(order.comes_before(other, joined));
}

TEST(RaceCandidates, AreConflictingAccessesOfDifferentThreads) {
  Made made;
  const auto first = made.write(1, x, 1), second = made.read(2, x, 1);
  made.read(1, y, 0);
  made.read(2, y, 0);
  const auto groups = made.races();
  ASSERT_EQ(groups.size(), 1u);
  ASSERT_EQ(groups[0].pairs.size(), 1u);
  EXPECT_EQ(groups[0].pairs[0].first, first);
  EXPECT_EQ(groups[0].pairs[0].second, second);
}

TEST(RaceCandidates, AreNotThoseThatALockOrAJoinKeepsApart) {
  Made made;
  for (const unsigned t : {1u, 2u}) {
    made.lock(t, a);
    made.write(t, x, t);
    made.unlock(t, a);
  }
  made.write(1, y, 1);
  made.join(1);
  made.write(0, y, 2);
  EXPECT_TRUE(made.races().empty());
}

TEST(RaceCandidates, OfDifferentLivesOfABlockAreNone) {
  Made made;
  made.event(1, TREADLE_EV_ALLOC, x, 16);
  made.write(1, x, 1);
  made.event(1, TREADLE_EV_FREE, x, 16);
  made.event(2, TREADLE_EV_ALLOC, x, 16);
  made.write(2, x, 1);
  EXPECT_TRUE(made.races().empty());
}

TEST(RaceCandidates, OverlapInAnyByte) {
  Made made;
  made.event(1, TREADLE_EV_RANGE_WRITE, x, 0, 64, 0x1, 0);
  made.write(2, x + 60, 1);
  EXPECT_EQ(made.races().size(), 1u);
}

TEST(LockRings, HaveAnyLength) {
  Made made;
  made.event(0, TREADLE_EV_THREAD_CREATE, 0, 3);
  const std::uint64_t locks[] = {a, b, gate};
  for (unsigned t = 1; t <= 3; ++t) {
    made.lock(t, locks[t - 1]);
    made.lock(t, locks[t % 3]);
    made.unlock(t, locks[t % 3]);
    made.unlock(t, locks[t - 1]);
  }
  const auto rings = made.rings();
  ASSERT_EQ(rings.groups.size(), 1u);
  EXPECT_EQ(rings.groups[0].rings[0].waits.size(), 3u);
}

TEST(LockRings, BehindAGateAreNone) {
  for (const bool guarded : {false, true}) {
    Made made;
    for (unsigned t = 1; t <= 2; ++t) {
      const std::uint64_t first = t == 1 ? a : b, second = t == 1 ? b : a;
      if (guarded) made.lock(t, gate);
      made.lock(t, first);
      made.lock(t, second);
      made.unlock(t, second);
      made.unlock(t, first);
      if (guarded) made.unlock(t, gate);
    }
    EXPECT_EQ(made.rings().groups.size(), guarded ? 0u : 1u);
  }
}

TEST(LockRings, OfReadersOnlyAreNone) {
  Made made;
  for (unsigned t = 1; t <= 2; ++t) {
    made.event(t, TREADLE_EV_RDLOCK, t == 1 ? a : b, 1, 0, t);
    made.event(t, TREADLE_EV_RDLOCK, t == 1 ? b : a, 1, 0, t + 2);
  }
  EXPECT_TRUE(made.rings().groups.empty());
}

TEST(AcquisitionHistory, LetsNobodyInWhileALockIsHeldThroughout) {
  Made made;
  made.lock(1, a);
  const auto first = made.write(1, x, 1), middle = made.write(1, x, 2);
  made.unlock(1, a);
  made.lock(1, a);
  const auto last = made.write(1, x, 3);
  made.unlock(1, a);
  made.lock(2, a);
  const auto remote = made.read(2, x, 3);
  made.unlock(2, a);
  const AcquisitionHistory history(made.trace);
  EXPECT_FALSE(history.can_meet(first, middle, remote));
  EXPECT_TRUE(history.can_meet(middle, last, remote));
}

TEST(AcquisitionHistory, KnowsWhoMustHaveComeFirst) {
  Made made;  // each holds a lock and has taken, since, what the other holds: one would have to be before the other and after it
  made.lock(1, a);
  made.lock(1, b);
  made.unlock(1, b);
  const auto first = made.write(1, x, 1), last = made.write(1, x, 2);
  made.unlock(1, a);
  made.lock(2, b);
  made.lock(2, a);
  made.unlock(2, a);
  const auto remote = made.read(2, x, 2);
  EXPECT_FALSE(AcquisitionHistory(made.trace).can_meet(first, last, remote));
}

TEST(Regions, EndWithTheOutermostMark) {
  Made made;
  const auto begin = made.event(1, TREADLE_EV_REGION_BEGIN);
  made.event(1, TREADLE_EV_REGION_BEGIN);
  made.event(1, TREADLE_EV_REGION_END);
  const auto end = made.event(1, TREADLE_EV_REGION_END);
  made.lock(2, a);
  made.unlock(2, a);
  ASSERT_EQ(atomic_regions(made.trace, false).size(), 1u);
  EXPECT_EQ(atomic_regions(made.trace, false)[0].begin, begin);
  EXPECT_EQ(atomic_regions(made.trace, false)[0].end, end);
  EXPECT_EQ(atomic_regions(made.trace, true).size(), 2u);
}

TripleCandidates triples(const Trace& trace) {
  return triples_of(atomic_regions(trace, false), shared_locations(trace), ThreadOrder(trace), AcquisitionHistory(trace));
}

TEST(Triples, AreTheFiveThatHaveNoSerialEqual) {
  for (unsigned pattern = 0; pattern < 8; ++pattern) {
    Made made;
    const auto access = [&](unsigned t, bool writes) { writes ? made.write(t, x, 1) : made.read(t, x, 0); };
    made.event(1, TREADLE_EV_REGION_BEGIN);
    access(1, pattern & 4);
    access(1, pattern & 1);
    made.event(1, TREADLE_EV_REGION_END);
    access(2, pattern & 2);
    const bool writes_in_between = (pattern & 2) != 0, writes_around = (pattern & 5) == 5;
    EXPECT_EQ(triples(made.trace).counts.all, writes_in_between || writes_around ? 1u : 0u) << pattern;
  }
}

TEST(Triples, AreCountedAfterEachStage) {
  Made made;
  made.event(1, TREADLE_EV_REGION_BEGIN);
  made.lock(1, a);
  made.read(1, x, 0);
  made.write(1, x, 1);
  made.unlock(1, a);
  made.event(1, TREADLE_EV_REGION_END);
  made.write(2, x, 5);
  made.lock(2, a);
  made.write(2, x, 6);
  made.unlock(2, a);
  made.join(1);
  made.write(0, x, 7);
  const TripleCounts counts = triples(made.trace).counts;
  EXPECT_EQ(counts.all, 3u);
  EXPECT_EQ(counts.happens_before, 2u);
  EXPECT_EQ(counts.locks, 1u);
}

TEST(Interference, NeedsADifference) {
  struct {
    std::uint64_t remote;
    bool makes_one;
  } const cases[] = {{5, true}, {0, false}};
  for (const auto& [value, makes_one] : cases) {
    Made made;
    const auto first = made.read(1, x, 0), remote = made.write(2, x, value, 0), last = made.read(1, x, value);
    EXPECT_EQ(interferes(made.trace, {first, remote, last}), makes_one) << value;
  }
}

TEST(Interference, ByAWriteThatIsOverwrittenWithTheSameIsNone) {
  Made made;
  const auto first = made.read(1, x, 0), remote = made.write(2, x, 5, 0), last = made.write(1, x, 5, 5);
  EXPECT_FALSE(interferes(made.trace, {first, remote, last}));
}

TEST(Interference, OfAReadIsWhatItShouldNotHaveSeen) {
  for (const std::uint64_t in_between : {1u, 2u}) {
    Made made;
    const auto first = made.write(1, x, in_between, 0), remote = made.read(2, x, in_between), last = made.write(1, x, 2, in_between);
    EXPECT_EQ(interferes(made.trace, {first, remote, last}), in_between == 1);
  }
}

TEST(Interference, IsFoundInATraceThatShowsIt) {
  Made made;
  made.event(1, TREADLE_EV_REGION_BEGIN);
  const auto first = made.read(1, x, 0), remote = made.write(2, x, 5, 0), last = made.write(1, x, 1, 5);
  made.event(1, TREADLE_EV_REGION_END);
  const auto found = interferences(made.trace, atomic_regions(made.trace, false), shared_locations(made.trace));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], (Triple{first, remote, last}));
}

TEST(WithoutData, AllValuesAreEqual) {
  Made made;
  made.write(1, x, 7, 3);
  made.event(2, TREADLE_EV_RANGE_READ, x, 0, 64);
  const Trace stripped = without_data(made.trace);
  EXPECT_EQ(stripped.events.size(), made.trace.events.size());
  for (std::size_t i = 2; i < stripped.events.size(); ++i) EXPECT_EQ(stripped.events[i].value, 0u);
}

}  // namespace
}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
#include "explore/race_watch.h"

#include <gtest/gtest.h>

#include "trace/made_up.h"

namespace treadle {
namespace {

constexpr std::uint64_t x = 0x1000, y = 0x2000, m = 0x3000;
constexpr unsigned relaxed = 0, acquire = 2, release = 3, acq_rel = 4, seq_cst = 5;

/// Main creates threads 1 and 2; what they do is up to the test. An access's pc says who made it: 10, 20 (and the one after: 11, 21).
struct Play : MadeUpTrace {
  Play() {
    event(0, TREADLE_EV_THREAD_CREATE, 0, 1);
    event(0, TREADLE_EV_THREAD_CREATE, 0, 2);
  }
  void read(unsigned thread, std::uint64_t address = x, unsigned size = 4) { plain(thread, TREADLE_EV_READ, address, size); }
  void write(unsigned thread, std::uint64_t address = x, unsigned size = 4) { plain(thread, TREADLE_EV_WRITE, address, size); }
  void plain(unsigned thread, EventKind kind, std::uint64_t address, unsigned size) {
    event(thread, kind, address, 0, 0, thread * 10 + made[thread]++, size);
  }
  std::uint64_t atomic(unsigned thread, EventKind kind, unsigned order, std::uint64_t address = y) {
    return event(thread, kind, address, 0, 0, 1000 + thread, 4, order);
  }
  void lock(unsigned thread) { event(thread, TREADLE_EV_LOCK, m, 1); }
  void unlock(unsigned thread) { event(thread, TREADLE_EV_UNLOCK, m, 0); }

  std::vector<RacingPair> races() {
    RaceWatch watch;
    const auto pairs = watch.look_at(trace);
    std::vector<RacingPair> first(pairs.begin(), pairs.end());
    const auto again = watch.look_at(trace);
    EXPECT_TRUE(std::ranges::equal(first, again)) << "what an earlier trace has left behind";
    return first;
  }
  bool races_at(std::uint64_t one, std::uint64_t other) {
    return std::ranges::any_of(races(), [&](const RacingPair& p) { return p.first.pc == one && p.second.pc == other; });
  }
  unsigned made[4] = {};
};

TEST(RaceWatch, SeesTwoWritesThatNothingOrders) {
  Play play;
  play.write(1);
  play.write(2);
  ASSERT_EQ(play.races().size(), 1u);
  EXPECT_EQ(play.races()[0], (RacingPair{{20, RacingPair::Write}, {10, RacingPair::Write}})) << "in no particular order";
}

TEST(RaceWatch, LetsReadsBe) {
  Play play;
  play.read(1);
  play.read(2);
  EXPECT_TRUE(play.races().empty());
  play.write(1);
  EXPECT_TRUE(play.races_at(11, 20));
}

TEST(RaceWatch, TellsBytesOfAWordApart) {
  Play play;
  play.write(1, x, 4);
  play.write(2, x + 4, 4);
  EXPECT_TRUE(play.races().empty());
  play.write(1, x + 6, 4);  // reaches into the next word
  EXPECT_TRUE(play.races_at(11, 20));
  play.write(2, x + 9, 1);
  EXPECT_TRUE(play.races_at(11, 21));
}

TEST(RaceWatch, KnowsCreateAndJoin) {
  Play play;
  play.write(1);
  play.event(1, TREADLE_EV_THREAD_EXIT);
  play.event(0, TREADLE_EV_THREAD_JOIN, 0, 1);
  play.write(0);
  EXPECT_TRUE(play.races().empty());
  play.write(2);
  EXPECT_EQ(play.races().size(), 1u) << "the write that overwrote it stands for the first";
  EXPECT_TRUE(play.races_at(0, 20));
}

TEST(RaceWatch, SeesThatOneOrderOfCriticalSectionsRacesAndTheOtherDoesNot) {
  Play ordered;
  ordered.write(1);
  ordered.lock(1), ordered.unlock(1);
  ordered.lock(2), ordered.unlock(2);
  ordered.write(2);
  EXPECT_TRUE(ordered.races().empty());
  Play racing;
  racing.lock(2), racing.unlock(2);
  racing.write(2);
  racing.write(1);
  racing.lock(1), racing.unlock(1);
  EXPECT_TRUE(racing.races_at(10, 20));
}

TEST(RaceWatch, ReleasesARecursiveMutexWithItsLastUnlock) {
  Play play;
  play.lock(1);
  play.event(1, TREADLE_EV_LOCK, m, 2);
  play.event(1, TREADLE_EV_UNLOCK, m, 1);
  play.write(1);
  play.unlock(1);
  play.lock(2);
  play.write(2);
  EXPECT_TRUE(play.races().empty());
}

TEST(RaceWatch, TakesAFailedTryLockForNothing) {
  Play play;
  play.write(1);
  play.lock(1);
  play.unlock(1);
  play.event(2, TREADLE_EV_TRYLOCK, m, 1, 16);
  play.write(2);
  EXPECT_TRUE(play.races_at(10, 20));
}

TEST(RaceWatch, OrdersByTheMutexOfAWaitNotByItsSignal) {
  Play play;
  play.lock(2);
  play.write(2);
  play.event(2, TREADLE_EV_COND_WAIT, 0x4000, m);
  play.lock(1);
  play.write(1);  // after what was done before the wait
  play.unlock(1);
  EXPECT_TRUE(play.races().empty());
  play.write(1);
  play.event(1, TREADLE_EV_COND_SIGNAL, 0x4000, 3);
  play.event(2, TREADLE_EV_COND_WOKEN, 0x4000, m);
  play.lock(2);
  play.write(2);
  EXPECT_TRUE(play.races_at(11, 21));
}

TEST(RaceWatch, OrdersReadersWithWritersOnly) {
  const std::uint64_t l = 0x5000;
  Play play;
  play.event(1, TREADLE_EV_RDLOCK, l, 1);
  play.write(1);
  play.event(1, TREADLE_EV_RWUNLOCK, l, 0, 0);
  play.event(2, TREADLE_EV_WRLOCK, l);
  play.write(2);
  play.event(2, TREADLE_EV_RWUNLOCK, l, 0, 1);
  EXPECT_TRUE(play.races().empty());
  Play readers;
  readers.event(1, TREADLE_EV_RDLOCK, l, 1);
  readers.write(1);
  readers.event(1, TREADLE_EV_RWUNLOCK, l, 0, 0);
  readers.event(2, TREADLE_EV_RDLOCK, l, 1);
  readers.write(2);
  EXPECT_TRUE(readers.races_at(10, 20));
}

TEST(RaceWatch, KnowsSemaphoresOnceAndExclusiveSections) {
  const std::pair<EventKind, EventKind> edges[] = {{TREADLE_EV_SEM_POST, TREADLE_EV_SEM_WAIT},
                                                   {TREADLE_EV_ONCE_END, TREADLE_EV_ONCE_BEGIN},
                                                   {TREADLE_EV_SPIN_UNLOCK, TREADLE_EV_SPIN_LOCK},
                                                   {TREADLE_EV_EXCLUSIVE_END, TREADLE_EV_EXCLUSIVE_BEGIN}};
  for (const auto& [gives, takes] : edges) {
    Play play;
    play.write(1);
    play.event(1, gives, 0x6000);
    play.event(2, takes, 0x6000);
    play.write(2);
    EXPECT_TRUE(play.races().empty()) << text_of(gives);
    Play other;
    other.event(2, takes, 0x6000);
    other.write(2);
    other.write(1);
    other.event(1, gives, 0x6000);
    EXPECT_TRUE(other.races_at(10, 20)) << text_of(gives);
  }
}

TEST(RaceWatch, KeepsTheRoundsOfABarrierApart) {
  const std::uint64_t b = 0x7000;
  Play play;
  play.event(0, TREADLE_EV_BARRIER_INIT, b, 2);
  play.event(2, TREADLE_EV_BARRIER_ARRIVE, b, 1, 0);
  play.event(0, TREADLE_EV_BARRIER_ARRIVE, b, 2, 0);
  play.event(0, TREADLE_EV_BARRIER_LEAVE, b, 0, 0);
  play.write(1);
  play.event(1, TREADLE_EV_BARRIER_ARRIVE, b, 1, 1);
  play.event(0, TREADLE_EV_BARRIER_ARRIVE, b, 2, 1);
  play.event(0, TREADLE_EV_BARRIER_LEAVE, b, 0, 1);
  play.write(0);
  EXPECT_TRUE(play.races().empty());
  play.event(2, TREADLE_EV_BARRIER_LEAVE, b, 0, 0);
  play.write(2);
  EXPECT_TRUE(play.races_at(10, 20) || play.races_at(0, 20));
}

TEST(RaceWatch, AcquiresWhatAReleaseStorePublished) {
  for (const unsigned order : {relaxed, release}) {
    Play play;
    play.write(1);
    play.atomic(1, TREADLE_EV_ATOMIC_WRITE, order);
    play.atomic(2, TREADLE_EV_ATOMIC_READ, acquire);
    play.write(2);
    EXPECT_EQ(play.races().empty(), order == release);
  }
}

TEST(RaceWatch, FollowsReleaseSequencesThroughReadModifyWritesOnly) {
  for (const EventKind between : {TREADLE_EV_RMW, TREADLE_EV_ATOMIC_WRITE}) {
    Play play;
    play.write(1);
    play.atomic(1, TREADLE_EV_ATOMIC_WRITE, release);
    play.atomic(0, between, relaxed);
    play.atomic(2, TREADLE_EV_ATOMIC_READ, acquire);
    play.write(2);
    EXPECT_EQ(play.races().empty(), between == TREADLE_EV_RMW);
  }
}

TEST(RaceWatch, KnowsFencesButNotThoseThatOnlyWaitForStores) {
  for (const std::uint64_t only_waits : {0, 1}) {
    Play play;
    play.write(1);
    play.event(1, TREADLE_EV_FENCE, 0, 0, only_waits, 0, 0, seq_cst);
    play.atomic(1, TREADLE_EV_ATOMIC_WRITE, relaxed);
    play.atomic(2, TREADLE_EV_ATOMIC_READ, relaxed);
    play.event(2, TREADLE_EV_FENCE, 0, 0, 0, 0, 0, acq_rel);
    play.write(2);
    EXPECT_EQ(play.races().empty(), only_waits == 0);
  }
}

TEST(RaceWatch, LetsABufferedStorePublishWhenItReachesMemory) {
  for (const bool in_time : {false, true}) {
    Play play;
    play.write(1);
    const auto store = play.atomic(1, TREADLE_EV_ATOMIC_WRITE, release | TREADLE_ORDER_BUFFERED);
    play.write(1, x + 64);
    if (in_time) play.event(1, TREADLE_EV_FLUSH, y, 0, store, 1001, 4, release);
    play.atomic(2, TREADLE_EV_ATOMIC_READ, acquire);
    play.write(2);
    EXPECT_EQ(play.races().empty(), in_time);
    play.write(2, x + 64);  // what came after the store is not published by it
    EXPECT_TRUE(play.races_at(11, 21));
  }
}

TEST(RaceWatch, LetsNobodyAcquireFromHisOwnBuffer) {
  Play play;
  play.write(1);
  play.atomic(1, TREADLE_EV_ATOMIC_WRITE, release);
  play.atomic(2, TREADLE_EV_ATOMIC_WRITE, relaxed | TREADLE_ORDER_BUFFERED);
  play.atomic(2, TREADLE_EV_ATOMIC_READ, acquire | TREADLE_ORDER_BUFFERED);
  play.write(2);
  EXPECT_TRUE(play.races_at(10, 20));
}

TEST(RaceWatch, SeesAtomicAccessesRaceWithPlainOnesOnly) {
  Play play;
  play.atomic(1, TREADLE_EV_RMW, relaxed, x);
  play.atomic(2, TREADLE_EV_ATOMIC_WRITE, relaxed, x);
  EXPECT_TRUE(play.races().empty());
  play.read(2);
  EXPECT_TRUE(play.races_at(20, 1001));
}

TEST(RaceWatch, TakesAFreeForAWriteAfterWhichAllIsForgotten) {
  Play play;
  play.write(1);
  play.event(2, TREADLE_EV_FREE, x, 16, 0, 77);
  EXPECT_TRUE(play.races_at(10, 77));
  Play later;
  later.write(1);
  later.lock(1), later.unlock(1), later.lock(0), later.unlock(0);
  later.event(0, TREADLE_EV_FREE, x, 16, 0, 77);
  later.write(2);
  EXPECT_TRUE(later.races().empty());
}

TEST(RaceWatch, ForgetsWhatALockInFreedMemoryHadOrdered) {
  Play play;
  play.write(1);
  play.lock(1), play.unlock(1);
  play.event(0, TREADLE_EV_FREE, m, 64, 0, 77);
  play.lock(2);
  play.write(2);
  EXPECT_TRUE(play.races_at(10, 20));
}

TEST(RaceWatch, NamesEveryAccessThatTheRuntimeMightName) {
  Play play;
  play.write(1), play.write(1), play.write(1);
  play.write(2);
  EXPECT_EQ(play.races().size(), 3u);
}

TEST(RaceWatch, ReadsWhatARaceEventTells) {
  Play play;
  const auto number = play.event(2, TREADLE_EV_RACE, x, 10, TREADLE_RACE_EARLIER_WRITES | TREADLE_RACE_LATER_ATOMIC, 20);
  EXPECT_EQ(pair_of_race(play.trace.events[number]), (RacingPair{{10, RacingPair::Write}, {20, RacingPair::AtomicRead}}));
}

TEST(RaceWatch, SeesNoneInManyCriticalSections) {
  Play play;
  for (int i = 0; i < 8; ++i)
    for (const unsigned thread : {1u, 2u}) {
      play.lock(thread);
      play.write(thread);
      play.unlock(thread);
    }
  EXPECT_TRUE(play.races().empty());
}

}  // namespace
}  // namespace treadle

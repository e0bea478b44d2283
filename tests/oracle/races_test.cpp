// SPDX-License-Identifier: Apache-2.0
#include "races.h"

#include <gtest/gtest.h>

#include "emit_c.h"
#include "generate.h"

namespace oracle {
namespace {

// x0 is plain, x1 atomic: thread 1 writes x0 and publishes, thread 2 reads the flag and then x0.
Program publish(Block in_front, Order store, Order load, Block behind) {
  Block writer{Store{0, Order::Plain, constant(1)}};
  writer.insert(writer.end(), in_front.begin(), in_front.end());
  writer.push_back(Store{1, store, constant(1)});
  Block reader{Load{1, load, 0}};
  Block then = std::move(behind);
  then.push_back(Load{0, Order::Plain, 1});
  reader.push_back(If{{0, true, 1}, std::move(then), {}});
  return with_threads({{false, 0}, {}}, {std::move(writer), std::move(reader)});
}

TEST(Races, AreAccessesThatNothingOrders) {
  const Statement write = Store{0, Order::Plain, constant(1)}, read = Load{0, Order::Plain, 0};
  EXPECT_EQ(can_race(with_threads({{false, 0}}, {{write}, {read}})), Racy::Yes);
  EXPECT_EQ(can_race(with_threads({{false, 0}}, {{write}, {write}})), Racy::Yes);
  EXPECT_EQ(can_race(with_threads({{false, 0}}, {{read}, {read}})), Racy::No);
  Program program = with_threads({{false, 0}}, {{write}});
  program.threads[0] = {write, Create{1}, Join{1}, write};
  EXPECT_EQ(can_race(program), Racy::No);
  program.threads[0] = {Create{1}, write, Join{1}};
  EXPECT_EQ(can_race(program), Racy::Yes);
}

TEST(Races, AreAvoidedByReleaseAndAcquireButNotByLess) {
  EXPECT_EQ(can_race(publish({}, Order::Release, Order::Acquire, {})), Racy::No);
  EXPECT_EQ(can_race(publish({}, Order::SeqCst, Order::SeqCst, {})), Racy::No);
  EXPECT_EQ(can_race(publish({}, Order::Relaxed, Order::Acquire, {})), Racy::Yes);
  EXPECT_EQ(can_race(publish({}, Order::Release, Order::Relaxed, {})), Racy::Yes);
}

TEST(Races, AreAvoidedByFencesOnTheRightSides) {
  const Fence release{Order::Release}, acquire{Order::Acquire};
  EXPECT_EQ(can_race(publish({release}, Order::Relaxed, Order::Acquire, {})), Racy::No);
  EXPECT_EQ(can_race(publish({}, Order::Release, Order::Relaxed, {acquire})), Racy::No);
  EXPECT_EQ(can_race(publish({release}, Order::Relaxed, Order::Relaxed, {acquire})), Racy::No);
  EXPECT_EQ(can_race(publish({acquire}, Order::Relaxed, Order::Acquire, {})), Racy::Yes);
  EXPECT_EQ(can_race(publish({}, Order::Release, Order::Relaxed, {release})), Racy::Yes);
}

TEST(Races, AreAvoidedAcrossAReleaseSequenceUntilAStoreEndsIt) {
  Program program = publish({}, Order::Release, Order::Acquire, {});
  const auto with_third = [&program](Statement third, int expected) {
    Program longer = with_threads(program.variables, {program.threads[1], program.threads[2], {std::move(third)}});
    std::get<If>(longer.threads[2][1].is).when.constant = expected;
    return can_race(longer);
  };
  EXPECT_EQ(with_third(FetchAdd{1, Order::Relaxed, 0, constant(4)}, 5), Racy::No);
  EXPECT_EQ(with_third(Store{1, Order::Relaxed, constant(5)}, 5), Racy::Yes);
}

TEST(Races, AreAvoidedByLocksSemaphoresAndBarriers) {
  const Statement write = Store{0, Order::Plain, constant(1)}, read = Load{0, Order::Plain, 0};
  Program program = with_threads({{false, 0}}, {{Lock{0}, write, Unlock{0}}, {Lock{0}, read, Unlock{0}}});
  program.mutexes = 2;
  EXPECT_EQ(can_race(program), Racy::No);
  program.threads[2] = {Lock{1}, read, Unlock{1}};
  EXPECT_EQ(can_race(program), Racy::Yes);
  program = with_threads({{false, 0}}, {{write, SemPost{0}}, {SemWait{0}, read}});
  program.semaphores = {0};
  EXPECT_EQ(can_race(program), Racy::No);
  program.semaphores = {1};
  EXPECT_EQ(can_race(program), Racy::Yes);
  program = with_threads({{false, 0}}, {{write, BarrierWait{0}}, {BarrierWait{0}, read}});
  program.barriers = {2};
  EXPECT_EQ(can_race(program), Racy::No);
}

TEST(Races, AreFoundInNoProgramOfARaceFreeProfile) {
  for (const char* name : {"drf", "condvars"})
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      const Program program = generate(seed, *find_profile(name));
      EXPECT_EQ(can_race(program), Racy::No) << emit_c(program);
    }
}

TEST(Races, AreFoundInSomeProgramsOfTheRacyProfileAndNotInOthers) {
  int racy = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) racy += can_race(generate(seed, *find_profile("racy"))) == Racy::Yes;
  EXPECT_GT(racy, 30);
  EXPECT_LT(racy, 100);
}

}  // namespace
}  // namespace oracle

// SPDX-License-Identifier: Apache-2.0
#include "classes.h"

#include <gtest/gtest.h>

#include "generate.h"

namespace oracle {
namespace {

Statement store(int v, int value) { return Store{v, Order::Relaxed, constant(value)}; }
Statement load(int v, int reg) { return Load{v, Order::Relaxed, reg}; }

TEST(Classes, AreOneForIndependentThreads) {
  EXPECT_EQ(count_classes(with_threads({{}, {}}, {{store(0, 1), load(0, 0)}, {store(1, 1), load(1, 0)}}), true).all(), 1u);
  EXPECT_EQ(count_classes(with_threads({{}}, {{load(0, 0), load(0, 1)}, {load(0, 0)}, {load(0, 0)}}), true).all(), 1u);
  EXPECT_EQ(count_classes(with_threads({{}}, {{Fence{}}, {Fence{}}}), true).all(), 1u);
}

TEST(Classes, AreTheOrdersOfConflictingOperations) {
  EXPECT_EQ(count_classes(with_threads({{}}, {{store(0, 1)}, {store(0, 2)}}), true).all(), 2u);
  EXPECT_EQ(count_classes(with_threads({{}}, {{store(0, 1)}, {store(0, 2)}, {store(0, 3)}}), true).all(), 6u);
  EXPECT_EQ(count_classes(with_threads({{}, {}}, {{store(0, 1), load(1, 0)}, {store(1, 1), load(0, 0)}}), true).all(), 3u);
  // One store among the two loads of another thread: before, between, after.
  EXPECT_EQ(count_classes(with_threads({{}}, {{store(0, 1)}, {load(0, 0), load(0, 1)}}), true).all(), 3u);
}

TEST(Classes, DoNotCountPlainAccessesThatAreInvisible) {
  const Program program = with_threads({{false, 0}}, {{Store{0, Order::Plain, constant(1)}}, {Store{0, Order::Plain, constant(2)}}});
  EXPECT_EQ(count_classes(program, true).all(), 2u);
  EXPECT_EQ(count_classes(program, false).all(), 1u);
}

TEST(Classes, TellCompletedStuckAndFailedApart) {
  Program program = with_threads({}, {{Lock{0}, Lock{1}, Unlock{1}, Unlock{0}}, {Lock{1}, Lock{0}, Unlock{0}, Unlock{1}}});
  program.mutexes = 2;
  EXPECT_EQ(count_classes(program, true), (Classes{.completed = 2, .stuck = 1, .failed = 0}));
  const Program failing = with_threads({{}}, {{store(0, 1)}, {load(0, 0), Assert{{0, true, 0}}}});
  EXPECT_EQ(count_classes(failing, true).completed, 1u);
  EXPECT_GE(count_classes(failing, true).failed, 1u);
}

TEST(Classes, ReadALockThatATrylockDoesNotGet) {
  // Two failed trylocks commute: the holder's release stands before, between or after them (each either way of who is first when they got
  // it).
  const Block attempt{TryLock{0, 0}, If{{0, true, 1}, {Unlock{0}}, {}}};
  Program program = with_threads({}, {attempt});
  program.mutexes = 1;
  program.threads[0] = {Lock{0}, Create{1}, Unlock{0}, Join{1}};
  EXPECT_EQ(count_classes(program, true).all(), 2u);
}

TEST(Classes, OfPrefixesAndByEnumerationAreTheSameNumber) {
  for (const Profile& profile : profiles()) {
    for (std::uint64_t seed = 1; seed <= 15; ++seed) {
      const Program program = generate(seed, profile);
      EXPECT_EQ(count_classes(program, true), count_classes_by_enumeration(program, true)) << profile.name << "/" << seed;
      EXPECT_EQ(count_classes(program, false), count_classes_by_enumeration(program, false)) << profile.name << "/" << seed;
    }
  }
}

}  // namespace
}  // namespace oracle

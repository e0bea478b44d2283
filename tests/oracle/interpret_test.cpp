// SPDX-License-Identifier: Apache-2.0
#include "interpret.h"

#include <gtest/gtest.h>

#include "generate.h"

namespace oracle {
namespace {

using Values = std::map<std::string, int>;

Statement store(int v, int value) { return Store{v, Order::Relaxed, constant(value)}; }
Statement load(int v, int reg) { return Load{v, Order::Relaxed, reg}; }

std::set<Values> all_named(const Program& program, const Interpretation& all) {
  std::set<Values> result;
  for (const Outcome& outcome : all.outcomes) result.insert(named(program, outcome));
  return result;
}

TEST(Interpreter, FindsTheLostUpdate) {
  const Block increment{load(0, 0), Store{0, Order::Relaxed, reg_plus(0, 1)}};
  const Program program = with_threads({{}}, {increment, increment});
  EXPECT_EQ(all_named(program, interpret(program, Model::Sc)), (std::set<Values>{
                                                                   {{"x0", 2}, {"t1_r0", 0}, {"t2_r0", 1}},
                                                                   {{"x0", 2}, {"t1_r0", 1}, {"t2_r0", 0}},
                                                                   {{"x0", 1}, {"t1_r0", 0}, {"t2_r0", 0}},
                                                               }));
}

TEST(Interpreter, FindsTheFourthOutcomeOfStoreBufferingOnlyBehindStoreBuffers) {
  const Program program = with_threads({{}, {}}, {{store(0, 1), load(1, 0)}, {store(1, 1), load(0, 0)}});
  const Values both_zero{{"x0", 1}, {"x1", 1}, {"t1_r0", 0}, {"t2_r0", 0}};
  EXPECT_EQ(all_named(program, interpret(program, Model::Sc)).count(both_zero), 0u);
  EXPECT_EQ(all_named(program, interpret(program, Model::Tso)).count(both_zero), 1u);
  EXPECT_EQ(interpret(program, Model::Sc).outcomes.size(), 3u);
  EXPECT_EQ(interpret(program, Model::Tso).outcomes.size(), 4u);
}

TEST(Interpreter, CountsTheExecutionsOfASearchWithoutReduction) {
  // main: create, read the handle, join, exit; the thread: start, exit. Only the handle's read moves: before, between, after.
  EXPECT_EQ(interpret(with_threads({{}}, {{}}), Model::Sc).executions, 3u);
  EXPECT_EQ(interpret(with_threads({{}}, {{}}), MachineOptions{.handle_reads = false}).executions, 1u);
  // Three operations of main against start, store, exit: join comes last, so C(5, 2) ways without the handle's read.
  Program program = with_threads({{}}, {{store(0, 1)}});
  program.threads[0] = {Create{1}, load(0, 0), load(0, 1), Join{1}};
  EXPECT_EQ(interpret(program, MachineOptions{.handle_reads = false}).executions, 10u);
}

TEST(Interpreter, CountsAStoresWayToMemoryAsAStepOfItsOwn) {
  // The buffered store must reach memory before the thread exits: nothing else can move but the handle's read (5 places among 4 steps).
  EXPECT_EQ(interpret(with_threads({{}}, {{store(0, 1)}}), Model::Tso).executions, 5u);
}

TEST(Interpreter, MakesLocksExclusive) {
  const Block increment{Lock{0}, Load{0, Order::Plain, 0}, Store{0, Order::Plain, reg_plus(0, 1)}, Unlock{0}};
  Program program = with_threads({{false, 0}}, {increment, increment});
  program.mutexes = 1;
  for (const Model model : kModels) {
    const Interpretation all = interpret(program, model);
    EXPECT_FALSE(all.deadlocks || all.misuses);
    for (const Outcome& outcome : all.outcomes) EXPECT_EQ(outcome[0], 2) << text_of(model);
  }
}

TEST(Interpreter, FindsTheDeadlockOfTwoLocksInTwoOrders) {
  Program program = with_threads({}, {{Lock{0}, Lock{1}, Unlock{1}, Unlock{0}}, {Lock{1}, Lock{0}, Unlock{0}, Unlock{1}}});
  program.mutexes = 2;
  EXPECT_TRUE(interpret(program, Model::Sc).deadlocks);
  program.threads[2] = program.threads[1];
  EXPECT_FALSE(interpret(program, Model::Sc).deadlocks);
}

TEST(Interpreter, LetsTrylockFailOnlyWhileAnotherHoldsTheLock) {
  Program program = with_threads({}, {{Lock{0}, Unlock{0}}, {TryLock{0, 0}, If{{0, true, 1}, {Unlock{0}}, {}}}});
  program.mutexes = 1;
  EXPECT_EQ(interpret(program, Model::Sc).outcomes, (std::set<Outcome>{{0}, {1}}));
  program.threads[1].clear();
  EXPECT_EQ(interpret(program, Model::Sc).outcomes, (std::set<Outcome>{{1}}));
}

Program wait_for_flag(bool test_first, Statement wake) {
  const Load test{0, Order::Plain, 0};
  Block waiter{Lock{0}, test};
  if (test_first)
    waiter.push_back(If{{0, true, 0}, {Wait{0, 0}, test}, {}});
  else
    waiter.push_back(Wait{0, 0}), waiter.push_back(test);
  waiter.push_back(Unlock{0});
  Program program = with_threads({{false, 0}}, {waiter, {Lock{0}, Store{0, Order::Plain, constant(1)}, wake, Unlock{0}}});
  program.mutexes = program.condvars = 1;
  return program;
}

TEST(Interpreter, LosesAWakeUpThatNobodyWaitsFor) {
  EXPECT_FALSE(interpret(wait_for_flag(true, Signal{0}), Model::Sc).deadlocks);
  EXPECT_TRUE(interpret(wait_for_flag(false, Signal{0}), Model::Sc).deadlocks);
  EXPECT_EQ(interpret(wait_for_flag(true, Signal{0}), Model::Sc).outcomes, (std::set<Outcome>{{1, 1}}));
}

TEST(Interpreter, WakesOneWaiterBySignalAndAllByBroadcast) {
  const auto with = [&](Statement wake) {
    // The semaphore is posted by each waiter under the mutex: when two were taken and the mutex was had, both wait.
    const Block announced{Lock{0}, SemPost{0}, Wait{0, 0}, Unlock{0}};
    Program program = with_threads({}, {announced, announced, {SemWait{0}, SemWait{0}, Lock{0}, wake, Unlock{0}}});
    program.mutexes = program.condvars = 1;
    program.semaphores = {0};
    return interpret(program, Model::Sc);
  };
  EXPECT_TRUE(with(Signal{0}).deadlocks);
  EXPECT_TRUE(with(Signal{0}).outcomes.empty());
  EXPECT_FALSE(with(Broadcast{0}).deadlocks);
}

TEST(Interpreter, LetsASemaphoreCountAndABarrierSeparate) {
  Program program = with_threads({{}}, {{store(0, 1), SemPost{0}}, {SemWait{0}, load(0, 0)}});
  program.semaphores = {0};
  for (const Model model : kModels) EXPECT_EQ(interpret(program, model).outcomes, (std::set<Outcome>{{1, 1}}));
  program = with_threads({{}}, {{store(0, 1), BarrierWait{0}}, {BarrierWait{0}, load(0, 0)}});
  program.barriers = {2};
  for (const Model model : kModels) EXPECT_EQ(interpret(program, model).outcomes, (std::set<Outcome>{{1, 1}}));
  program.barriers = {3};
  EXPECT_TRUE(interpret(program, Model::Sc).deadlocks);
}

TEST(Interpreter, RunsAnInitialiserOnceAndLetsOthersWaitForIt) {
  // Whoever comes second finds what the first has stored, also when the first has changed it since.
  Program program = with_threads({{}}, {{Once{0}, FetchAdd{0, Order::SeqCst, 0, constant(1)}}, {Once{0}, load(0, 0)}});
  program.onces = {{store(0, 5)}};
  for (const Model model : kModels)
    EXPECT_EQ(interpret(program, model).outcomes, (std::set<Outcome>{{6, 5, 5}, {6, 5, 6}})) << text_of(model);
  EXPECT_FALSE(interpret(program, Model::Sc).deadlocks);
}

TEST(Interpreter, TakesASpinLoopThatNobodyEndsForStuck) {
  const Program ends = with_threads({{}}, {{store(0, 1)}, {Await{0, Order::Acquire, 1}, load(0, 0)}});
  EXPECT_EQ(interpret(ends, Model::Pso).outcomes, (std::set<Outcome>{{1, 1}}));
  EXPECT_FALSE(interpret(ends, Model::Pso).deadlocks);
  EXPECT_TRUE(interpret(with_threads({{}}, {{store(0, 1)}, {Await{0, Order::Acquire, 2}}}), Model::Sc).deadlocks);
}

TEST(Interpreter, FollowsBranchesLoopsAndAssertions) {
  const Program program = with_threads({{}}, {{Loop{{}, 3, {FetchAdd{0, Order::SeqCst, 0, constant(1)}}}},
                                              {load(0, 0), If{{0, true, 2}, {store(0, 7)}, {}}, Assert{{0, false, 3}}}});
  const Interpretation all = interpret(program, Model::Sc);
  EXPECT_TRUE(all.fails);  // reads 3
  const auto outcomes = all_named(program, all);
  EXPECT_EQ(outcomes.count({{"x0", 8}, {"t1_r0", 7}, {"t2_r0", 2}}), 1u);
  EXPECT_EQ(outcomes.count({{"x0", 7}, {"t1_r0", 2}, {"t2_r0", 2}}), 1u);
  EXPECT_EQ(outcomes.count({{"x0", 3}, {"t1_r0", 2}, {"t2_r0", 0}}), 1u);
  EXPECT_EQ(outcomes.size(), 4u);  // and the same with t2_r0 = 1
}

TEST(Interpreter, LeavesALoopWhenItsConditionHolds) {
  const Program program = with_threads({{}}, {{Loop{{0, true, 1}, 4, {FetchAdd{0, Order::SeqCst, 0, constant(1)}}}}});
  EXPECT_EQ(interpret(program, Model::Sc).outcomes, (std::set<Outcome>{{2, 1}}));
}

TEST(Interpreter, TellsMisuseOfLocks) {
  Program program = with_threads({}, {{Unlock{0}}});
  program.mutexes = 1;
  EXPECT_TRUE(interpret(program, Model::Sc).misuses);
  program.threads[1] = {Lock{0}};
  EXPECT_TRUE(interpret(program, Model::Sc).misuses);
  program.threads[1] = {Lock{0}, Lock{0}, Unlock{0}};
  EXPECT_TRUE(interpret(program, Model::Sc).misuses);
}

TEST(Interpreter, RefusesWhatIsNoProgram) {
  EXPECT_THROW(interpret(with_threads({}, {{load(0, 0)}}), Model::Sc), std::invalid_argument);
  EXPECT_THROW(interpret(with_threads({{false, 0}}, {{load(0, 0)}}), Model::Sc), std::invalid_argument);
  Program program = with_threads({{}}, {{store(0, 1)}});
  program.threads[0].pop_back();  // never joined
  EXPECT_THROW(interpret(program, Model::Sc), std::invalid_argument);
}

TEST(Interpreter, SeesTheSameUnderAllModelsWhenThereAreNoRaces) {
  Profile profile = *find_profile("drf");
  profile.features &= ~(kAtomics | kRmw);
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Program program = generate(seed, profile);
    const auto sc = interpret(program, Model::Sc);
    EXPECT_EQ(sc.outcomes, interpret(program, Model::Tso).outcomes) << seed;
    EXPECT_EQ(sc.outcomes, interpret(program, Model::Pso).outcomes) << seed;
    EXPECT_EQ(sc.outcomes, interpret(program, MachineOptions{.plain_is_visible = false}).outcomes) << seed;
  }
}

TEST(Interpreter, JoinsAndSplitsBytesOfAccessesOfDifferentSizes) {
  Program program = with_threads({{}, {}, {}, {}}, {{Store{0, Order::Relaxed, constant(0x4321), 4}, Load{1, Order::Relaxed, 0, 1},
                                                     Store{2, Order::Relaxed, constant(0x98), 2}, Load{0, Order::Relaxed, 1, 4}}});
  program.bytes = true;
  ASSERT_EQ(why_malformed(program), "");
  for (const Model model : kModels)
    EXPECT_EQ(all_named(program, interpret(program, model)),
              (std::set<Values>{{{"x0", 1}, {"x1", 2}, {"x2", 8}, {"x3", 9}, {"t1_r0", 2}, {"t1_r1", std::int16_t(0x9821)}}}));
}

TEST(Interpreter, ServesTheBytesInTheBufferAndReadsTheRestFromMemory) {
  // The first thread reads its own byte before anybody else can, together with its neighbour; the second the other way round.
  Program program = with_threads({{}, {}}, {{Store{0, Order::Relaxed, constant(1), 1}, Load{0, Order::Relaxed, 0, 2}},
                                            {Store{1, Order::Relaxed, constant(1), 1}, Load{0, Order::Relaxed, 0, 2}}});
  program.bytes = true;
  const Values each_only_its_own{{"x0", 1}, {"x1", 1}, {"t1_r0", 0x01}, {"t2_r0", 0x10}};
  EXPECT_EQ(all_named(program, interpret(program, Model::Sc)).count(each_only_its_own), 0u);
  EXPECT_EQ(all_named(program, interpret(program, Model::Tso)).count(each_only_its_own), 1u);
}

TEST(Interpreter, KeepsTheOrderOfStoresThatOverlapUnderPso) {
  Program program = with_threads({{}, {}, {}, {}}, {{Store{0, Order::Relaxed, constant(0x11), 2}, Store{1, Order::Relaxed, constant(2), 1}},
                                                    {Load{0, Order::Relaxed, 0, 2}}});
  program.bytes = true;
  std::set<int> seen;
  for (const Values& outcome : all_named(program, interpret(program, Model::Pso))) {
    EXPECT_EQ(outcome.at("x1"), 2);
    seen.insert(outcome.at("t2_r0"));
  }
  EXPECT_EQ(seen, (std::set<int>{0, 0x11, 0x21}));
}

TEST(Interpreter, NeverTakesVeryManyExecutionsForFew) {
  const Block stores(12, Store{0, Order::SeqCst, constant(1)});
  const Interpretation all = interpret(with_threads({{}}, {stores, stores, stores, stores}), Model::Sc);
  EXPECT_TRUE(all.complete);
  EXPECT_EQ(all.executions, std::uint64_t(1) << 62);
}

}  // namespace
}  // namespace oracle

// SPDX-License-Identifier: Apache-2.0
#include "implied.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "generate.h"
#include "interpret.h"
#include "random.h"

namespace oracle {
namespace {

using Labels = std::set<std::string>;

/// One thread after the other: main makes its step only when nobody else can.
std::vector<Move> serial_run(const Program& program, MachineOptions options) {
  const Machine machine(program, options);
  State state = machine.start();
  std::vector<Move> run, moves;
  for (machine.moves(state, moves); !moves.empty(); machine.moves(state, moves)) {
    const auto other = std::find_if(moves.begin(), moves.end(), [](Move move) { return move.thread != 0; });
    run.push_back(other != moves.end() ? *other : moves.front());
    machine.apply(state, run.back());
  }
  return run;
}

std::vector<Move> random_run(const Program& program, MachineOptions options, Random& random) {
  const Machine machine(program, options);
  State state = machine.start();
  std::vector<Move> run, moves;
  for (machine.moves(state, moves); !moves.empty(); machine.moves(state, moves)) {
    run.push_back(moves[random.below(int(moves.size()))]);
    machine.apply(state, run.back());
  }
  return run;
}

Implied implied_by_serial_run(const Program& program, Reads reads = Reads::Free) {
  return implied_by(program, {}, serial_run(program, {}), reads);
}

// Thread 1 writes x = 1, then x = 2; thread 2 reads it and, if it is not 0, claims that it is 2.
Program reader_of_two_values() {
  return with_threads({{.atomic = false}}, {{Store{0, Order::Plain, constant(1)}, Store{0, Order::Plain, constant(2)}},
                                            {Load{0, Order::Plain, 0}, If{{0, false, 0}, {Assert{{0, true, 2}}}, {}}}});
}

TEST(Implied, AnAssertionFailsInAnotherOrderOnTheSameWay) {
  const Implied implied = implied_by_serial_run(reader_of_two_values());
  EXPECT_EQ(implied.failing, Labels{"t2a0"});
  EXPECT_EQ(implied.racing, std::set<int>{0});
}

TEST(Implied, AConditionThatWouldComeOutOtherwiseEndsTheWay) {
  // Read x; if it is 0, claim that y is 0; else nothing. In the serial run x is 1.
  const Program program =
      with_threads({{.atomic = true}, {.atomic = true}},
                   {{Store{1, Order::Relaxed, constant(1)}, Store{0, Order::Relaxed, constant(1)}},
                    {Load{0, Order::Relaxed, 0}, If{{0, true, 0}, {Load{1, Order::Relaxed, 1}, Assert{{1, true, 0}}}, {}}}});
  EXPECT_EQ(implied_by_serial_run(program).failing, Labels{});
  EXPECT_EQ(possible(program, {}).failing, Labels{"t2a0"});
}

TEST(Implied, WithReadsAsSeenOnlyTheLastOneMayDiffer) {
  // r0 = x, r1 = y; claim that r1 is 1: with r0 as seen (2), thread 1 is done.
  const Program program =
      with_threads({{.atomic = true}, {.atomic = true}},
                   {{Store{0, Order::Relaxed, constant(1)}, Store{1, Order::Relaxed, constant(1)}, Store{0, Order::Relaxed, constant(2)}},
                    {Load{0, Order::Relaxed, 0}, Load{1, Order::Relaxed, 1}, Assert{{1, true, 1}}}});
  EXPECT_EQ(implied_by_serial_run(program).failing, Labels{"t2a0"});
  EXPECT_EQ(implied_by_serial_run(program, Reads::AsSeen).failing, Labels{});
}

TEST(Implied, LocksInEitherOrderMakeARing) {
  Program program = with_threads({}, {{Lock{0}, Lock{1}, Unlock{1}, Unlock{0}}, {Lock{1}, Lock{0}, Unlock{0}, Unlock{1}}});
  program.mutexes = 2;
  EXPECT_TRUE(implied_by_serial_run(program).ring);
  program.threads[2] = program.threads[1];
  EXPECT_FALSE(implied_by_serial_run(program).ring);
}

TEST(Implied, NothingIsImpliedThatIsNotPossible) {
  unsigned some = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Program program = generate(seed, *find_profile("implied"));
    Random random(seed);
    for (const Model model : kModels) {
      const MachineOptions options{.model = model};
      const Implied all = possible(program, options);
      ASSERT_EQ(!all.failing.empty(), interpret(program, options).fails);
      const std::vector<Move> run = random_run(program, options, random);
      const Implied free = implied_by(program, options, run), as_seen = implied_by(program, options, run, Reads::AsSeen);
      EXPECT_TRUE(std::includes(all.failing.begin(), all.failing.end(), free.failing.begin(), free.failing.end())) << seed;
      EXPECT_TRUE(std::includes(free.failing.begin(), free.failing.end(), as_seen.failing.begin(), as_seen.failing.end())) << seed;
      EXPECT_LE(as_seen.ring, free.ring) << seed;
      EXPECT_LE(free.ring, all.ring) << seed;
      some += free.failing.empty() ? 0 : 1;
    }
  }
  EXPECT_GT(some, 20u);
}

}  // namespace
}  // namespace oracle

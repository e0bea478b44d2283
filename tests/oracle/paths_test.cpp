// SPDX-License-Identifier: Apache-2.0
// The figures of the paper on maximal path causality, with the numbers of paths that it states.
#include "paths.h"

#include <gtest/gtest.h>

namespace oracle {
namespace {

constexpr Condition is(int reg, int value) { return {reg, true, value}; }
Statement read(int variable, int reg) { return Load{variable, Order::Plain, reg}; }
Statement write(int variable, Value value) { return Store{variable, Order::Plain, value}; }

Program plain(int variables, std::vector<InputRange> inputs, std::vector<Block> threads) {
  Program program = with_threads(std::vector<Variable>(std::size_t(variables), Variable{.atomic = false}), std::move(threads));
  program.inputs = std::move(inputs);
  return program;
}

TEST(Paths, OfFigure1AreTwo) {
  const Program program = plain(2, {{0, 3}, {0, 3}},
                                {{Input{0, 0}, write(0, reg_plus(0, 0)), write(0, constant(2))},
                                 {Input{1, 0}, write(0, reg_plus(0, 0)), write(0, constant(4))},
                                 {read(0, 0), Assert{{0, false, 3}}, write(1, constant(2))}});
  const Paths paths = paths_of(program, Model::Sc);
  EXPECT_EQ(paths.inputs, 16u);
  EXPECT_EQ(paths.completed.size(), 1u);
  EXPECT_EQ(paths.failing, std::set<std::string>{"t3a0"});
  EXPECT_EQ(without_beginnings(paths.failed).size(), 1u);
}

// i in 0..1 stands for i == 3 or not; j in 0..2; the lock does not matter for the paths.
TEST(Paths, OfFigure2AreTen) {
  Program program =
      plain(2, {{0, 1}, {0, 2}},
            {{Input{0, 0}, write(0, constant(2)),
              If{is(0, 1), {Lock{0}, read(1, 1), write(1, reg_plus(1, 1)), Unlock{0}, read(0, 1), write(0, reg_plus(1, 1))}, {}}},
             {write(0, constant(5)), read(0, 0), If{is(0, 101), {read(1, 1), Assert{{1, false, 3}}}, {}}},
             {write(0, constant(100)), Input{1, 0},
              If{{0, false, 0},
                 {Lock{0}, read(1, 1), write(1, reg_plus(1, 1)), Unlock{0},
                  If{{0, false, 1}, {Lock{0}, read(1, 1), write(1, reg_plus(1, 1)), Unlock{0}}, {}}},
                 {}}}});
  program.mutexes = 1;
  const Paths paths = paths_of(program, Model::Sc);
  EXPECT_EQ(paths.completed.size(), 9u);
  EXPECT_EQ(without_beginnings(paths.failed).size(), 1u);
}

TEST(Paths, OfFigure7AreThree) {
  const Program program = plain(2, {},
                                {{read(1, 0), If{is(0, 1), {write(0, constant(1))}, {write(0, constant(2))}}},
                                 {read(0, 0), If{is(0, 2), {write(1, constant(2))}, {write(1, constant(1))}}}});
  EXPECT_EQ(paths_of(program, Model::Sc).completed.size(), 3u);
  EXPECT_EQ(paths_of(program, Model::Tso).completed.size(), 3u);
}

TEST(Paths, OfFigure8AreFour) {
  const Program program =
      plain(2, {{0, 1}, {0, 1}},
            {{Input{0, 0}, Input{1, 1}, If{is(0, 1), {write(1, constant(1))}, {If{is(1, 1), {write(0, constant(2))}, {}}}}},
             {read(0, 0), Assert{{0, false, 2}}}});
  const Paths paths = paths_of(program, Model::Sc);
  EXPECT_EQ(paths.completed.size(), 3u);
  EXPECT_EQ(without_beginnings(paths.failed).size(), 1u);
}

/// N rounds of: add 1, take it back unless somebody has added something; against N additions.
Program figure_9(int rounds) {
  Program program = with_threads({{.atomic = true}}, {{}, {}});
  for (int n = 0; n < rounds; ++n) {
    const Order relaxed = Order::Relaxed;
    const Block round{Load{0, relaxed, 0}, Store{0, relaxed, reg_plus(0, 1)}, Load{0, relaxed, 1},
                      If{{1, true, 1, 0}, {Store{0, relaxed, constant(0)}}, {}}};
    program.threads[1].insert(program.threads[1].end(), round.begin(), round.end());
    program.threads[2].push_back(FetchAdd{0, Order::SeqCst, 0, constant(1)});
  }
  program.threads[0].insert(program.threads[0].begin() + 2, {Load{0, Order::Relaxed, 0}, Assert{{0, false, 2 * rounds}}});
  return program;
}

TEST(Paths, OfFigure9AreTwoMoreThanAPowerOfTwo) {
  for (int n = 1; n <= 5; ++n) {
    const Paths paths = paths_of(figure_9(n), Model::Sc);
    EXPECT_TRUE(paths.complete);
    EXPECT_EQ(paths.completed.size() + without_beginnings(paths.failed).size(), (1u << n) + 2u) << n;
  }
}

TEST(Paths, WithoutTheInputsThatAreAssumedAway) {
  const Program program = plain(1, {{0, 3}}, {{Input{0, 0}, Assume{{0, false, 1}}, If{is(0, 1), {}, {}}, If{is(0, 2), {}, {}}}});
  const Paths paths = paths_of(program, Model::Sc);
  EXPECT_EQ(paths.completed.size(), 2u);
}

TEST(Paths, ThatEndEarlyCountOnlyWhenNoneGoesFurther) {
  const Path a{"", "0"}, b{"", "01"}, c{"", "00"}, d{"1", "0"};
  EXPECT_EQ(without_beginnings({a, b, c, d}), (std::set<Path>{b, c, d}));
}

}  // namespace
}  // namespace oracle

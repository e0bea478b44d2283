// SPDX-License-Identifier: Apache-2.0
#include "explore/optimal.h"

#include <gtest/gtest.h>

#include <random>

#include "explore/exhaustive.h"
#include "explore/explore_all.h"

namespace treadle {
namespace {

/// Those of the executions that came to the end of the program.
std::set<std::string> finished(const Explored& explored) {
  const std::string text = text_of(TREADLE_END_COMPLETED);
  std::set<std::string> classes;
  for (const std::string& one : explored.classes)
    if (one.starts_with(text)) classes.insert(one);
  return classes;
}

std::set<std::string> all_finished(const MadeUpProgram& program) {
  Exhaustive exhaustive{Schedule{}};
  return finished(explore_all(program, exhaustive));
}

/// Results of a batch come back in reverse order.
void expect_each_once(const MadeUpProgram& program, const std::string& name) {
  const auto all = all_finished(program);
  for (const std::size_t batch : {1u, 2u, 3u, 64u}) {
    Optimal optimal{Schedule{}};
    const Explored explored = explore_all(program, optimal, batch);
    EXPECT_EQ(finished(explored), all) << name << ", batches of " << batch;
    EXPECT_EQ(static_cast<std::size_t>(std::count(explored.ends.begin(), explored.ends.end(), TREADLE_END_COMPLETED)), all.size())
        << name << ", batches of " << batch;
  }
}

/// The first thread's read overtakes the write of x, which was to be the beginning of an execution in which the second thread's operations
/// overtake it too. But it fails.
TEST(Optimal, WhatOvertakesAndFailsBeginsNothingElse) {
  const unsigned x = 0, y = 1;
  expect_each_once({{{{Op::FailIf, x, 0}}, {{Op::Write, y, 3}, {Op::Read, x}}, {{Op::Read, y}, {Op::Write, x, 2}}}}, "the program");
}

TEST(Optimal, RunsWhatDoesNotFailOnceHoweverManyFail) {
  for (unsigned n = 0; n < 300; ++n) {
    std::mt19937 random(n);
    const auto upto = [&](unsigned most) { return static_cast<unsigned>(random() % most); };
    MadeUpProgram program;
    for (unsigned threads = 2 + upto(2), t = 0; t < threads; ++t) {
      program.threads.emplace_back();
      for (unsigned ops = 1 + upto(3), i = 0; i < ops; ++i) switch (upto(4)) {
          case 0:
            program.threads.back().push_back({Op::Read, upto(3)});
            break;
          case 1:
            program.threads.back().push_back({Op::FailIf, upto(3), upto(3)});
            break;
          default:
            program.threads.back().push_back({Op::Write, upto(3), 1 + upto(2)});
            break;
        }
    }
    expect_each_once(program, "program " + std::to_string(n));
  }
}

}  // namespace
}  // namespace treadle

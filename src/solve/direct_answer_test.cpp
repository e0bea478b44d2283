// SPDX-License-Identifier: Apache-2.0
#include "solve/direct_answer.h"

#include <gtest/gtest.h>

#include "solve/causal_model.h"
#include "solve/made_up_run.h"

namespace treadle {
namespace {

MadeUpOp random_access(std::mt19937& random) {
  const std::uint64_t at = random() % 3;
  switch (random() % 4) {
    case 0:
      return {MadeUpOp::Write, at, random() % 3};
    case 1:
      return {MadeUpOp::Add, at, 1};
    default:
      return {MadeUpOp::Read, at};
  }
}

/// Some within sections, one in another, and the last one now and then never left.
std::vector<std::vector<MadeUpOp>> random_program(std::mt19937& random) {
  std::vector<std::vector<MadeUpOp>> threads(2 + random() % 3);
  for (auto& ops : threads) {
    for (unsigned part = 0; part < 3; ++part) {
      const std::uint64_t locks = random() % 3, outer = 8 + random() % 2, inner = 17 - outer;
      if (locks > 0) ops.push_back({MadeUpOp::Lock, outer});
      ops.push_back(random_access(random));
      if (locks > 1) ops.push_back({MadeUpOp::Lock, inner});
      ops.push_back(random_access(random));
      if (locks > 1) ops.push_back({MadeUpOp::Unlock, inner});
      if (locks > 0 && (part < 2 || random() % 4 != 0)) ops.push_back({MadeUpOp::Unlock, outer});
    }
  }
  return threads;
}

struct Counted {
  std::uint64_t questions = 0, yes = 0, with_formula = 0;
};

void compare(const Trace& trace, CausalOptions options, Counted& counted, unsigned seed) {
  CausalModel solver(trace, options, make_acyclic_solver);
  options.direct_answers = true;
  CausalModel direct(trace, options, make_acyclic_solver);
  for (const Question& question : direct.questions()) {
    const auto before = direct.statistics().reads + direct.statistics().constraints;
    const Answer answer = direct.ask(question).answer;
    ASSERT_EQ(answer, solver.ask(question).answer) << "seed " << seed << " unit " << question.unit << " value " << question.value;
    ++counted.questions;
    counted.yes += answer == Answer::Yes ? 1 : 0;
    counted.with_formula += direct.statistics().reads + direct.statistics().constraints > before ? 1 : 0;
  }
}

TEST(DirectAnswer, IsThatOfTheSolverBehindEveryPrefix) {
  Counted counted;
  for (unsigned seed = 1; seed <= 400; ++seed) {
    std::mt19937 random(seed);
    MadeUpRun run(random_program(random), MemoryModel::Sc, random);
    const auto decisions = static_cast<std::uint32_t>(run.trace().choices.size());
    for (const std::uint32_t fixed : {0u, decisions / 3, decisions / 2})
      for (const std::uint32_t fixed_reads : {nothing, 0u}) {
        CausalOptions options;
        options.fixed = fixed;
        options.fixed_reads = fixed_reads;
        compare(run.trace(), options, counted, seed);
      }
  }
  EXPECT_GT(counted.yes, counted.questions / 4);
  EXPECT_LT(counted.yes, counted.questions * 3 / 4);
  EXPECT_LT(counted.with_formula, counted.questions / 10);
}

/// The read lies within a section, and who writes what it is to read writes that in another one: which has to come first, as a whole.
TEST(DirectAnswer, LetsOthersLeaveTheirSectionsFirst) {
  MadeUpTrace made;
  made.event(0, TREADLE_EV_THREAD_CREATE, 0, 1);
  made.event(0, TREADLE_EV_LOCK, 0x100, 1, 0);
  made.event(0, TREADLE_EV_ATOMIC_READ, 0x10, 0, 0, 0, 4);
  made.event(0, TREADLE_EV_UNLOCK, 0x100, 0, 0);
  made.event(1, TREADLE_EV_LOCK, 0x100, 1, 0);
  made.event(1, TREADLE_EV_ATOMIC_WRITE, 0x10, 7, 0, 0, 4);
  made.event(1, TREADLE_EV_UNLOCK, 0x100, 0, 0);
  made.trace.end.ending = TREADLE_END_COMPLETED;
  CausalOptions options;
  options.direct_answers = true;
  CausalModel causal(made.trace, options, make_acyclic_solver);
  ASSERT_EQ(causal.questions().size(), 1u);
  const Reply reply = causal.ask(causal.questions()[0]);
  EXPECT_EQ(reply.answer, Answer::Yes);
  EXPECT_EQ(reply.units, (std::vector<UnitId>{0, 4, 5, 6, 1, 2}));
  EXPECT_EQ(causal.statistics().constraints, 0u);
}

}  // namespace
}  // namespace treadle

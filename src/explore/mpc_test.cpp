// SPDX-License-Identifier: Apache-2.0
#include "explore/mpc.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "abi/wish.h"
#include "explore/mpc_s1.h"
#include "trace/made_up_symbolic.h"

namespace treadle {
namespace {

struct Op {
  enum Kind { Load, Store, Add, SkipUnless, Check } kind = Load;
  unsigned variable = 0;
  std::uint64_t constant = 0;  // stored, compared with, or added to what was read last
  unsigned skips = 0;          // SkipUnless what was read last is the constant
};
using Program = std::vector<std::vector<Op>>;  // threads 1, 2, …

/// By thread: how its conditions came out.
using Outcome = std::vector<std::string>;

/// The program in memory, one thread at a time, as a symbolic build of it would be recorded.
class Run {
 public:
  explicit Run(const Program& program, bool patient = false)
      : program_(program), patient_(patient), threads_(program.size()), outcome(program.size()) {
    made.trace.threads = {{}};
    for (unsigned t = 0; t < program.size(); ++t) made.trace.threads.push_back({0, static_cast<std::uint16_t>(t + 1)});
    for (Thread& thread : threads_) thread.read = made.number(0);
  }

  bool can_go_on(unsigned t) const { return (patient_ || !failed) && !threads_[t].fails && threads_[t].at < program_[t].size(); }

  void step(unsigned t) {
    Thread& thread = threads_[t];
    const Op& op = program_[t][thread.at++];
    const std::uint64_t address = 0x1000 + 8 * op.variable, before = memory_[op.variable];
    if (op.kind == Op::Load) thread.read = made.read(t + 1, address, before);
    if (op.kind != Op::Load) {
      const ExpressionId what = op.kind == Op::Add ? made.plus(thread.read, op.constant) : made.number(op.constant);
      made.write(t + 1, address, what, before);
      memory_[op.variable] = made.e.value(what);
    }
    for (; can_go_on(t) && program_[t][thread.at].kind >= Op::SkipUnless; ++thread.at) decide(t, program_[t][thread.at]);
  }

  void finish() {
    if (patient_ && failed) made.event(*failed + 1, TREADLE_EV_FAIL);
    for (unsigned t = 0; failed && t < program_.size(); ++t) {
      if (patient_ && threads_[t].fails && t != *failed) made.blocked(t + 1, TREADLE_EV_FAIL, 0, 0);
      if (!patient_ && threads_[t].at < program_[t].size()) made.blocked(t + 1, TREADLE_EV_READ, 0x1000, 0);
    }
    made.end(failed ? TREADLE_END_ASSERTION : TREADLE_END_COMPLETED, failed ? *failed + 1 : 0);
  }

  MadeUpSymbolicTrace made;

 private:
  struct Thread {
    std::size_t at = 0;
    ExpressionId read = 0;
    bool fails = false;
  };

  void decide(unsigned t, const Op& op) {
    Thread& thread = threads_[t];
    const ExpressionId is = made.is(thread.read, op.constant);
    const bool holds = made.e.value(is) != 0;
    outcome[t] += holds ? "y" : "n";
    thread.fails = op.kind == Op::Check && holds;
    if (thread.fails && !failed) {
      failed = t;
      when_it_failed = outcome;
    }
    if (made.trace.expressions[thread.read].op != TREADLE_OP_CONSTANT)
      made.note(t + 1, TREADLE_NOTE_BRANCH, holds ? is : made.e.make(TREADLE_OP_NOT, 1, is),
                op.kind == Op::Check && !holds ? TREADLE_GUARDS_ASSERTION : TREADLE_GUARDS_NOTHING, 0x40 + thread.at);
    if (op.kind == Op::SkipUnless && !holds) thread.at += std::min<std::size_t>(op.skips, program_[t].size() - thread.at - 1);
  }

  const Program& program_;
  bool patient_;  // who fails lets the others go on first
  std::vector<Thread> threads_;
  std::array<std::uint64_t, 4> memory_{};

 public:
  Outcome outcome, when_it_failed;
  std::optional<unsigned> failed;  // who did, first
};

/// What executing a schedule does; none: it cannot be followed.
std::optional<Run> run(const Program& program, const Schedule& schedule) {
  Run run(program, schedule.policy == Policy::Patient);
  unsigned last = 0;
  for (const Decision& d : schedule.prefix) {
    const unsigned t = index_of(d.thread) - 1;
    const bool is_possible = t < program.size() && run.can_go_on(t);
    if (!is_possible && (d.argument & TREADLE_WISH) != 0) continue;
    if (!is_possible) return std::nullopt;
    run.step(last = t);
  }
  for (;;) {
    for (unsigned t = 0; t < program.size() && !run.can_go_on(last); ++t) last = t;
    if (!run.can_go_on(last)) break;
    run.step(last);
  }
  run.finish();
  return run;
}

/// f of each way that there is, at its end.
template <class F>
void for_each_way(const Program& program, Schedule& schedule, const F& f) {
  Run at(program);
  for (const Decision& d : schedule.prefix) at.step(index_of(d.thread) - 1);
  bool any = false;
  for (unsigned t = 0; t < program.size(); ++t) {
    if (!at.can_go_on(t)) continue;
    any = true;
    schedule.prefix.push_back({DecisionKind::Step, ThreadId{static_cast<std::uint8_t>(t + 1)}, 0});
    for_each_way(program, schedule, f);
    schedule.prefix.pop_back();
  }
  if (!any) f(at);
}

void all_outcomes(const Program& program, Schedule& schedule, std::set<Outcome>& found) {
  for_each_way(program, schedule, [&](const Run& at) { found.insert(at.outcome); });
}

/// Of those that fail: who does, and how its conditions came out.
using Failures = std::set<std::pair<unsigned, std::string>>;

void all_failures(const Program& program, Schedule& schedule, std::set<Outcome>& completed, Failures& failures) {
  for_each_way(program, schedule, [&](const Run& at) {
    if (at.failed)
      failures.emplace(*at.failed, at.outcome[*at.failed]);
    else
      completed.insert(at.outcome);
  });
}

struct Explored {
  std::vector<Outcome> outcomes;  // of all executions
  std::vector<Outcome> when_they_failed;
  std::set<Outcome> completed;
  Failures failures;
  std::set<Outcome> distinct() const { return {outcomes.begin(), outcomes.end()}; }
};

/// Results come back in reverse order.
Explored explore(const Program& program, Strategy& strategy) {
  Explored explored;
  for (;;) {
    std::vector<Item> items;
    while (items.size() < strategy.ahead()) {
      auto item = strategy.next();
      if (!item && strategy.thinking()) continue;
      if (!item) break;
      items.push_back(std::move(*item));
    }
    if (items.empty()) return explored;
    for (; !items.empty(); items.pop_back()) {
      const auto done = run(program, items.back().schedule);
      EXPECT_TRUE(done.has_value()) << "an order that is not possible";
      if (!done) return explored;
      explored.outcomes.push_back(done->outcome);
      if (done->failed) explored.when_they_failed.push_back(done->when_it_failed);
      if (done->failed) explored.failures.emplace(*done->failed, done->outcome[*done->failed]);
      if (!done->failed) explored.completed.insert(done->outcome);
      strategy.learn_from(items.back().ticket, done->made.trace);
    }
  }
}

Schedule base() {
  Schedule schedule;
  schedule.races = Races::Explore;
  return schedule;
}

Program random_program(std::mt19937& random, unsigned kinds = 4) {
  Program program(2 + random() % 2);
  for (auto& ops : program)
    for (std::size_t n = 3 + random() % 4 - program.size() + 2; n > 0; --n) {
      Op op;
      op.variable = random() % 2;
      op.constant = random() % 3;
      op.skips = 1 + random() % 2;
      op.kind = ops.empty() ? static_cast<Op::Kind>(random() % 2) : static_cast<Op::Kind>(random() % kinds);
      ops.push_back(op);
    }
  return program;
}

/// Figure 8 of the paper without inputs: whoever looks at x sees 2 only behind the other thread's second turn.
const Program figure_8{{{Op::Load, 1}, {Op::SkipUnless, 0, 1, 2}, {Op::Load, 1}, {Op::SkipUnless, 0, 1, 1}, {Op::Store, 0, 2}},
                       {{Op::Load, 0}, {Op::Check, 0, 2}},
                       {{Op::Store, 1, 1}}};

/// Also when the walk over states gives up in the middle of many executions, and when there is none.
TEST(Mpc, ExecutesEachPathOnceWhateverTheNumberOfJobsAndWhoeverAnswers) {
  std::mt19937 random(1);
  for (int n = 0; n < 60; ++n) {
    const Program program = random_program(random);
    std::set<Outcome> all;
    Schedule schedule;
    all_outcomes(program, schedule, all);
    for (const auto& [jobs, states] : {std::pair(1u, 20'000u), {2u, 20'000u}, {3u, 20'000u}, {1u, 0u}, {3u, 0u}, {1u, 40u}, {2u, 40u}}) {
      MpcOptions options;
      options.jobs = jobs;
      options.most_states = states;
      Mpc mpc(base(), options);
      const Explored explored = explore(program, mpc);
      EXPECT_EQ(explored.distinct(), all) << "program " << n << ", jobs " << jobs << ", states " << states;
      EXPECT_EQ(explored.outcomes.size(), all.size()) << "program " << n << ", jobs " << jobs << ", states " << states;
      EXPECT_EQ(mpc.counts().paths, all.size());
      EXPECT_EQ(mpc.counts().redundant, 0u);
      EXPECT_EQ(mpc.gaps(), "");
    }
  }
}

/// Nothing is executed again to see what those do whom a failure would have cut off.
TEST(Mpc, ExecutesNoPathTwiceBecauseSomebodyFailed) {
  std::mt19937 random(2);
  std::size_t failed = 0;
  for (int n = 0; n < 60; ++n) {
    const Program program = random_program(random, 5);
    std::set<Outcome> completed;
    Failures failures;
    Schedule schedule;
    all_failures(program, schedule, completed, failures);
    for (const auto& [jobs, states] : {std::pair(1u, 20'000u), {2u, 20'000u}, {1u, 0u}, {3u, 0u}, {1u, 40u}}) {
      MpcOptions options;
      options.jobs = jobs;
      options.most_states = states;
      Mpc mpc(base(), options);
      const Explored explored = explore(program, mpc);
      EXPECT_EQ(explored.completed, completed) << "program " << n << ", jobs " << jobs << ", states " << states;
      EXPECT_EQ(explored.failures, failures) << "program " << n << ", jobs " << jobs << ", states " << states;
      const std::set<Outcome> once(explored.when_they_failed.begin(), explored.when_they_failed.end());
      EXPECT_EQ(explored.outcomes.size(), completed.size() + once.size()) << "program " << n << ", jobs " << jobs << ", states " << states;
      EXPECT_EQ(mpc.counts().redundant, 0u) << "program " << n << ", jobs " << jobs << ", states " << states;
      EXPECT_EQ(mpc.gaps(), "") << "program " << n << ", jobs " << jobs << ", states " << states;
      failed += explored.when_they_failed.size();
    }
  }
  EXPECT_GT(failed, 50u);
}

TEST(Mpc, FindsWhatIsBehindTheTurnsOfAnotherThread) {
  for (const unsigned jobs : {1u, 2u, 3u}) {
    MpcOptions options;
    options.jobs = jobs;
    Mpc mpc(base(), options);
    const auto fails = [](const Outcome& outcome) { return outcome[1] == "y"; };
    EXPECT_TRUE(std::ranges::any_of(explore(figure_8, mpc).outcomes, fails));
  }
}

TEST(MpcS1, SaysThatItMayMissPaths) {
  MpcS1 s1(base());
  explore(figure_8, s1);
  EXPECT_TRUE(s1.leaves_out());
  EXPECT_NE(s1.gaps().find("known to miss"), std::string::npos);
}

}  // namespace
}  // namespace treadle

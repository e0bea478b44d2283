// SPDX-License-Identifier: Apache-2.0
#include "explore/search.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "explore/exhaustive.h"
#include "explore/made_up_program.h"
#include "explore/optimal.h"
#include "explore/random.h"

namespace treadle {
namespace {

/// Of a program that is no file: every question is answered with "??".
std::unique_ptr<Symbols> no_symbols() { return Symbols::of_objects({}); }

SearchResult searched(const MadeUpProgram& program, SearchOptions options = {}) {
  MadeUpRunner runner(program);
  Exhaustive strategy(options.schedule, options.budget.preemptions);
  Runner* const workers[] = {&runner};
  return search(strategy, workers, *no_symbols(), options);
}

const MadeUpProgram lost_update{{{{Op::Write, 0, 1}, {Op::FailIf, 0, 2}}, {{Op::Write, 0, 2}}}};
const MadeUpProgram store_buffering{
    {{{Op::Write, 0, 1}, {Op::Read, 1}, {Op::Observe, 1}}, {{Op::Write, 1, 1}, {Op::Read, 0}, {Op::Observe, 0}}}};

TEST(Search, ReportsADistinctBugOnceWithAConfirmedWitness) {
  const SearchResult result = searched(lost_update);
  EXPECT_EQ(result.verdict.kind, VerdictKind::Bugs);
  EXPECT_EQ(result.verdict.covers, "all schedules under SC for these inputs");
  EXPECT_EQ(result.tally.executions, 3u);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_TRUE(result.unconfirmed.empty());
  const Finding& finding = result.findings[0].finding;
  EXPECT_EQ(finding.kind, FindingKind::Assertion);
  EXPECT_TRUE(finding.confirmed);

  MadeUpRunner again(lost_update);
  Trace trace;
  ASSERT_TRUE(again.run(finding.witness.schedule, {}, trace));
  EXPECT_EQ(trace.end.ending, TREADLE_END_ASSERTION);
  EXPECT_EQ(decisions_of(trace), finding.witness.schedule.prefix);
}

TEST(Search, OfACorrectProgramIsCleanAndSaysWhatItCovers) {
  const SearchResult result = searched(independent_writers(2, 3));
  EXPECT_EQ(result.verdict.kind, VerdictKind::Clean);
  EXPECT_EQ(result.tally.executions, 20u);
  EXPECT_TRUE(result.findings.empty());
}

TEST(Search, StopsAtTheFirstFindingWhenAsked) {
  SearchOptions options;
  options.stop_at_first = true;
  const SearchResult result = searched({{{{Op::FailIf, 0, 0}}, {{Op::Write, 1, 1}, {Op::Write, 1, 2}, {Op::Write, 1, 3}}}}, options);
  EXPECT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.tally.executions, 1u);
  EXPECT_EQ(result.verdict.covers, "1 execution only: stopped at the first finding");
}

TEST(Search, ObeysTheLimitOfExecutionsExactly) {
  SearchOptions options;
  options.budget.executions = 1234;
  const SearchResult result = searched(independent_writers(4, 4), options);
  EXPECT_EQ(result.tally.executions, 1234u);
  EXPECT_EQ(result.verdict.kind, VerdictKind::Incomplete);
  EXPECT_EQ(result.verdict.covers, "1234 executions only: the limit of 1234 executions is reached");
}

/// Gives up every other execution, and expects a thousand that it does not.
class EveryOtherInVain final : public Strategy {
 public:
  explicit EveryOtherInVain(const Schedule& base) : all_(base) {}
  std::optional<Item> next() override { return all_.next(); }
  void learn_from(Ticket ticket, const Trace& trace) override {
    all_.learn_from(ticket, trace);
    ++made_;
  }
  Recording needs() const override { return all_.needs(); }
  std::string covers() const override { return all_.covers(); }
  std::optional<double> estimate() const override { return 1000; }
  Counts counts() const override { return {.blocked = made_ / 2}; }

 private:
  Exhaustive all_;
  std::uint64_t made_ = 0;
};

TEST(Search, TellsTheTimeLeftByExecutionsThatWereNotInVain) {
  SearchOptions options;
  options.budget.executions = 100;
  MadeUpRunner runner(independent_writers(4, 4));
  EveryOtherInVain strategy(options.schedule);
  Runner* const workers[] = {&runner};
  const SearchResult result = search(strategy, workers, *no_symbols(), options);
  ASSERT_TRUE(result.estimate);
  EXPECT_NEAR(result.estimate->seconds_left / result.seconds, (1000.0 - 50) / 50, 0.5);
}

TEST(Search, EstimatesItsSizeByProbesThatCountNowhereElse) {
  SearchOptions options;
  options.budget.executions = 1000;
  options.guard_every = 0;
  options.size = Size::Classes;
  MadeUpProgram program;
  for (unsigned t = 0; t < 8; ++t) program.threads.push_back({{Op::Write, 0, t}});
  MadeUpRunner runner(program);
  Optimal strategy(options.schedule);
  Runner* const workers[] = {&runner};
  const SearchResult result = search(strategy, workers, *no_symbols(), options);
  EXPECT_EQ(result.executions(), 1000u);
  ASSERT_TRUE(result.estimate);
  // 8!, and each probe knows it; chance has a hand only in how many of them are of the thousand that are over
  EXPECT_NEAR(result.estimate->executions, 40320, 4 * result.estimate->standard_error + 1000);
  EXPECT_LT(result.estimate->standard_error, 2000);
  EXPECT_GE(result.estimate->probes, 32u);
  EXPECT_EQ(runner.runs, 1000 + result.estimate->probes);
}

TEST(Search, ReportsWhatOnlyAProbeHasMet) {
  SearchOptions options;
  options.budget.executions = 300;
  options.size = Size::Classes;
  MadeUpProgram program;  // fails only when the last of many comes first, which the search would try last
  for (unsigned t = 0; t < 8; ++t) program.threads.push_back({{Op::Write, 0, t + 1}, {Op::Write, 0, t + 1}});
  program.threads.push_back({{Op::FailIf, 0, 0}});
  MadeUpRunner runner(program);
  Optimal alone(options.schedule);
  for (unsigned n = 0; n < 300; ++n) {
    const auto item = alone.next();
    Trace trace;
    ASSERT_TRUE(runner.run(item->schedule, alone.needs(), trace));
    ASSERT_NE(trace.end.ending, TREADLE_END_ASSERTION);
    alone.learn_from(item->ticket, trace);
  }
  Optimal strategy(options.schedule);
  Runner* const workers[] = {&runner};
  const SearchResult result = search(strategy, workers, *no_symbols(), options);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_TRUE(result.findings.front().finding.confirmed);
}

TEST(Search, ObeysTheTimeLimit) {
  SearchOptions options;
  options.budget.seconds = 0.2;
  const SearchResult result = searched(independent_writers(4, 6), options);
  EXPECT_EQ(result.verdict.kind, VerdictKind::Incomplete);
  EXPECT_LT(result.seconds, 2);
}

TEST(Search, EndsInOrderOnCtrlC) {
  SearchOptions options;
  struct Interrupting final : Strategy {
    Random inner{Schedule{}};
    std::optional<Item> next() override { return inner.next(); }
    void learn_from(Ticket ticket, const Trace& trace) override {
      inner.learn_from(ticket, trace);
      if (++seen == 5) raise(SIGINT);
    }
    std::string covers() const override { return "nothing"; }
    int seen = 0;
  } strategy;
  MadeUpRunner runner(independent_writers(2, 2));
  Runner* const workers[] = {&runner};
  const SearchResult result = search(strategy, workers, *no_symbols(), options);
  EXPECT_EQ(result.tally.executions, 5u);
  EXPECT_EQ(result.verdict.kind, VerdictKind::Incomplete);
  EXPECT_EQ(result.verdict.covers, "5 executions only: interrupted");
}

TEST(Search, CollectsDistinctOutcomesOfCompletedExecutionsOnly) {
  SearchOptions options;
  options.outcomes = true;
  EXPECT_EQ(searched(store_buffering, options).outcomes,
            (std::set<Outcome>{{{"x0", 0}, {"x1", 1}}, {{"x0", 1}, {"x1", 0}}, {{"x0", 1}, {"x1", 1}}}));
}

TEST(Search, DoesNotCountExecutionsRuledOutByAnAssumptionAsOutcomes) {
  SearchOptions options;
  options.outcomes = true;
  const SearchResult result = searched({{{{Op::Assume, 0, 1}, {Op::Observe, 0}}, {{Op::Write, 0, 1}}}}, options);
  EXPECT_EQ(result.outcomes, (std::set<Outcome>{{{"x0", 1}}}));
  EXPECT_EQ(result.tally.assumption_failed, 1u);
  EXPECT_EQ(result.verdict.kind, VerdictKind::Clean);
}

TEST(Search, FindsUncontrolledNondeterminism) {
  const SearchResult result = searched({{{{Op::Random, 0}}, {{Op::Write, 1, 1}}}});
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].finding.kind, FindingKind::Nondeterminism);
  EXPECT_NE(result.findings[0].finding.message.find("differ first in event"), std::string::npos);
}

TEST(Search, RunsInBatchesOnceItKnowsHowLongARunTakes) {
  MadeUpRunner runner(independent_writers(3, 3));
  Random strategy({});
  SearchOptions options;
  options.budget.executions = 2000;
  Runner* const workers[] = {&runner};
  search(strategy, workers, *no_symbols(), options);
  EXPECT_GT(runner.largest_batch, 16u);
}

}  // namespace
}  // namespace treadle

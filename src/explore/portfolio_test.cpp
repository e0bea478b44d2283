// SPDX-License-Identifier: Apache-2.0
#include "explore/portfolio.h"

#include <gtest/gtest.h>

#include <map>

namespace treadle {
namespace {

/// Strategies that come to what the test says.
class MadeUpSearches {
 public:
  SearchResult& operator[](const std::string& strategy) { return results_[strategy]; }

  RunPhase run() {
    return [this](const std::string& strategy, double share) -> Result<SearchResult> {
      asked.push_back(strategy);
      seconds.push_back(share);
      return results_[strategy];
    };
  }

  std::vector<std::string> asked;
  std::vector<double> seconds;

 private:
  std::map<std::string, SearchResult> results_;
};

SearchResult unfinished(std::uint64_t executions, const std::string& covers) {
  SearchResult result;
  result.verdict = {VerdictKind::Incomplete, covers};
  result.tally.executions = executions;
  result.can_go_on = true;
  return result;
}

SearchResult finished(std::uint64_t executions) {
  SearchResult result = unfinished(executions, "all schedules");
  result.verdict.kind = VerdictKind::Clean;
  result.can_go_on = false;
  return result;
}

Found bug(const std::string& fingerprint) {
  Found found;
  found.finding.fingerprint = fingerprint;
  return found;
}

class APortfolio : public testing::Test {
 protected:
  APortfolio() {
    for (const char* strategy : {"optimal", "pct", "value", "icb-dpor", "icb"}) searches[strategy] = unfinished(10, strategy);
  }
  PortfolioResult search(PortfolioOptions options = {}) {
    auto result = search_within(options, searches.run());
    EXPECT_TRUE(result);
    return *result;
  }
  MadeUpSearches searches;
};

TEST_F(APortfolio, IsDoneWhenTheFirstSearchIs) {
  searches["optimal"] = finished(7);
  const auto result = search();
  EXPECT_EQ(searches.asked, std::vector<std::string>{"optimal"});
  EXPECT_EQ(result.strategy, "optimal");
  EXPECT_EQ(result.search.verdict.kind, VerdictKind::Clean);
  EXPECT_EQ(result.search.executions(), 7u);
}

TEST_F(APortfolio, GoesOnWithASearchThatWillSoonBeDone) {
  searches["optimal"].estimate = Estimate{.executions = 20, .seconds_left = 5};
  search();
  EXPECT_EQ(searches.asked, (std::vector<std::string>{"optimal", "optimal", "pct", "value", "icb-dpor"}));
}

TEST_F(APortfolio, GivesASearchThatKnowsHowFarItIsOffTheTimeThatItNeeds) {
  searches["optimal"].estimate = Estimate{.executions = 20, .seconds_left = 40, .standard_error = 2, .probes = 100};
  search();
  EXPECT_EQ(searches.asked.at(1), "optimal");
  const double given = searches.seconds.at(1);
  searches.asked.clear();
  searches.seconds.clear();
  searches["optimal"].estimate = Estimate{.executions = 20, .seconds_left = 40};
  search();
  EXPECT_GT(given, searches.seconds.at(1));
}

TEST_F(APortfolio, RestsOnWhicheverSearchIsComplete) {
  searches["value"] = finished(3);
  const auto result = search();
  EXPECT_EQ(searches.asked, (std::vector<std::string>{"optimal", "pct", "value"}));
  EXPECT_EQ(result.strategy, "value");
  EXPECT_EQ(result.search.verdict.covers, "all schedules");
  EXPECT_EQ(result.search.executions(), 23u);
}

TEST_F(APortfolio, OtherwiseNamesTheBoundThatWasCompleted) {
  const auto result = search();
  EXPECT_EQ(result.strategy, "icb-dpor");
  EXPECT_EQ(result.search.verdict.kind, VerdictKind::Incomplete);
  EXPECT_EQ(result.search.verdict.covers, "icb-dpor; besides, 30 executions by other strategies");
  EXPECT_EQ(result.phases.size(), 4u);
}

TEST_F(APortfolio, HasEachFindingOnce) {
  searches["optimal"].findings = {bug("a")};
  searches["pct"].findings = {bug("a"), bug("b")};
  const auto result = search();
  EXPECT_EQ(result.search.verdict.kind, VerdictKind::Bugs);
  EXPECT_EQ(result.search.findings.size(), 2u);
}

TEST_F(APortfolio, StopsAtTheFirstBugOrWhenInterrupted) {
  searches["optimal"].findings = {bug("a")};
  PortfolioOptions options;
  options.stop_at_first = true;
  search(options);
  EXPECT_EQ(searches.asked.size(), 1u);
  options = {};
  options.interrupted = [] { return true; };
  search(options);
  EXPECT_EQ(searches.asked.size(), 2u);
}

TEST_F(APortfolio, TriesAllInputsFirstWhereThereAreAny) {
  PortfolioOptions options;
  options.all_inputs = true;
  searches["mpc"] = finished(3);
  EXPECT_EQ(search(options).strategy, "mpc");
  EXPECT_EQ(searches.asked, std::vector<std::string>{"mpc"});
}

TEST_F(APortfolio, LooksAtSchedulesWhereTryingAllInputsTakesTooLong) {
  PortfolioOptions options;
  options.all_inputs = true;
  searches["mpc"] = unfinished(5, "mpc");
  searches["mpc"].findings = {bug("of an input")};
  searches["optimal"] = finished(2);
  const auto result = search(options);
  EXPECT_EQ(searches.asked, (std::vector<std::string>{"mpc", "optimal"}));
  EXPECT_EQ(result.strategy, "optimal");
  EXPECT_EQ(result.search.findings.size(), 1u);
}

TEST_F(APortfolio, IsNotCleanWhereInputsWereLeftOut) {
  PortfolioOptions options;
  options.all_inputs = true;
  searches["mpc"] = unfinished(5, "mpc");
  searches["mpc"].tally.asked_for_input = true;
  searches["optimal"] = finished(2);
  const auto result = search(options);
  EXPECT_EQ(result.search.verdict.kind, VerdictKind::Incomplete);
  EXPECT_EQ(result.search.verdict.covers, "all schedules; with others only 5 executions");
  EXPECT_EQ(result.phases.at(1).verdict, VerdictKind::Clean);
}

TEST_F(APortfolio, LooksAtSchedulesWherePathsDoNotSeeThrough) {
  PortfolioOptions options;
  options.all_inputs = true;
  searches["mpc"] = unfinished(1, "mpc");
  searches["mpc"].can_go_on = false;
  searches["optimal"] = finished(2);
  EXPECT_EQ(search(options).strategy, "optimal");
  EXPECT_EQ(searches.asked, (std::vector<std::string>{"mpc", "optimal"}));
}

TEST_F(APortfolio, UsesWhatTheModelAllows) {
  PortfolioOptions options;
  options.weak_model = true;
  EXPECT_EQ(search(options).strategy, "icb");
}

}  // namespace
}  // namespace treadle

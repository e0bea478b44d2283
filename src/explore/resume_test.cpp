// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <memory>

#include "explore/completed.h"
#include "explore/dpor.h"
#include "explore/exhaustive.h"
#include "explore/icb.h"
#include "explore/made_up_program.h"
#include "explore/mcr.h"
#include "explore/optimal.h"
#include "explore/pct.h"
#include "explore/search.h"

namespace treadle {
namespace {

/// Two bugs, several outcomes, some hundred schedules.
const MadeUpProgram buggy{{{{Op::Write, 0, 1}, {Op::Read, 1}, {Op::Observe, 1}, {Op::FailIf, 0, 2}},
                           {{Op::Write, 1, 1}, {Op::Read, 0}, {Op::Observe, 0}, {Op::Write, 0, 2}},
                           {{Op::Write, 1, 7}, {Op::FailIf, 1, 1}}}};

using Make = std::function<std::unique_ptr<Strategy>()>;

const std::vector<std::pair<std::string, Make>> all_strategies{
    {"exhaustive", [] { return std::make_unique<Exhaustive>(Schedule{}); }},
    {"exhaustive, bounded", [] { return std::make_unique<Exhaustive>(Schedule{}, 1); }},
    {"optimal", [] { return std::make_unique<Optimal>(Schedule{}); }},
    {"dpor", [] { return std::make_unique<Dpor>(Schedule{}); }},
    {"icb", [] { return std::make_unique<Icb>(Schedule{}); }},
    {"icb, bounded", [] { return std::make_unique<Icb>(Schedule{}, 1); }},
    {"value", [] { return std::make_unique<Value>(Schedule{}, ClassBy::Values); }},
    {"mcr",
     [] {
       return std::make_unique<Completed>(Schedule{}, Completed::First::GoesOn,
                                          [](KnownExecutions&) { return std::make_unique<Mcr>(Schedule{}, McrOptions{}); });
     }},
    {"random", [] { return std::make_unique<Random>(Schedule{}); }},
    {"pct", [] { return std::make_unique<Pct>(Schedule{}, 3); }},
};

struct Workers {
  Workers(const MadeUpProgram& program, unsigned count) {
    for (unsigned i = 0; i < count; ++i) programs.push_back(&runners.emplace_back(program));
  }
  std::deque<MadeUpRunner> runners;
  std::vector<Runner*> programs;
};

struct Summary {
  std::uint64_t executions, steps;
  std::set<std::string> findings;
  std::set<Outcome> outcomes;
  VerdictKind verdict;
  std::string covers;
  bool operator==(const Summary&) const = default;
};

Summary summary(const SearchResult& result) {
  Summary all{result.executions(), result.tally.steps, {}, result.outcomes, result.verdict.kind, result.verdict.covers};
  for (const Found& found : result.findings) all.findings.insert(found.finding.fingerprint);
  EXPECT_TRUE(result.unconfirmed.empty());
  EXPECT_FALSE(result.problem) << result.problem->sentence;
  return all;
}

SearchOptions up_to(std::uint64_t executions) {
  SearchOptions options;
  options.outcomes = true;
  options.budget.executions = executions;
  return options;
}

class Resume : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = (std::filesystem::temp_directory_path() / ("treadle-resume-" + std::to_string(::getpid()))).string();
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// A new process, as it were: new strategy, new program, only the folder is old.
  SearchResult part(const Make& make, SearchOptions options, unsigned workers) {
    const auto strategy = make();
    auto folder = CheckpointFolder::open(folder_, {{"--model", "sc"}}, *strategy);
    EXPECT_TRUE(folder) << folder.problem().sentence;
    options.checkpoint = &*folder;
    Workers program(buggy, workers);
    return search(*strategy, program.programs, *Symbols::of_objects({}), options);
  }

  std::string folder_;
};

TEST(Workers, FindTheSameAsOne) {
  for (const auto& [name, make] : all_strategies) {
    std::optional<Summary> of_one;
    for (const unsigned count : {1u, 2u, 3u, 8u}) {
      Workers workers(buggy, count);
      const Summary found = summary(search(*make(), workers.programs, *Symbols::of_objects({}), up_to(5000)));
      if (!of_one) of_one = found;
      EXPECT_EQ(found.findings.size(), 2u) << name;
      EXPECT_TRUE(found == *of_one) << name << " with " << count << " workers: " << found.executions << " instead of "
                                    << of_one->executions;
    }
  }
}

TEST(Workers, AllTakePart) {
  Workers workers(independent_writers(3, 5), 3);
  Exhaustive strategy({});
  search(strategy, workers.programs, *Symbols::of_objects({}), up_to(20'000));
  for (const MadeUpRunner& runner : workers.runners) EXPECT_GT(runner.runs, 1000u);
}

TEST(Workers, ObeyTheLimitOfExecutionsExactlyAndStopAtTheFirstFinding) {
  Workers workers(independent_writers(4, 4), 3);
  Exhaustive strategy({});
  EXPECT_EQ(search(strategy, workers.programs, *Symbols::of_objects({}), up_to(1234)).tally.executions, 1234u);
  SearchOptions options = up_to(5000);
  options.stop_at_first = true;
  Workers buggy_ones(buggy, 3);
  Exhaustive another({});
  const SearchResult result = search(another, buggy_ones.programs, *Symbols::of_objects({}), options);
  EXPECT_EQ(result.findings.size(), 1u);
  EXPECT_NE(result.verdict.covers.find("stopped at the first finding"), std::string::npos);
}

TEST_F(Resume, InManyPartsFindsTheSameAsInOne) {
  for (const auto& [name, make] : all_strategies) {
    Workers one(buggy, 1);
    const Summary whole = summary(search(*make(), one.programs, *Symbols::of_objects({}), up_to(5000)));
    for (const unsigned workers : {1u, 3u}) {
      std::filesystem::remove_all(folder_);
      for (std::uint64_t limit = 1; limit < 5000; limit += 1 + limit / 2) summary(part(make, up_to(limit), workers));
      const SearchResult last = part(make, up_to(5000), workers);
      EXPECT_TRUE(summary(last) == whole) << name << " with " << workers << " workers: " << last.tally.executions << " instead of "
                                          << whole.executions << " executions, " << last.findings.size() << " findings";
      EXPECT_TRUE(last.resumed);
    }
  }
}

TEST_F(Resume, OfASearchThatHasEndedRunsNothingButItsWitnesses) {
  const Make& make = all_strategies.front().second;
  const Summary whole = summary(part(make, up_to(5000), 1));
  const auto strategy = make();
  auto folder = CheckpointFolder::open(folder_, {{"--model", "sc"}}, *strategy);
  ASSERT_TRUE(folder);
  SearchOptions options = up_to(5000);
  options.checkpoint = &*folder;
  Workers program(buggy, 1);
  EXPECT_TRUE(summary(search(*strategy, program.programs, *Symbols::of_objects({}), options)) == whole);
  EXPECT_LE(program.runners.front().runs, 3u * whole.findings.size());
}

/// Also of one that has to think about it for longer than it may at a time.
std::optional<Item> next_of(Strategy& strategy) {
  for (;;)
    if (auto item = strategy.next(); item || !strategy.thinking()) return item;
}

TEST(Strategies, HandOutItemsAgainThatWereOutWhenTheyWereSaved) {
  for (const auto& [name, make] : all_strategies) {
    MadeUpRunner runner(buggy);
    const auto learn = [&](Strategy& strategy, const Item& item) {
      Trace trace;
      ASSERT_TRUE(runner.run(item.schedule, strategy.needs(), trace));
      strategy.learn_from(item.ticket, trace);
    };
    const auto run_on = [&](Strategy& strategy, std::size_t most) {
      std::size_t count = 0;
      for (; count < most; ++count) {
        const auto item = next_of(strategy);
        if (!item) break;
        learn(strategy, *item);
      }
      return count;
    };
    const auto strategy = make(), whole = make();
    const std::size_t before = run_on(*strategy, 10);
    std::vector<Item> out;  // how many there are at once is up to the strategy
    while (out.size() < 5)
      if (const auto item = next_of(*strategy))
        out.push_back(*item);
      else
        break;
    ASSERT_GE(out.size(), 1u) << name;
    const std::size_t learned = out.size() / 2;
    const bool learns = out.size() > 1;  // at least one stays out
    if (learns) learn(*strategy, out[learned]);

    const auto again = make();
    ASSERT_TRUE(again->load(strategy->save())) << name;
    EXPECT_EQ(again->covers(), strategy->covers());
    if (!again->samples()) EXPECT_EQ(before + (learns ? 1 : 0) + run_on(*again, 100'000), run_on(*whole, 100'000)) << name;
    if (again->samples())
      for (std::size_t i = 0; i < out.size(); ++i)
        if (i != learned) EXPECT_EQ(again->next()->schedule.seed, out[i].schedule.seed) << name;
  }
}

TEST_F(Resume, UnderOtherCircumstancesIsRefusedInOneSentence) {
  const Make& make = all_strategies.front().second;
  part(make, up_to(10), 1);
  const auto strategy = make();
  const auto other = CheckpointFolder::open(folder_, {{"--model", "tso"}}, *strategy);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.problem().sentence, folder_ + " holds another search: --model was sc, now it is tso");
}

TEST_F(Resume, OfBytesThatMakeNoSenseIsRefused) {
  for (const auto& [name, make] : all_strategies) {
    const auto whole = [&] {
      auto strategy = make();
      MadeUpRunner runner(buggy);
      for (int i = 0; i < 8; ++i) {
        const auto item = next_of(*strategy);
        Trace trace;
        EXPECT_TRUE(runner.run(item->schedule, strategy->needs(), trace));
        strategy->learn_from(item->ticket, trace);
      }
      return strategy->save();
    }();
    for (std::size_t length = 0; length < whole.size(); ++length)
      EXPECT_FALSE(make()->load(whole.substr(0, length))) << name << " " << length;
    EXPECT_FALSE(make()->load(whole + "x")) << name;
    EXPECT_TRUE(make()->load(whole)) << name;
  }
}

}  // namespace
}  // namespace treadle

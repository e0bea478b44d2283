// SPDX-License-Identifier: Apache-2.0
#include "compare.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "interpret.h"
#include "litmus.h"
#include "shrink.h"

namespace oracle {
namespace {

nlohmann::json honest_report(const Program& program, Model model) {
  const Interpretation all = interpret(program, model);
  nlohmann::json report{
      {"verdict", "clean"}, {"outcomes", nlohmann::json::array()}, {"findings", nlohmann::json::array()}, {"executions", 3}};
  for (const Outcome& outcome : all.outcomes) report["outcomes"].push_back(named(program, outcome));
  if (all.deadlocks) report["findings"].push_back({{"kind", "deadlock"}});
  if (all.fails) report["findings"].push_back({{"kind", "assertion"}});
  return report;
}

TEST(Judge, AcceptsAnHonestReport) {
  for (const char* name : {"SB", "iwp2.1/MP", "MP+unlock"}) {
    const Program& program = find_litmus(name)->program;
    for (const Model model : kModels) EXPECT_FALSE(judge(program, honest_report(program, model), {.model = model}));
  }
}

TEST(Judge, NamesWhatIsMissing) {
  const Program& program = find_litmus("SB")->program;
  const auto mismatch = judge(program, honest_report(program, Model::Sc), {.model = Model::Tso});
  ASSERT_TRUE(mismatch);
  EXPECT_EQ(mismatch->missing, (std::vector<std::string>{"t1_r0=0 t2_r0=0 x0=1 x1=1 x2=0"}));
  EXPECT_TRUE(mismatch->surplus.empty());
  EXPECT_FALSE(judge(program, honest_report(program, Model::Sc), {.model = Model::Tso, .subset = true}));
}

TEST(Judge, NamesWhatCannotBe) {
  const Program& program = find_litmus("SB")->program;
  const auto mismatch = judge(program, honest_report(program, Model::Tso), {.model = Model::Sc, .subset = true});
  ASSERT_TRUE(mismatch);
  EXPECT_EQ(mismatch->surplus, (std::vector<std::string>{"t1_r0=0 t2_r0=0 x0=1 x1=1 x2=0"}));
  for (const char* kind : {"deadlock", "livelock", "assertion", "misuse", "crash", "nondeterminism"}) {
    nlohmann::json report = honest_report(program, Model::Sc);
    report["findings"].push_back({{"kind", kind}});
    EXPECT_TRUE(judge(program, report, {})) << kind;
  }
}

TEST(Judge, WantsTheDeadlockAndACompleteSearch) {
  Program program = with_threads({}, {{Lock{0}, Lock{1}, Unlock{1}, Unlock{0}}, {Lock{1}, Lock{0}, Unlock{0}, Unlock{1}}});
  program.mutexes = 2;
  nlohmann::json report = honest_report(program, Model::Sc);
  report["outcomes"].push_back(nlohmann::json::object());  // deadlocked executions observe nothing
  EXPECT_FALSE(judge(program, report, {}));
  report["verdict"] = "incomplete";
  EXPECT_TRUE(judge(program, report, {}));
  report["verdict"] = "bugs";
  report["findings"].clear();
  EXPECT_TRUE(judge(program, report, {}));
}

TEST(Judge, WantsTheRaceOfARacyProgramAndOfNoOther) {
  const Program &racy = find_litmus("SB+plain")->program, &atomic = find_litmus("SB")->program;
  nlohmann::json report{
      {"verdict", "bugs"}, {"outcomes", nlohmann::json::array()}, {"findings", {{{"kind", "data-race"}}}}, {"executions", 1}};
  EXPECT_FALSE(judge(racy, report, {.races = "stop"}));  // what comes of a race need not be explored
  report["findings"].clear();
  EXPECT_TRUE(judge(racy, report, {.races = "stop"}));
  report = honest_report(atomic, Model::Sc);
  report["findings"].push_back({{"kind", "data-race"}});
  EXPECT_TRUE(judge(atomic, report, {.races = "explore"}));
}

TEST(Judge, CountsExecutionsAgainstClassesWhenAsked) {
  const Program& program = find_litmus("SB")->program;
  nlohmann::json report = honest_report(program, Model::Sc);
  EXPECT_FALSE(judge(program, report, {.within_classes = true}));
  report["executions"] = 4;
  EXPECT_TRUE(judge(program, report, {.within_classes = true}));
  EXPECT_TRUE(judge(program, report, {.exact_executions = true}));
  report["executions"] = interpret(program, Model::Sc).executions;
  EXPECT_FALSE(judge(program, report, {.exact_executions = true}));
}

TEST(Judge, WantsExactlyOneExecutionOfEachClassWhenAsked) {
  const Program& program = find_litmus("SB")->program;
  for (const Model model : kModels) {
    nlohmann::json report = honest_report(program, model);
    const int classes = model == Model::Sc ? 3 : 4;
    const CompareOptions exact{.model = model, .exact_classes = true}, covers{.model = model, .covers_classes = true};
    report["executions"] = classes;
    EXPECT_FALSE(judge(program, report, exact));
    EXPECT_FALSE(judge(program, report, covers));
    report["executions"] = classes + 1;
    EXPECT_TRUE(judge(program, report, exact));
    EXPECT_FALSE(judge(program, report, covers));
    report["executions"] = classes - 1;
    EXPECT_TRUE(judge(program, report, exact));
    EXPECT_TRUE(judge(program, report, covers));
    report["redundant"] = 1;
    report["executions"] = classes + 1;
    EXPECT_FALSE(judge(program, report, covers));
    report["executions"] = classes;
    EXPECT_TRUE(judge(program, report, covers));
    report.erase("redundant");
    for (const char* vain : {"blocked", "redundant"}) {
      report[vain] = 1;
      EXPECT_TRUE(judge(program, report, exact)) << vain;
      report.erase(vain);
    }
  }
}

TEST(Judge, CountsTheCoarserClassesWhenAsked) {
  const auto store = [](int value) { return Statement(Store{0, Order::Relaxed, constant(value)}); };
  const Program program =
      with_threads({{}}, {{store(1)}, {store(1)}, {store(2)}});  // 6 orders, 3 sources and 2 values of what is read last
  nlohmann::json report = honest_report(program, Model::Sc);
  const auto accepts = [&](int executions, const CompareOptions& options) {
    report["executions"] = executions;
    return !judge(program, report, options);
  };
  const CompareOptions rf{.exact_rf_classes = true}, values{.exact_value_classes = true}, covers{.covers_value_classes = true};
  EXPECT_TRUE(accepts(3, rf) && accepts(2, values) && accepts(2, covers) && accepts(3, covers));
  EXPECT_FALSE(accepts(2, rf) || accepts(4, rf) || accepts(1, values) || accepts(3, values) || accepts(1, covers));
  const CompareOptions within{.within_classes = true};
  EXPECT_TRUE(accepts(2, within) && accepts(6, within));
  EXPECT_FALSE(accepts(7, within));
  report["redundant"] = 1;
  EXPECT_FALSE(accepts(2, values) || accepts(3, rf));
}

TEST(Judge, AllowsASpinLoopToBlockAnExecution) {
  const Program program = with_threads({{}}, {{Store{0, Order::Relaxed, constant(1)}}, {Await{0, Order::Relaxed, 1}}});
  nlohmann::json report = honest_report(program, Model::Sc);
  report["executions"] = 1;
  report["blocked"] = 1;
  EXPECT_FALSE(judge(program, report, {.exact_classes = true}));
}

TEST(Reports, OfManyAreTakenApart) {
  const auto finding = [](const char* kind) { return nlohmann::json{{"kind", kind}}; };
  nlohmann::json all;
  all["findings"] = {finding("deadlock"), finding("assertion"), finding("data-race")};
  all["unconfirmed"] = nlohmann::json::array({finding("data-race")});
  const auto test = [](const char* name, std::vector<int> findings, std::vector<int> unconfirmed) {
    return nlohmann::json{{"name", name}, {"findings", findings}, {"unconfirmed", unconfirmed}, {"executions", 3}};
  };
  all["tests"] = {test("0", {0, 2}, {}), test("1", {1}, {0})};
  const auto reports = reports_in(all);
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[0].at("findings"), nlohmann::json({finding("deadlock"), finding("data-race")}));
  EXPECT_TRUE(reports[0].at("unconfirmed").empty());
  EXPECT_EQ(reports[1].at("findings"), nlohmann::json::array({finding("assertion")}));
  EXPECT_EQ(reports[1].at("unconfirmed").size(), 1u);
  EXPECT_EQ(reports[1].at("executions"), 3);
  EXPECT_TRUE(reports_in(nlohmann::json::parse("", nullptr, false)).empty());
}

TEST(Shrinking, LeavesOnlyWhatTheMismatchNeeds) {
  Program program = with_threads({{}, {}, {}}, {{Store{2, Order::Relaxed, constant(3)}, Store{0, Order::Relaxed, constant(1)},
                                                 If{{}, {Fence{}}, {Load{1, Order::Relaxed, 0}}}},
                                                {Lock{0}, Unlock{0}, Store{1, Order::Relaxed, constant(1)}, Load{0, Order::Relaxed, 0}},
                                                {Loop{{}, 2, {FetchAdd{2, Order::SeqCst, 0, constant(1)}}}}});
  program.mutexes = 1;
  const Program small = shrink(program, [](std::span<const Program> candidates) {
    std::vector<bool> differs;
    for (const Program& candidate : candidates)
      differs.push_back(interpret(candidate, Model::Sc).outcomes != interpret(candidate, Model::Tso).outcomes);
    return differs;
  });
  ASSERT_EQ(small.threads.size(), 3u);
  EXPECT_EQ(small.threads[1], (Block{Store{0, Order::Relaxed, constant(1)}, Load{1, Order::Relaxed, 0}}));
  EXPECT_EQ(small.threads[2], (Block{Store{1, Order::Relaxed, constant(1)}, Load{0, Order::Relaxed, 0}}));
}

TEST(Oracle, IncludesNothingOfTheEngine) {
  for (const auto& entry : std::filesystem::directory_iterator(ORACLE_SOURCES)) {
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);)
      if (line.starts_with("#include \"") && line != "#include \"treadle/treadle.h\"")  // which emitted programs include
        EXPECT_EQ(line.find('/'), std::string::npos) << entry.path() << ": " << line;
  }
}

}  // namespace
}  // namespace oracle

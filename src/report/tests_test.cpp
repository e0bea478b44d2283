// SPDX-License-Identifier: Apache-2.0
#include "report/tests.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/sv_witness.h"

namespace treadle {
namespace {

TestResult passed(const std::string& name) {
  TestResult test;
  test.name = name;
  test.result.strategy = "optimal";
  test.result.carrier = "reset";
  test.result.search.verdict = {VerdictKind::Clean, "all schedules"};
  test.result.search.tally.executions = 4;
  return test;
}

TestResult failed(const std::string& name) {
  TestResult test = passed(name);
  Found found;
  found.finding.kind = FindingKind::Assertion;
  found.finding.message = "the test fails: 1 < 2";
  found.finding.location = {"", "queue_test.cpp", 12};
  test.result.search.findings.push_back(found);
  test.result.search.verdict.kind = VerdictKind::Bugs;
  return test;
}

TestsResult some_tests() {
  TestsResult all;
  all.program = "/tmp/queue_test";
  all.subject = "./queue_test";
  all.framework = "GoogleTest";
  all.tests = {passed("Queue.KeepsOrder"), failed("Queue.KeepsBoth")};
  TestResult unfinished = passed("Pool.Grows");
  unfinished.result.search.verdict = {VerdictKind::Incomplete, "10 random schedules only"};
  all.tests.push_back(unfinished);
  TestResult broken = passed("Pool.Starts");
  broken.result.search.problem = Problem{"the program cannot be started", ""};
  broken.result.search.verdict.kind = VerdictKind::Incomplete;
  all.tests.push_back(broken);
  return all;
}

TEST(TestsReport, TellsOfEachTestInALineAndOfAllInOne) {
  const std::string text = text_report(some_tests(), {});
  EXPECT_NE(text.find("  clean       Queue.KeepsOrder  4 executions in 0.00 s: all schedules\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  failed      Queue.KeepsBoth   4 executions in 0.00 s: assertion at queue_test.cpp:12\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("4 tests: 1 failed, 1 error, 1 clean, 1 incomplete\n"), std::string::npos) << text;
}

TEST(TestsReport, IsATestCaseForEachTestInJUnit) {
  const std::string xml = junit_of(some_tests());
  EXPECT_NE(xml.find("tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\""), std::string::npos) << xml;
  EXPECT_NE(xml.find("classname=\"Queue\" name=\"KeepsBoth\""), std::string::npos) << xml;
  EXPECT_NE(xml.find("<failure type=\"assertion\" message=\"the test fails: 1 &lt; 2\">"), std::string::npos) << xml;
}

TEST(TestsReport, CountsFindingsOfAllTestsTogetherInJson) {
  const auto json = nlohmann::json::parse(json_of(some_tests()));
  EXPECT_EQ(json["verdict"], "bugs");
  EXPECT_EQ(json["executions"], 16);
  ASSERT_EQ(json["tests"].size(), 4u);
  EXPECT_EQ(json["tests"][1]["findings"], nlohmann::json::array({0}));
  EXPECT_EQ(json["findings"][0]["message"], "Queue.KeepsBoth: the test fails: 1 < 2");
  EXPECT_EQ(json["problem"], "Pool.Starts: the program cannot be started");
}

TEST(TestsReport, IsCleanOnlyWhenEachTestIs) {
  TestsResult all = some_tests();
  all.tests = {passed("A.A"), passed("A.B")};
  EXPECT_EQ(put_together(all).search.verdict.kind, VerdictKind::Clean);
  EXPECT_EQ(put_together(all).search.verdict.covers, "each of 2 tests: all schedules");
  all.tests.push_back(some_tests().tests[2]);
  EXPECT_EQ(put_together(all).search.verdict.kind, VerdictKind::Incomplete);
}

TEST(SvWitness, NamesInputsInOrderAndEndsWhereThePropertyIsViolated) {
  SvWitness witness;
  witness.sources = {{"a \"b\".c", std::string(64, '0')}};
  witness.property = "G ! call(reach_error())";
  witness.inputs = {{{"main", "a.c", 3}, "-1"}};
  witness.violation = {"main", "a.c", 9};
  const std::string yaml = yaml_of({witness});
  EXPECT_NE(yaml.find("      - \"a \\\"b\\\".c\"\n"), std::string::npos) << yaml;
  EXPECT_LT(yaml.find("value: \"\\\\result == -1\""), yaml.find("type: \"target\"")) << yaml;
  EXPECT_NE(yaml.find("line: 9\n"), std::string::npos) << yaml;
}

TEST(SvWitness, ExpressesOnlyWhatHasAProperty) {
  Finding finding;
  finding.kind = FindingKind::Deadlock;
  EXPECT_FALSE(sv_property(finding, TREADLE_END_DEADLOCK));
  finding.kind = FindingKind::Assertion;
  EXPECT_STREQ(*sv_property(finding, TREADLE_END_REACHED_ERROR), "G ! call(reach_error())");
  EXPECT_FALSE(sv_property(finding, TREADLE_END_ABORTED));
}

TEST(SvWitness, HasAUuidOfItsContent) {
  EXPECT_EQ(uuid_of("a"), uuid_of("a"));
  EXPECT_NE(uuid_of("a"), uuid_of("b"));
  EXPECT_EQ(uuid_of("a").size(), 36u);
}

}  // namespace
}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/dot.h"
#include "report/json.h"
#include "report/junit.h"
#include "report/sarif.h"
#include "report/text.h"

namespace treadle {
namespace {

SourceFrame frame(const char* function, unsigned line) { return {function, "src/bank.c", line, 3}; }

Found deadlock() {
  Found found;
  Finding& finding = found.finding;
  finding.kind = FindingKind::Deadlock;
  finding.message = "threads 0.1 and 0.2 wait for each other";
  finding.location = frame("transfer", 12);
  finding.parts = {{"0.1",
                    "waits for mutex b, held by 0.2",
                    "holds mutex a since bank.c:10",
                    {{frame("transfer", 12), frame("worker", 20)}},
                    UINT64_MAX},
                   {"0.2", "waits for mutex a, held by 0.1", "holds mutex b since bank.c:10", {{frame("transfer", 12)}}, UINT64_MAX}};
  finding.fingerprint = "deadlock bank.c:12";
  finding.confirmed = true;
  finding.witness_file = ".treadle/deadlock-0badcafe.witness";
  finding.execution = 7;
  found.story.threads = {"0", "0.1", "0.2"};
  found.story.lines = {{.thread = "0", .text = "create thread 0.1", .place = "bank.c:30"},
                       {.thread = "0.1", .text = "lock a", .place = "bank.c:10"},
                       {.thread = "0.1", .elided = 12},
                       {.thread = "0.2", .text = "read x = 1", .from = "from 0.1, bank.c:9", .place = "bank.c:11"},
                       {.elided = 3},
                       {.thread = "0.2", .text = "waits for mutex a, held by 0.1", .place = "bank.c:12", .key = true}};
  return found;
}

CheckResult result_with(std::vector<Found> findings) {
  CheckResult result;
  result.program = "/tmp/bank";
  result.subject = "bank.c";
  result.folder = "/home/me/bank";
  result.strategy = "exhaustive";
  result.carrier = "reset";
  result.search.findings = std::move(findings);
  result.search.verdict = {result.search.findings.empty() ? VerdictKind::Clean : VerdictKind::Bugs,
                           "all schedules under SC for these inputs"};
  result.search.tally.executions = 2000;
  result.search.tally.assumption_failed = 1;
  result.search.seconds = 0.5;
  return result;
}

TEST(TextReport, ShowsTheStepsInAColumnForEachThread) {
  EXPECT_EQ(columns_of(deadlock().story, {false, 100}),
            "    thread  0                     0.1                   0.2\n"
            "            create thread 0.1  bank.c:30\n"
            "                                  lock a  bank.c:10\n"
            "                                  … 12 more steps\n"
            "                                                        read x = 1 (from 0.1, bank.c:9)  bank.c:11\n"
            "            … 3 more steps\n"
            "          >                                             waits for mutex a, held by 0.1  bank.c:12\n");
}

TEST(TextReport, OfAFindingIsComplete) {
  const std::string text = text_of(deadlock(), {});
  EXPECT_EQ(text.substr(0, text.find("    thread  0")),
            "deadlock at bank.c:12\n"
            "  threads 0.1 and 0.2 wait for each other\n\n");
  EXPECT_EQ(text.substr(text.find("    thread 0.1")),
            "    thread 0.1 waits for mutex b, held by 0.2\n"
            "      holds mutex a since bank.c:10\n"
            "        #0 transfer  src/bank.c:12\n"
            "        #1 worker  src/bank.c:20\n"
            "    thread 0.2 waits for mutex a, held by 0.1\n"
            "      holds mutex b since bank.c:10\n"
            "        #0 transfer  src/bank.c:12\n"
            "\n"
            "  see it again: treadle replay .treadle/deadlock-0badcafe.witness\n");
}

TEST(TextReport, EndsWithTheVerdictAndWhatItCovers) {
  EXPECT_EQ(text_report(result_with({}), {}),
            "clean: nothing found\n"
            "  covers      all schedules under SC for these inputs\n"
            "  executions  2000 in 0.50 s (4000/s), strategy exhaustive, model sc, carrier reset\n"
            "  left out    1 execution in which an assumption of the program did not hold\n");
}

TEST(TextReport, HasNoEscapeSequencesUnlessColourIsAskedFor) {
  const CheckResult result = result_with({deadlock()});
  EXPECT_EQ(text_report(result, {false, 100}).find('\033'), std::string::npos);
  EXPECT_NE(text_report(result, {true, 100}).find('\033'), std::string::npos);
}

TEST(TextReport, TellsAFewOfManyFindingsAboutTheSameThingAndCountsTheOthers) {
  std::vector<Found> findings;
  for (unsigned line = 1; line <= 15; ++line) {
    Found race = deadlock();
    race.finding.kind = FindingKind::DataRace;
    race.finding.message = "data race on `x`: 0.2 reads it at bank.c:" + std::to_string(line);
    findings.push_back(race);
  }
  findings.push_back(deadlock());
  const std::string text = text_report(result_with(findings), {});
  const auto count = [&](const std::string& what) {
    std::size_t found = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("see it again"), 4u) << text;
  EXPECT_EQ(count("data race on `x`: 0.2 reads it at"), 10u) << text;
  EXPECT_NE(text.find("\nand 5 more: data race on `x`. --json lists them all"), std::string::npos) << text;
  EXPECT_NE(text.find("\n16. deadlock at"), std::string::npos) << "numbers are those of the machine formats\n" << text;
  EXPECT_NE(text.find("bugs: 16 findings"), std::string::npos) << text;
}

TEST(TextReport, ListsUnconfirmedOnesApart) {
  CheckResult result = result_with({});
  result.search.unconfirmed = {deadlock()};
  const std::string text = text_report(result, {});
  EXPECT_NE(text.find("unconfirmed: seen once"), std::string::npos);
  EXPECT_NE(text.find("clean: nothing found"), std::string::npos);
}

TEST(TextReport, ListsOutcomesWhenAsked) {
  CheckResult result = result_with({});
  result.with_outcomes = true;
  result.search.outcomes = {{{"r1", 0}, {"r2", -1}}, {}};
  const std::string text = text_report(result, {});
  EXPECT_NE(text.find("2 distinct outcomes\n  (nothing observed)\n  r1=0 r2=-1\n"), std::string::npos) << text;
}

TEST(ReplayCommand, CanBePasted) {
  Finding finding;
  EXPECT_EQ(replay_command(finding), "");
  finding.witness_file = "it's here/x.witness";
  EXPECT_EQ(replay_command(finding, " --leaks"), "treadle replay --leaks 'it'\\''s here/x.witness'");
}

TEST(Json, HasEveryFieldOfTheContract) {
  CheckResult result = result_with({deadlock()});
  result.search.outcomes = {{{"r1", 0}, {"r2", -1}}};
  const auto json = nlohmann::json::parse(json_of(result));
  EXPECT_EQ(json["version"], 1);
  EXPECT_EQ(json["verdict"], "bugs");
  EXPECT_EQ(json["covers"], "all schedules under SC for these inputs");
  EXPECT_EQ(json["strategy"], "exhaustive");
  EXPECT_EQ(json["model"], "sc");
  EXPECT_EQ(json["executions"], 2000);
  EXPECT_EQ(json["blocked"], 0);
  EXPECT_EQ(json["assumption_failed"], 1);
  EXPECT_EQ(json["seconds"], 0.5);
  EXPECT_EQ(json["executions_per_second"], 4000);
  for (const char* field : {"redundant", "paths"}) EXPECT_TRUE(json[field].is_number()) << field;
  for (const char* field : {"queries", "seconds", "reads", "constraints"}) EXPECT_EQ(json["solver"][field], 0) << field;
  EXPECT_EQ(json["outcomes"], nlohmann::json::parse(R"([{"r1": 0, "r2": -1}])"));
  ASSERT_EQ(json["findings"].size(), 1u);
  const auto& finding = json["findings"][0];
  EXPECT_EQ(finding["kind"], "deadlock");
  EXPECT_EQ(finding["message"], "threads 0.1 and 0.2 wait for each other");
  EXPECT_EQ(finding["location"]["file"], "src/bank.c");
  EXPECT_EQ(finding["location"]["line"], 12);
  EXPECT_EQ(finding["threads"][0]["thread"], "0.1");
  EXPECT_EQ(finding["threads"][0]["stack"][1]["function"], "worker");
  EXPECT_EQ(finding["witness"], ".treadle/deadlock-0badcafe.witness");
  EXPECT_EQ(finding["confirmed"], true);
  EXPECT_TRUE(json["unconfirmed"].empty());
}

TEST(Json, SurvivesNamesThatAreNotUtf8) {
  CheckResult result = result_with({deadlock()});
  result.search.findings[0].finding.message = "bad \xff byte";
  EXPECT_TRUE(nlohmann::json::accept(json_of(result)));
}

TEST(Sarif, HasAFlowForEachThreadInTheOrderOfTheInterleaving) {
  Found found = deadlock();
  found.story.lines[1].where = {"transfer", "/home/me/bank/src/bank.c", 10, 3};
  const auto sarif = nlohmann::json::parse(sarif_of(result_with({found})));
  const auto& run = sarif.at("runs").at(0);
  const auto& result = run.at("results").at(0);
  EXPECT_EQ(result.at("ruleId"), "deadlock");
  EXPECT_EQ(run.at("tool").at("driver").at("rules").at(result.at("ruleIndex").get<int>()).at("id"), "deadlock");
  const auto& flows = result.at("codeFlows").at(0).at("threadFlows");
  ASSERT_EQ(flows.size(), 3u);
  EXPECT_EQ(flows.at(1).at("id"), "0.1");
  const auto& lock = flows.at(1).at("locations").at(0);
  EXPECT_EQ(lock.at("executionOrder"), 2);
  EXPECT_EQ(lock.at("location").at("message").at("text"), "lock a");
  EXPECT_EQ(lock.at("location").at("physicalLocation").at("artifactLocation").at("uri"), "src/bank.c");
  EXPECT_EQ(flows.at(2).at("locations").back().at("importance"), "essential");
}

TEST(Sarif, OfAnythingIsUtf8AndItsPlacesAreUris) {
  Found found = deadlock();
  found.finding.message = "\xff\xfe";
  found.finding.location.file = "/tmp/a b#1.c";
  const auto sarif = nlohmann::json::parse(sarif_of(result_with({found})));
  const auto& where = sarif.at("runs").at(0).at("results").at(0).at("locations").at(0);
  EXPECT_EQ(where.at("physicalLocation").at("artifactLocation").at("uri"), "file:///tmp/a%20b%231.c");
}

TEST(JUnit, HasAFailedCaseForEachFinding) {
  const std::string xml = junit_of(result_with({deadlock()}));
  EXPECT_NE(xml.find("tests=\"1\" failures=\"1\" errors=\"0\" skipped=\"0\""), std::string::npos) << xml;
  EXPECT_NE(xml.find("<testcase classname=\"bank.c\" name=\"deadlock at bank.c:12\""), std::string::npos) << xml;
  EXPECT_NE(xml.find("see it again: treadle replay .treadle/deadlock-0badcafe.witness"), std::string::npos) << xml;
}

TEST(JUnit, DoesNotTakeAnIncompleteSearchForAPassedOne) {
  CheckResult result = result_with({});
  EXPECT_NE(junit_of(result).find("tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\""), std::string::npos);
  result.search.verdict.kind = VerdictKind::Incomplete;
  EXPECT_NE(junit_of(result).find("<skipped message=\"incomplete: all schedules"), std::string::npos);
  result.search.problem = Problem{"it <could> not", ""};
  EXPECT_NE(junit_of(result).find("<error message=\"it &lt;could&gt; not\"/>"), std::string::npos);
}

TEST(Dot, DrawsThreadsAndWhoReadFromWhom) {
  Trace trace;
  trace.threads = {{0, 0}, {0, 0}};
  const auto event = [](EventKind kind, std::uint8_t thread, std::uint64_t address, std::uint64_t value) {
    Event made{};
    made.kind = static_cast<std::uint8_t>(kind), made.thread = thread, made.size = 4, made.order = 5;
    made.address = address, made.value = value;
    return made;
  };
  trace.events = {event(TREADLE_EV_THREAD_CREATE, 0, 0, 1), event(TREADLE_EV_ATOMIC_WRITE, 0, 0x1000, 7),
                  event(TREADLE_EV_THREAD_START, 1, 0, 0), event(TREADLE_EV_ATOMIC_READ, 1, 0x1000, 7)};
  const std::string dot = dot_of(trace);
  EXPECT_NE(dot.find("e0 -> e1 [weight=10]"), std::string::npos) << dot;
  EXPECT_NE(dot.find("e0 -> e2 [label=\"sync\""), std::string::npos) << dot;
  EXPECT_NE(dot.find("e1 -> e3 [label=\"rf\""), std::string::npos) << dot;
}

}  // namespace
}  // namespace treadle

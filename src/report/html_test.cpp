// SPDX-License-Identifier: Apache-2.0
#include "report/html.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "finding/made_up_symbols.h"
#include "report/html_arrows.h"
#include "report/html_run.h"
#include "trace/made_up.h"

namespace treadle {
namespace {

using Json = nlohmann::json;

const HtmlModel::ReadSource main_c = [](const std::string&) -> HtmlModel::SourceText { return {"int x;\nint y;\n", false}; };

/// 0.1 writes a under the mutex m, 0.2 takes m and reads a, then reads e, which nobody wrote.
MadeUpTrace two_threads() {
  MadeUpTrace run;
  run.event(0, TREADLE_EV_THREAD_CREATE, 0, 1, 0, 3);
  run.event(0, TREADLE_EV_THREAD_CREATE, 0, 2, 0, 4);
  run.event(1, TREADLE_EV_THREAD_START, 0, 0, 0, 10);
  run.event(1, TREADLE_EV_LOCK, 'm', 1, 0, 11);
  run.event(1, TREADLE_EV_WRITE, 'a', 7, 0, 12, 4);
  run.event(1, TREADLE_EV_UNLOCK, 'm', 0, 0, 13);
  run.event(2, TREADLE_EV_LOCK, 'm', 1, 0, 21);
  run.event(2, TREADLE_EV_READ, 'a', 7, 0, 22, 4);
  run.event(2, TREADLE_EV_READ, 'e', 0, 0, 23, 4);
  run.event(2, TREADLE_EV_RMW, 'i', 4, 5, 24, 4, 5);
  run.end(TREADLE_END_ASSERTION, 2, 25, 0, 0, 0, "x != 7");
  return run;
}

Finding assertion() {
  Finding finding;
  finding.kind = FindingKind::Assertion;
  finding.message = "assertion failed: x != 7";
  finding.location = {"work", "/home/somebody/main.c", 25, 1};
  finding.parts = {{"0.2", "fails an assertion", "", {{finding.location}}, UINT64_MAX}};
  return finding;
}

Json run_of(const Finding& finding, const Trace& trace) {
  const MadeUpSymbols symbols;
  return Json::parse(html_run(finding, trace, symbols, [](const SourceFrame& frame) { return frame.file.empty() ? -1 : 0; }).json.dump());
}

std::string words_of(const Json& run, std::size_t row) {
  const Json& events = run["events"];
  const auto text = [&](const char* column) { return run["strings"][events[column][row].get<std::size_t>()].get<std::string>(); };
  return run["operations"][events["operation"][row].get<std::size_t>()]["text"].get<std::string>() + " " + text("object") + " " +
         text("value");
}

TEST(HtmlRun, HasARowForEachEventAndOneForTheEnd) {
  const Json run = run_of(assertion(), two_threads().trace);
  EXPECT_EQ(run["events"]["operation"].size(), 11u);
  EXPECT_EQ(words_of(run, 4), "write a 7");
  EXPECT_EQ(words_of(run, 10), std::string(text_of(TREADLE_END_ASSERTION)) + "  x != 7");
  EXPECT_EQ(run["named"], Json({10})) << "what the finding names without an event is the end";
}

TEST(HtmlRun, TellsFromWhereAReadHasItsValue) {
  const Json run = run_of(assertion(), two_threads().trace);
  EXPECT_EQ(run["events"]["source"][7], 3) << "three events back";
  EXPECT_EQ(run["events"]["source"][8], -1) << "the initial value";
  EXPECT_EQ(run["events"]["source"][4], 0) << "not a read";
}

TEST(HtmlRun, TellsWhatAnExchangeLeavesBehind) {
  const Json run = run_of(assertion(), two_threads().trace);
  ASSERT_EQ(run["events"]["left"].size(), 2u);
  EXPECT_EQ(run["events"]["left"][0], 9);
  EXPECT_EQ(run["strings"][run["events"]["left"][1].get<std::size_t>()], "5");
}

TEST(HtmlRun, ShowsLocksFromWhereTheyAreTakenToWhereTheyAreGivenBack) {
  const Json run = run_of(assertion(), two_threads().trace);
  ASSERT_EQ(run["locks"].size(), 2u);
  EXPECT_EQ(run["locks"][0], Json({1, run["locks"][0][1], 3, 5, 0}));
  EXPECT_EQ(run["locks"][1][3], -1) << "held to the end";
}

TEST(HtmlRun, ShowsAStoreBetweenItsThreadAndMemory) {
  MadeUpTrace made;
  made.event(0, TREADLE_EV_WRITE, 'x', 1, 0, 5, 4, TREADLE_ORDER_BUFFERED);
  made.event(0, TREADLE_EV_WRITE, 'y', 1, 0, 6, 4, TREADLE_ORDER_BUFFERED);
  made.event(0, TREADLE_EV_FLUSH, 'x', 1, 0, 5, 4, TREADLE_ORDER_BUFFERED);
  made.end(TREADLE_END_COMPLETED);
  const Json run = run_of(assertion(), made.trace);
  EXPECT_EQ(run["buffers"], Json({{0, 2}, {1, -1}}));
  EXPECT_EQ(run["events"]["buffered"], Json({0, 1}));
}

TEST(HtmlRun, EndsWithWhoWaitsForWhomWhenNobodyCanGoOn) {
  MadeUpTrace made;
  made.event(1, TREADLE_EV_LOCK, 'a', 1, 0, 11);
  made.event(2, TREADLE_EV_LOCK, 'b', 1, 0, 21);
  made.blocked(1, TREADLE_EV_LOCK, 'b', 12);
  made.blocked(2, TREADLE_EV_LOCK, 'a', 22);
  made.end(TREADLE_END_DEADLOCK, 2, 22);
  Finding finding = assertion();
  finding.parts = {{"0.1", "waits", "", {}, UINT64_MAX}, {"0.2", "waits", "", {}, UINT64_MAX}};
  const Json run = run_of(finding, made.trace);
  EXPECT_EQ(words_of(run, 2), "blocked in lock b held by 0.2");
  EXPECT_EQ(words_of(run, 3), "blocked in lock a held by 0.1");
  EXPECT_EQ(run["named"], Json({2, 3}));
}

TEST(HtmlRun, OfATooLongExecutionShowsWhatLeadsToTheEnd) {
  MadeUpTrace made;
  for (std::uint64_t i = 0; i < html_most_events + 10; ++i) made.event(0, TREADLE_EV_WRITE, 'x', i, 0, 5, 8);
  made.event(0, TREADLE_EV_READ, 'x', html_most_events + 9, 0, 6, 8);
  made.end(TREADLE_END_ASSERTION, 0, 7);
  Finding finding = assertion();
  finding.parts.front().thread = "0";
  const Json run = run_of(finding, made.trace);
  EXPECT_EQ(run["left_out"], Json({11, 0}));
  EXPECT_EQ(run["events"]["operation"].size(), html_most_events + 1);
  EXPECT_EQ(run["events"]["source"][html_most_events - 1], 1);
}

TEST(HtmlArrows, LeadFromWhatLetAnOperationGoOn) {
  const MadeUpTrace run = two_threads();
  EXPECT_EQ(synchronisation_arrows(run.trace, ReadsFrom(run.trace)), (std::vector<Arrow>{{0, 2}, {5, 6}}));
}

TEST(HtmlArrows, LeadFromAReleaseToTheAcquireThatReadIt) {
  MadeUpTrace run;
  run.event(1, TREADLE_EV_ATOMIC_WRITE, 'x', 1, 0, 5, 4, 3);
  run.event(2, TREADLE_EV_ATOMIC_READ, 'x', 1, 0, 6, 4, 2);
  run.event(2, TREADLE_EV_ATOMIC_READ, 'x', 1, 0, 7, 4, 0);
  EXPECT_EQ(synchronisation_arrows(run.trace, ReadsFrom(run.trace)), (std::vector<Arrow>{{0, 1}}));
}

TEST(HtmlArrows, LeadFromASignalToWhomItWoke) {
  MadeUpTrace run;
  run.event(1, TREADLE_EV_COND_WAIT, 'c', 'm');
  run.event(2, TREADLE_EV_LOCK, 'm', 1);
  run.event(2, TREADLE_EV_COND_SIGNAL, 'c', 2);
  run.event(1, TREADLE_EV_COND_WOKEN, 'c', 'm');
  EXPECT_EQ(synchronisation_arrows(run.trace, ReadsFrom(run.trace)), (std::vector<Arrow>{{0, 1}, {2, 3}}));
}

TEST(HtmlModel, CarriesTheResultTheFindingsAndTheirSources) {
  const MadeUpSymbols symbols;
  HtmlModel model("/tmp/bank", symbols, main_c);
  model.add(assertion(), two_threads().trace, "treadle replay x.witness");
  const HtmlDocument document = model.finish("{\"verdict\": \"bugs\"}");
  const Json json = Json::parse(document.model);
  EXPECT_EQ(json["version"], html_model_version);
  EXPECT_EQ(json["result"]["verdict"], "bugs");
  EXPECT_EQ(json["findings"][0]["replay"], "treadle replay x.witness");
  EXPECT_EQ(json["findings"][0]["parts"][0]["event"], 10);
  EXPECT_EQ(json["files"], Json({{{"path", "/home/somebody/main.c"}, {"text", "int x;\nint y;\n"}, {"newer", false}}}));
  EXPECT_EQ(document.runs.size(), 1u);
  EXPECT_EQ(document.title, "bank");
}

TEST(HtmlPage, IsNotEndedByWhatIsInIt) {
  HtmlDocument document;
  document.title = "</title><script>";
  document.model = "{\"program\":\"</script><script>alert(1)</script>\"}";
  const std::string page = html_page(document);
  EXPECT_EQ(page.find("alert(1)</script>"), std::string::npos);
  EXPECT_EQ(page.find("</title><script>"), std::string::npos);
  EXPECT_NE(page.find("\\u003c/script>"), std::string::npos);
}

TEST(HtmlPage, FetchesNothing) {
  const std::string page = html_page({});
  for (const char* from : {"src=", "href=", "@import", "url(http", "fetch("}) EXPECT_EQ(page.find(from), std::string::npos) << from;
}

}  // namespace
}  // namespace treadle

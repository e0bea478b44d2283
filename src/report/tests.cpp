// SPDX-License-Identifier: Apache-2.0
#include "report/tests.h"

#include <fmt/format.h>

#include <algorithm>

#include "finding/verdict.h"
#include "report/json.h"
#include "report/json_parts.h"
#include "report/junit.h"
#include "report/sarif.h"

namespace treadle {
namespace {

using Json = nlohmann::ordered_json;

const char* word_for(const SearchResult& search) {
  if (!search.findings.empty()) return "failed";
  if (search.problem) return "error";
  return search.verdict.kind == VerdictKind::Clean ? "clean" : "incomplete";
}

std::size_t count_of(const TestsResult& all, std::string_view word) {
  return static_cast<std::size_t>(
      std::ranges::count_if(all.tests, [&](const TestResult& test) { return word == word_for(test.result.search); }));
}

/// "3 tests: 1 failed, 2 clean".
std::string tally_of(const TestsResult& all) {
  std::string text;
  for (const char* word : {"failed", "error", "clean", "incomplete"})
    if (const std::size_t count = count_of(all, word)) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, word);
  return fmt::format("{} test{}{}{}", all.tests.size(), all.tests.size() == 1 ? "" : "s", text.empty() ? "" : ": ", text);
}

std::string sentence_for(const SearchResult& search) {
  if (search.problem && search.findings.empty()) return search.problem->sentence;
  if (search.findings.empty()) return search.verdict.covers;
  std::string text;
  for (const Found& found : search.findings) {
    const std::string place = text_of(found.finding.location);
    text += (text.empty() ? "" : ", ") + std::string(text_of(found.finding.kind)) + (place == "??" ? "" : " at " + place);
  }
  return text;
}

std::string table_of(const TestsResult& all, const TextStyle& style) {
  const auto painted = [&](const char* word) {
    const char* code = std::string_view(word) == "clean" ? "1;32" : std::string_view(word) == "incomplete" ? "1;33" : "1;31";
    const std::string padded = fmt::format("{:<10}", word);
    return style.colour ? fmt::format("\033[{}m{}\033[0m", code, padded) : padded;
  };
  std::size_t width = 0;
  for (const TestResult& test : all.tests) width = std::max(width, std::min<std::size_t>(test.name.size(), 48));
  std::string text;
  for (const TestResult& test : all.tests) {
    const SearchResult& search = test.result.search;
    text += fmt::format("  {}  {:<{}}  {} executions in {:.2f} s: {}\n", painted(word_for(search)), test.name, width, search.executions(),
                        search.seconds, sentence_for(search));
  }
  return text;
}

std::string class_of(const TestsResult& all, const TestResult& test) {
  const std::size_t dot = test.name.find('.');
  return all.framework == "GoogleTest" && dot != std::string::npos ? test.name.substr(0, dot) : all.subject;
}

std::string case_of(const TestsResult& all, const TestResult& test) {
  const SearchResult& search = test.result.search;
  const std::string suite = class_of(all, test);
  const std::string name = test.name.starts_with(suite + ".") ? test.name.substr(suite.size() + 1) : test.name;
  std::string inside;
  if (!search.findings.empty()) {
    std::string details;
    for (const Found& found : search.findings) details += text_of(found, {}, all.replay_options) + "\n";
    const Finding& first = search.findings.front().finding;
    inside = fmt::format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n", text_of(first.kind), xml_escaped(first.message),
                         xml_escaped(details));
  } else if (search.problem) {
    inside = fmt::format("      <error message=\"{}\"/>\n", xml_escaped(search.problem->sentence));
  } else if (search.verdict.kind == VerdictKind::Incomplete) {
    inside = fmt::format("      <skipped message=\"{}\"/>\n", xml_escaped("incomplete: " + search.verdict.covers));
  }
  return fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">\n{}    </testcase>\n", xml_escaped(suite),
                     xml_escaped(name), search.seconds, inside);
}

std::string covered_by(const TestsResult& all) {
  const bool same = std::ranges::all_of(all.tests, [&](const TestResult& test) {
    return test.result.search.verdict.covers == all.tests.front().result.search.verdict.covers;
  });
  if (all.tests.empty()) return "no test";
  const std::string& covers = all.tests.front().result.search.verdict.covers;
  if (all.tests.size() == 1) return covers;
  return same ? fmt::format("each of {} tests: {}", all.tests.size(), covers)
              : fmt::format("{} tests, each as far as its own result says", all.tests.size());
}

}  // namespace

CheckResult put_together(const TestsResult& all) {
  CheckResult sum;
  if (!all.tests.empty()) sum = all.tests.front().result;  // model, carrier, jobs
  sum.search = {};
  sum.phases.clear();
  sum.program = all.program;
  sum.subject = all.subject;
  sum.folder = all.folder;
  for (const TestResult& test : all.tests) {
    const SearchResult& one = test.result.search;
    sum.search.tally.add(one.tally);
    sum.search.counts.blocked += one.counts.blocked;
    sum.search.counts.redundant += one.counts.redundant;
    sum.search.seconds += one.seconds;
    sum.search.outcomes.insert(one.outcomes.begin(), one.outcomes.end());
    if (test.result.strategy != sum.strategy) sum.strategy = "auto";
    if (one.problem && !sum.search.problem) sum.search.problem = Problem{test.name + ": " + one.problem->sentence, one.problem->hint};
    for (const auto& [from, to] : {std::pair{&one.findings, &sum.search.findings}, std::pair{&one.unconfirmed, &sum.search.unconfirmed}})
      for (Found found : *from) {
        found.finding.message = test.name + ": " + found.finding.message;
        to->push_back(std::move(found));
      }
  }
  const bool clean = std::ranges::all_of(all.tests, [](const TestResult& test) {
    return test.result.search.verdict.kind == VerdictKind::Clean && !test.result.search.problem;
  });
  sum.search.verdict = {!sum.search.findings.empty() ? VerdictKind::Bugs
                        : clean                      ? VerdictKind::Clean
                                                     : VerdictKind::Incomplete,
                        covered_by(all)};
  return sum;
}

std::string text_report(const TestsResult& all, const TextStyle& style) {
  std::string text;
  std::size_t number = 0;
  for (const TestResult& test : all.tests)
    for (const Found& found : test.result.search.findings)
      text += fmt::format("{}. test {}\n{}\n", ++number, test.name, text_of(found, style, all.replay_options));
  for (const TestResult& test : all.tests)
    for (const Found& found : test.result.search.unconfirmed)
      text += fmt::format("unconfirmed, in {}: {}: {}\n", test.name, text_of(found.finding.kind), found.finding.message);
  return text + fmt::format("{} tests of {}\n{}{}\n", all.framework == "listed" ? "Listed" : all.framework, all.subject,
                            table_of(all, style), tally_of(all));
}

std::string json_of(const TestsResult& all) {
  Json document = Json::parse(json_of(put_together(all)));
  Json tests = Json::array();
  std::size_t next = 0, next_unconfirmed = 0;
  for (const TestResult& test : all.tests) {
    const SearchResult& search = test.result.search;
    Json findings = Json::array(), unconfirmed = Json::array();
    for (std::size_t i = 0; i < search.findings.size(); ++i) findings.push_back(next++);
    for (std::size_t i = 0; i < search.unconfirmed.size(); ++i) unconfirmed.push_back(next_unconfirmed++);
    tests.push_back({{"name", test.name},
                     {"verdict", text_of(search.verdict.kind)},
                     {"covers", search.verdict.covers},
                     {"strategy", test.result.strategy},
                     {"executions", search.executions()},
                     {"blocked", search.counts.blocked},
                     {"redundant", search.counts.redundant},
                     {"seconds", search.seconds},
                     {"findings", std::move(findings)},
                     {"unconfirmed", std::move(unconfirmed)},
                     {"outcomes", json_part(search.outcomes)},
                     {"problem", search.problem ? Json(search.problem->sentence) : Json(nullptr)}});
  }
  document["framework"] = all.framework;
  document["tests"] = std::move(tests);
  return dumped(document);
}

std::string junit_of(const TestsResult& all) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  text += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\">\n",
                      xml_escaped("treadle check " + all.subject), all.tests.size(), count_of(all, "failed"), count_of(all, "error"),
                      count_of(all, "incomplete"), put_together(all).search.seconds);
  for (const TestResult& test : all.tests) text += case_of(all, test);
  return text + "  </testsuite>\n</testsuites>\n";
}

std::string sarif_of(const TestsResult& all) { return sarif_of(put_together(all)); }

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
#include "report/junit.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "finding/verdict.h"
#include "report/text.h"

namespace treadle {
namespace {

std::string failing_case(const Found& found, const CheckResult& result) {
  const Finding& finding = found.finding;
  const std::string place = text_of(finding.location);
  const std::string name = text_of(finding.kind) + (place == "??" ? std::string() : " at " + place);
  return fmt::format(
      "    <testcase classname=\"{}\" name=\"{}\" file=\"{}\" line=\"{}\" time=\"0\">\n"
      "      <failure type=\"{}\" message=\"{}\">{}</failure>\n"
      "    </testcase>\n",
      xml_escaped(result.subject), xml_escaped(name), xml_escaped(finding.location.file), finding.location.line, text_of(finding.kind),
      xml_escaped(finding.message), xml_escaped(text_of(found, {}, result.replay_options)));
}

/// Not clean is not passed: a search that did not come to its end is skipped, one that could not be made is an error.
std::string verdict_case(const CheckResult& result) {
  const SearchResult& search = result.search;
  std::string inside;
  if (search.problem)
    inside = fmt::format("      <error message=\"{}\"/>\n", xml_escaped(search.problem->sentence));
  else if (search.verdict.kind == VerdictKind::Incomplete)
    inside = fmt::format("      <skipped message=\"{}\"/>\n", xml_escaped("incomplete: " + search.verdict.covers));
  return fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">\n{}    </testcase>\n", xml_escaped(result.subject),
                     xml_escaped(search.verdict.covers), search.seconds, inside);
}

}  // namespace

std::string xml_escaped(const std::string& text) {
  // The library makes UTF-8 of anything.
  const nlohmann::json clean = nlohmann::json::parse(nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  std::string out;
  for (const char c : clean.get<std::string>()) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' ? '?' : c;
    }
  }
  return out;
}

std::string junit_of(const CheckResult& result) { return junit_of(result, "check"); }

std::string junit_of(const CheckResult& result, const std::string& command) {
  const SearchResult& search = result.search;
  const bool found = !search.findings.empty();
  const std::size_t cases = found ? search.findings.size() : 1;
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  text += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\">\n",
                      xml_escaped("treadle " + command + " " + result.subject), cases + (found && search.problem ? 1 : 0),
                      search.findings.size(), search.problem ? 1 : 0,
                      !found && !search.problem && search.verdict.kind == VerdictKind::Incomplete ? 1 : 0, search.seconds);
  for (const Found& one : search.findings) text += failing_case(one, result);
  if (!found || search.problem) text += verdict_case(result);
  return text + "  </testsuite>\n</testsuites>\n";
}

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
#include "judge.h"

#include <regex>
#include <string_view>

#include "emit_c.h"

namespace oracle {
namespace {

/// Without "end" main did not reach it, and what was told says nothing.
bool reached_its_end(const nlohmann::json& outcome) { return outcome.contains("end"); }

Path path_of(const nlohmann::json& outcome) {
  Path path;
  for (int t = 0; t < kMaxThreads; ++t)
    for (int n = 0; outcome.contains(mark_name(t, n)); ++n) path[std::size_t(t)] += char('0' + outcome.at(mark_name(t, n)).get<int>());
  return path;
}

void add_finding(const nlohmann::json& finding, const std::string& prefix, Reported& reported) {
  const std::string kind = finding.at("kind"), message = finding.at("message");
  if (kind == "assertion") {
    std::smatch label;
    if (std::regex_search(message, label, std::regex(prefix + "(t[0-9]+a[0-9]+)")))
      reported.failing.insert(label[1]);
    else
      reported.other.push_back("assertion without a label: " + message);
  } else if (kind == "deadlock" || kind == "lost-wakeup" || kind == "livelock") {
    reported.stuck = true;
  } else if (kind != "data-race") {
    reported.other.push_back(kind + ": " + message);
  }
}

template <class Set, class Text>
void list(const char* head, const Set& some, const Set& others, Text text, std::string& all) {
  for (const auto& one : some)
    if (!others.contains(one)) all += std::string("  ") + head + text(one) + "\n";
}

std::string about_counts(const Reported& reported, const Paths& paths) {
  const std::uint64_t most = paths.completed.size() + paths.stuck.size() + paths.failed.size();
  std::string all;
  if (reported.executions > most)
    all += "  " + std::to_string(reported.executions) + " executions for " + std::to_string(most) + " paths\n";
  for (const std::string& path : reported.repeated) all += "  executed twice: " + path + "\n";
  return all;
}

}  // namespace

void add_report(const nlohmann::json& report, const std::string& prefix, Reported& reported) {
  for (const nlohmann::json& outcome : report.at("outcomes"))
    if (reached_its_end(outcome)) reported.completed.insert(path_of(outcome));
  for (const nlohmann::json& finding : report.at("findings")) add_finding(finding, prefix, reported);
  reported.runs += report.at("executions").get<std::uint64_t>();
  reported.executions += report.at("executions").get<std::uint64_t>() - report.value("assumption_failed", std::uint64_t{0});
  // With assumptions that no input given fulfils nothing is checked, and that is complete.
  const std::string covers = report.at("covers");
  if (report.at("verdict") == "incomplete" && covers.find("did the program's assumptions hold") == std::string::npos)
    reported.unfinished = covers;
  for (const std::string_view said : {"not what follows ", "an order that should have been possible was not"})
    if (const auto at = covers.find(said); at != std::string::npos)
      reported.no_model = covers.substr(at, covers.find_first_of(",;", at) - at);
  const nlohmann::json paths = report.value("path_list", nlohmann::json());
  std::set<std::string> listed;
  for (const nlohmann::json& path : paths.is_object() ? paths.at("paths") : nlohmann::json::array()) {
    if (!path.at("counts").get<bool>()) continue;  // who waits for ever may do so at several places on the same way
    if (const std::string text = path.at("threads").dump(); !listed.insert(text).second) reported.repeated.push_back(text);
  }
}

std::string differences(const Reported& reported, const Paths& paths, Promises promises) {
  std::string all;
  const auto path_text = [](const Path& path) { return to_string(path); };
  const auto same = [](const std::string& text) { return text; };
  if (promises.complete && reported.no_model.empty()) {
    list("missing path ", paths.completed, reported.completed, path_text, all);
    list("missing assertion ", paths.failing, reported.failing, same, all);
    if (!paths.stuck.empty() && !reported.stuck) all += "  missing deadlock\n";
    if (!reported.unfinished.empty()) all += "  unfinished: " + reported.unfinished + "\n";
  }
  list("impossible path ", reported.completed, paths.completed, path_text, all);
  list("impossible assertion ", reported.failing, paths.failing, same, all);
  if (paths.stuck.empty() && reported.stuck) all += "  impossible deadlock\n";
  for (const std::string& one : reported.other) all += "  " + one + "\n";
  if (promises.each_once) all += about_counts(reported, paths);
  return all;
}

}  // namespace oracle

// SPDX-License-Identifier: Apache-2.0
#include "report/sarif.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "finding/verdict.h"

namespace treadle {
namespace {

using Json = nlohmann::ordered_json;

struct Rule {
  FindingKind kind;
  const char* id;
  const char* says;
};

constexpr Rule rules[] = {
#define X(name, text) {FindingKind::name, text, #name},
    TREADLE_FINDING_KINDS(X)
#undef X
};

/// One sentence for each kind, as the list of rules of a review tool shows it.
const char* description_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::Assertion:
      return "An assertion fails, or the program reaches what it says cannot be reached.";
    case FindingKind::Crash:
      return "The program is killed by a signal or aborts.";
    case FindingKind::DataRace:
      return "Two threads access the same memory, one of them writes, and nothing orders them.";
    case FindingKind::Deadlock:
      return "Threads wait for each other, or for something that never comes.";
    case FindingKind::LostWakeup:
      return "A thread waits for a signal that was given before it waited.";
    case FindingKind::Livelock:
      return "Threads run in circles without end.";
    case FindingKind::Misuse:
      return "A synchronisation object is used in a way that its rules forbid.";
    case FindingKind::Atomicity:
      return "What was meant to be one step is interrupted in a way that no order of whole steps explains.";
    case FindingKind::Leak:
      return "Memory, a thread or a lock is left behind at exit.";
    case FindingKind::UseAfterFree:
      return "Memory is used after it was freed, or outside its block.";
    case FindingKind::UncaughtException:
      return "An exception leaves a thread.";
    case FindingKind::NullDereference:
      return "A null pointer is followed.";
    case FindingKind::Nondeterminism:
      return "The program depends on something besides its schedule and inputs.";
  }
  return "";
}

const char* level_of(FindingKind kind) { return kind == FindingKind::Leak || kind == FindingKind::Nondeterminism ? "warning" : "error"; }

/// RFC 3986: a path as a URI reference; an absolute one becomes file://.
std::string uri_of(const std::string& path) {
  std::string out = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/+").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

/// Renders places relative to the folder that the user stands in, as tools that look at a repository want them.
class Sarif {
 public:
  Sarif(const CheckResult& result, const std::string& folder) : result_(result), folder_(folder.ends_with('/') ? folder : folder + "/") {}
  Json log() const;

 private:
  Json artifact_of(const std::string& file) const;
  Json location_of(const SourceFrame& frame, const std::string& message = "") const;
  Json thread_flows_of(const Story& story) const;
  Json stack_of(const Part& part) const;
  Json result_of(const Found& found) const;

  const CheckResult& result_;
  std::string folder_;
};

Json Sarif::artifact_of(const std::string& file) const {
  if (!file.starts_with(folder_)) return {{"uri", uri_of(file)}};
  return {{"uri", uri_of(file.substr(folder_.size()))}, {"uriBaseId", "SRCROOT"}};
}

Json Sarif::location_of(const SourceFrame& frame, const std::string& message) const {
  Json location = Json::object();
  if (!frame.file.empty()) {
    Json physical = {{"artifactLocation", artifact_of(frame.file)}};
    if (frame.line > 0) {
      Json region = {{"startLine", frame.line}};
      if (frame.column > 0) region["startColumn"] = frame.column;
      physical["region"] = std::move(region);
    }
    location["physicalLocation"] = std::move(physical);
  }
  if (!frame.function.empty() && frame.function != "??")
    location["logicalLocations"] = {{{"fullyQualifiedName", frame.function}, {"kind", "function"}}};
  if (!message.empty()) location["message"] = {{"text", message}};
  return location;
}

/// One flow for each thread; executionOrder says how they were interleaved.
Json Sarif::thread_flows_of(const Story& story) const {
  Json flows = Json::array();
  for (const std::string& thread : story.threads) {
    Json steps = Json::array();
    for (std::size_t i = 0; i < story.lines.size(); ++i) {
      const StoryLine& line = story.lines[i];
      if (line.thread != thread || line.elided != 0) continue;
      const std::string text = line.from.empty() ? line.text : fmt::format("{} ({})", line.text, line.from);
      steps.push_back(
          {{"location", location_of(line.where, text)}, {"executionOrder", i + 1}, {"importance", line.key ? "essential" : "important"}});
    }
    if (!steps.empty()) flows.push_back({{"id", thread}, {"message", {{"text", "thread " + thread}}}, {"locations", std::move(steps)}});
  }
  return flows;
}

Json Sarif::stack_of(const Part& part) const {
  Json frames = Json::array();
  for (const SourceFrame& frame : part.where.frames) frames.push_back({{"location", location_of(frame)}});
  return {{"message", {{"text", fmt::format("thread {} {}", part.thread, part.does)}}}, {"frames", std::move(frames)}};
}

Json Sarif::result_of(const Found& found) const {
  const Finding& finding = found.finding;
  Json out = {{"ruleId", text_of(finding.kind)},
              {"ruleIndex", static_cast<int>(finding.kind)},
              {"level", level_of(finding.kind)},
              {"message", {{"text", finding.message.empty() ? description_of(finding.kind) : finding.message}}},
              {"locations", Json::array({location_of(finding.location)})},
              {"partialFingerprints", {{"treadle/v1", finding.fingerprint}}}};
  Json related = Json::array(), stacks = Json::array();
  for (const Part& part : finding.parts) {
    if (part.where.frames.empty()) continue;
    related.push_back(location_of(user_frame(part.where), fmt::format("thread {} {}", part.thread, part.does)));
    stacks.push_back(stack_of(part));
  }
  if (!related.empty()) out["relatedLocations"] = std::move(related), out["stacks"] = std::move(stacks);
  if (Json flows = thread_flows_of(found.story); !flows.empty())
    out["codeFlows"] = {{{"message", {{"text", "the failing interleaving"}}}, {"threadFlows", std::move(flows)}}};
  out["properties"] = {
      {"confirmed", finding.confirmed}, {"execution", finding.execution}, {"replay", replay_command(finding, result_.replay_options)}};
  return out;
}

Json driver() {
  Json all = Json::array();
  for (const Rule& rule : rules)
    all.push_back({{"id", rule.id},
                   {"name", rule.says},
                   {"shortDescription", {{"text", description_of(rule.kind)}}},
                   {"defaultConfiguration", {{"level", level_of(rule.kind)}}}});
  return {{"name", "Treadle"}, {"semanticVersion", TREADLE_VERSION}, {"rules", std::move(all)}};
}

Json invocation_of(const CheckResult& result) {
  const SearchResult& search = result.search;
  Json out = {{"executionSuccessful", !search.problem}};
  if (search.problem) out["toolExecutionNotifications"] = {{{"level", "error"}, {"message", {{"text", search.problem->sentence}}}}};
  return out;
}

Json Sarif::log() const {
  const SearchResult& search = result_.search;
  Json results = Json::array();
  for (const Found& found : search.findings) results.push_back(result_of(found));
  const Json run = {{"tool", {{"driver", driver()}}},
                    {"invocations", Json::array({invocation_of(result_)})},
                    {"originalUriBaseIds", {{"SRCROOT", {{"uri", uri_of(folder_)}}}}},
                    {"results", std::move(results)},
                    {"columnKind", "utf16CodeUnits"},
                    {"properties",
                     {{"program", result_.program},
                      {"verdict", text_of(search.verdict.kind)},
                      {"covers", search.verdict.covers},
                      {"strategy", result_.strategy},
                      {"model", text_of(result_.model)},
                      {"executions", search.executions()}}}};
  return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}, {"runs", Json::array({run})}};
}

}  // namespace

std::string sarif_of(const CheckResult& result) {
  // A program may name things with any bytes; JSON is UTF-8.
  return Sarif(result, result.folder).log().dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace treadle

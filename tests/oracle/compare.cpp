// SPDX-License-Identifier: Apache-2.0
#include "compare.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>
#include <stdexcept>

#include "classes.h"
#include "emit_c.h"
#include "interpret.h"
#include "process.h"
#include "races.h"

namespace oracle {
namespace {

using Names = std::set<std::string>;

// Everything an execution can show, in words: outcomes, and that it gets stuck or fails.
Names possible(const Program& program, const Interpretation& all) {
  Names names;
  for (const Outcome& outcome : all.outcomes)
    if (!outcome.empty()) names.insert(to_string(named(program, outcome)));
  if (all.deadlocks) names.insert("(stuck)");
  if (all.fails) names.insert("(assertion)");
  return names;
}

Names reported(const nlohmann::json& report, const std::string& races, bool& raced) {
  Names names;
  for (const auto& outcome : report.at("outcomes")) {
    const auto values = outcome.get<std::map<std::string, int>>();
    if (!values.empty()) names.insert(to_string(values));  // an execution that did not reach its end observes nothing
  }
  for (const auto& finding : report.at("findings")) {
    const std::string kind = finding.at("kind");
    if (kind == "deadlock" || kind == "lost-wakeup" || kind == "livelock")
      names.insert("(stuck)");
    else if (kind == "assertion")
      names.insert("(assertion)");
    else if (kind == "data-race" && races != "ignore")
      raced = true;  // judged apart
    else
      names.insert("(" + kind + ": " + finding.value("message", "") + ")");
  }
  return names;
}

std::vector<std::string> minus(const Names& a, const Names& b) {
  std::vector<std::string> difference;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(difference));
  return difference;
}

struct Promise {
  TellApart by;
  bool at_least, at_most;
  bool exact() const { return at_least && at_most; }
};

// Empty, or how the number of executions differs from what the strategy promises.
std::string about_classes(const Program& program, std::uint64_t executions, const CompareOptions& options, bool visible, Promise promise) {
  if (!promise.at_least && !promise.at_most) return "";
  const Classes classes = count_classes(program, {options.model, visible, promise.by});
  if (!classes.complete) return "";
  const bool too_many = promise.at_most && executions > classes.all();
  // Where the other threads stood when an assertion failed tells classes apart, but nobody: not every one of those needs an execution.
  const bool too_few = promise.at_least && executions < classes.completed + classes.stuck + (promise.exact() && classes.failed > 0 ? 1 : 0);
  // An assertion can fail while another thread is in the middle of a round of its spin loop; whether that round counts is a matter of
  // taste.
  const bool ambiguous = spins(program) && classes.failed > 0;
  if ((!too_many && !too_few) || ambiguous) return "";
  return std::to_string(executions) + " executions for " + std::to_string(classes.all()) + " " + text_of(promise.by) + " classes (" +
         std::to_string(classes.completed) + " complete, " + std::to_string(classes.stuck) + " get stuck, " +
         std::to_string(classes.failed) + " fail)";
}

std::string about_executions(const Program& program, const nlohmann::json& report, const CompareOptions& options, bool visible) {
  const bool exact = options.exact_classes;
  const Promise promises[] = {
      {TellApart::Order, options.covers_classes || exact, options.within_classes || exact},
      {TellApart::ReadsFrom, options.exact_rf_classes, options.exact_rf_classes},
      {TellApart::Values, options.covers_value_classes || options.exact_value_classes, options.exact_value_classes},
  };
  // What a spin loop waits for is found out by spinning once, in an execution that then differs from another by a round that led nowhere.
  const std::uint64_t blocked = report.value("blocked", 0), redundant = report.value("redundant", 0);
  const bool may_repeat = spins(program) && !exact;
  const std::uint64_t all = report.at("executions").get<std::uint64_t>();
  for (const Promise& promise : promises) {
    // An execution that says itself that it repeats another stands for no class.
    const bool only_covers = promise.at_least && !promise.at_most;
    const std::string trouble = about_classes(program, all - (may_repeat || only_covers ? redundant : 0), options, visible, promise);
    if (!trouble.empty()) return trouble;
  }
  if (std::none_of(std::begin(promises), std::end(promises), [](const Promise& promise) { return promise.exact(); })) return "";
  if ((blocked > 0 && !spins(program)) || (redundant > 0 && !may_repeat))
    return std::to_string(blocked) + " blocked and " + std::to_string(redundant) + " redundant executions";
  return "";
}

/// What it says changes when anything does that a build is made of: the tool, its compiler pass, its runtime.
std::string version_of(const std::string& treadle) {
  namespace fs = std::filesystem;
  std::string text;
  const auto add = [&text](const fs::path& file) {
    text += file.filename().string() + " " + std::to_string(fs::file_size(file)) + " " +
            std::to_string(fs::last_write_time(file).time_since_epoch().count()) + "\n";
  };
  add(treadle);
  std::set<fs::path> parts;
  for (const auto& entry : fs::directory_iterator(fs::path(treadle).parent_path() / "../lib/treadle")) parts.insert(entry.path());
  for (const fs::path& part : parts) add(part);
  return text;
}

}  // namespace

std::string Mismatch::text() const {
  std::string text;
  if (!trouble.empty()) text += "  trouble: " + trouble + "\n";
  for (const std::string& one : missing) text += "  missing: " + one + "\n";
  for (const std::string& one : surplus) text += "  surplus: " + one + "\n";
  return text;
}

std::optional<Mismatch> judge(const Program& program, const nlohmann::json& report, const CompareOptions& options) {
  const bool visible = options.races == "explore" || options.model != Model::Sc;
  const Interpretation all = interpret(program, MachineOptions{.model = options.model, .plain_is_visible = visible});
  Mismatch mismatch;
  bool raced = false;
  const Names can = possible(program, all), did = reported(report, options.races, raced);
  // With races=stop a data race is a finding and what comes of it is not explored.
  const bool all_expected = !options.subset && !(raced && options.races == "stop");
  if (all_expected) {
    mismatch.missing = minus(can, did);
    if (report.at("verdict") == "incomplete") mismatch.trouble = "the search is incomplete: " + report.value("covers", "");
  }
  mismatch.surplus = minus(did, can);
  const Racy racy = can_race(program);
  if (raced && racy == Racy::No) mismatch.surplus.push_back("(data-race)");
  if (!raced && racy == Racy::Yes && options.races != "ignore" && !options.subset) mismatch.missing.push_back("(data-race)");
  for (const auto& finding : report.value("unconfirmed", nlohmann::json::array()))
    mismatch.surplus.push_back("(unconfirmed " + finding.value("kind", "") + ")");
  const std::uint64_t executions = report.at("executions");
  // How often a loop spins before it is seen to be spinning is the engine's business.
  if (options.exact_executions && !spins(program) && executions != all.executions)
    mismatch.trouble = std::to_string(executions) + " executions instead of " + std::to_string(all.executions);
  if (all_expected && mismatch.trouble.empty()) mismatch.trouble = about_executions(program, report, options, visible);
  if (mismatch.missing.empty() && mismatch.surplus.empty() && mismatch.trouble.empty()) return std::nullopt;
  return mismatch;
}

std::vector<std::string> Comparison::command(const Built& built, std::size_t programs) const {
  std::vector<std::string> words{options_.treadle, "check", "--outcomes", "--keep-going", "--as-found", "--json", "-", "--tests", "off"};
  words.insert(words.end(), {"--strategy", options_.strategy, "--model", text_of(options_.model), "--races", options_.races});
  words.insert(words.end(), {"--out", built.folder + "/out"});
  // The others have their own idea of enough.
  if (!options_.subset) words.insert(words.end(), {"--max-time", std::to_string(options_.seconds_per_program * int(programs)) + "s"});
  words.insert(words.end(), options_.more.begin(), options_.more.end());
  words.push_back(built.binary);
  return words;
}

std::optional<Mismatch> Comparison::check(const Built& built, std::size_t number, const Program& program) const {
  std::vector<std::string> words = command(built, 1);
  words.insert(words.end(), {"--", std::to_string(number)});
  const Finished finished = run_process(words, options_.seconds_per_program + 30);
  const nlohmann::json report = nlohmann::json::parse(finished.out, nullptr, false);
  if ((finished.status != 0 && finished.status != 1) || report.is_discarded()) {
    Mismatch mismatch;
    mismatch.trouble = "exit status " + std::to_string(finished.status) + (report.is_discarded() ? ", no JSON" : "") + ": " + finished.err;
    return mismatch;
  }
  return judge(program, report, options_);
}

std::vector<nlohmann::json> reports_in(const nlohmann::json& all) {
  std::vector<nlohmann::json> reports;
  if (!all.is_object() || !all.contains("tests")) return reports;
  for (const nlohmann::json& test : all.at("tests")) {
    nlohmann::json& report = reports.emplace_back(test);
    for (const char* part : {"findings", "unconfirmed"}) {
      report[part] = nlohmann::json::array();
      for (const std::size_t index : test.at(part)) report[part].push_back(all.at(part).at(index));
    }
  }
  return reports;
}

/// All in one go, most of which is spared the start of the tool. Whoever has no report of its own is asked again, alone.
std::vector<std::optional<Mismatch>> Comparison::check_all(const Built& built, std::span<const Case> cases) const {
  std::string lines;
  for (std::size_t k = 0; k < cases.size(); ++k) lines += std::to_string(k) + "\n";
  const std::string file = built.folder + "/cases";
  write_file(file, lines);
  std::vector<std::string> words = command(built, cases.size());
  words.insert(words.end() - 1, {"--cases", file});
  constexpr int seconds_each = 10;
  const Finished finished = run_process(words, options_.seconds_per_program + seconds_each * int(cases.size()));
  const auto reports = reports_in(nlohmann::json::parse(finished.out, nullptr, false));
  std::vector<std::optional<Mismatch>> results;
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const bool told = k < reports.size() && reports[k].at("name") == std::to_string(k) && reports[k].at("problem").is_null();
    results.push_back(told ? judge(cases[k].program, reports[k], options_) : check(built, k, cases[k].program));
  }
  return results;
}

std::string Comparison::build(const std::string& folder, std::span<const Case> cases) const {
  std::vector<Program> programs;
  for (const Case& one : cases) programs.push_back(one.program);
  const std::string text = emit_batch(programs);
  std::string name = folder + "/batch";
  if (!options_.builds.empty()) {
    std::string all = text + version_of(options_.treadle);
    for (const std::string& flag : options_.cflags) all += " " + flag;
    name = options_.builds + "/" + std::to_string(std::hash<std::string>{}(all));
  }
  if (!options_.builds.empty() && std::filesystem::exists(name)) return name;
  // Others may want the same: it gets its name when it is whole.
  const std::string source = folder + "/batch.c", binary = folder + "/batch";
  write_file(source, text);
  std::vector<std::string> compile{options_.treadle, "cc", "-g", "-O1", source, "-o", binary, "-pthread"};
  compile.insert(compile.end(), options_.cflags.begin(), options_.cflags.end());
  const Finished compiled = run_process(compile, 600);
  if (compiled.status != 0) throw std::runtime_error("the batch does not compile: " + compiled.err);
  if (name != binary) {
    std::filesystem::create_directories(options_.builds);
    std::filesystem::copy_file(binary, name + "." + std::to_string(getpid()), std::filesystem::copy_options::overwrite_existing);
    std::filesystem::rename(name + "." + std::to_string(getpid()), name);
  }
  return name;
}

std::vector<std::optional<Mismatch>> Comparison::run(std::span<const Case> cases) const {
  const ScratchDirectory scratch;
  const std::string folder = scratch / "";
  return check_all({folder, build(folder, cases)}, cases);
}

}  // namespace oracle

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/html.h"
#include "cli/replayed.h"
#include "cli/witness_program.h"
#include "cli/witnesses.h"
#include "report/json.h"
#include "trace/files.h"

namespace treadle {

Subcommand describe_report() {
  return {
      "treadle report [options] RESULT --html FILE",
      "Writes a page that shows each finding's execution: RESULT is what `treadle check --json` wrote, or a witness. Each witness is run\n"
      "again for it, so the program must still be there.",
      "Examples:\n"
      "  treadle check --json result.json bank.c; treadle report result.json --html bank.html\n"
      "  treadle report .treadle/deadlock-1f3a5c70.witness --html deadlock.html\n"
      "\nExit status: 0 the page was written, 2 it could not be, 3 a bug in Treadle itself.\n",
      flags_of(Use::Report), "result or witness"};
}

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct WrittenFinding {
  std::string kind, fingerprint, witness;
  std::uint64_t execution = 0;
};

/// Foreign input: a file of this form, or a sentence that says why not.
Result<std::vector<WrittenFinding>> findings_in(const std::string& text, const std::string& path) {
  const Problem no_result{fmt::format("{} is not a result of `treadle check --json`", path), "give that, or a witness"};
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("findings") || !json["findings"].is_array() || !json.contains("version")) return no_result;
  if (json["version"] != json_version) return Problem{fmt::format("{} was written by another version of Treadle", path), ""};
  std::vector<WrittenFinding> findings;
  for (const Json& one : json["findings"]) {
    const auto has_text = [&](const char* key) { return one.contains(key) && one[key].is_string(); };
    if (!one.is_object() || !has_text("kind") || !has_text("fingerprint") || !has_text("witness")) return no_result;
    WrittenFinding finding{one["kind"], one["fingerprint"], one["witness"]};
    if (one.contains("execution") && one["execution"].is_number_unsigned()) finding.execution = one["execution"];
    findings.push_back(std::move(finding));
  }
  return findings;
}

std::string program_in(const std::string& result) {
  const Json json = Json::parse(result, nullptr, false);
  return json.contains("program") && json["program"].is_string() ? json["program"] : Json("");
}

/// As the search wrote it, or beside the result when both were moved together.
std::string witness_path(const std::string& written, const std::string& result) {
  std::error_code error;
  const fs::path moved = fs::path(result).parent_path() / written;
  return !fs::exists(written, error) && fs::exists(moved, error) ? moved.string() : written;
}

const Found* same_as(const WrittenFinding& written, const std::vector<Found>& shown) {
  for (const Found& found : shown)
    if (found.finding.fingerprint == written.fingerprint) return &found;
  return nullptr;
}

/// The programs of the witnesses: one, unless they were run with different arguments, as tests are.
class Programs {
 public:
  Result<WitnessProgram*> of(const Witness& witness, const Options& options) {
    for (const auto& one : opened_)
      if (witness.arguments == one->witness().arguments && witness.environment == one->witness().environment)
        return same(*one, witness, options);
    auto opened = WitnessProgram::open(options);
    if (!opened) return opened.problem();
    opened_.push_back(std::move(*opened));
    if (const auto first = same(*opened_.front(), witness, options); !first) return first.problem();
    return opened_.back().get();
  }

 private:
  static Result<WitnessProgram*> same(WitnessProgram& program, const Witness& witness, const Options& options) {
    if (witness.program == program.witness().program && witness.binary_hash == program.witness().binary_hash) return &program;
    return Problem{fmt::format("{} was made with another program than the witnesses before it", options.files.front()),
                   "run `treadle check` again"};
  }
  std::vector<std::unique_ptr<WitnessProgram>> opened_;
};

Result<Done> see_again(const WrittenFinding& written, const Options& options, Programs& programs, HtmlReport& page) {
  Options one = options;
  one.files = {witness_path(written.witness, options.files.front())};
  const std::string& path = one.files.front();
  const auto witness = read_witness(path);
  if (!witness) return witness.problem();
  const auto program = programs.of(*witness, one);
  if (!program) return program.problem();

  const auto replayed = replay(witness->schedule, (*program)->runner(), (*program)->symbols(), options);
  if (!replayed) return replayed.problem();
  const Found* same = same_as(written, replayed->findings);
  if (!same) {
    fmt::print(stderr, "treadle: {} does not show the {} any more; the page leaves it out\n", path, written.kind);
    return Done{};
  }
  Found shown = *same;
  shown.finding.witness = *witness;
  shown.finding.witness_file = path;
  shown.finding.execution = written.execution;
  return page.add({&shown, 1}, (*program)->runner(), (*program)->symbols(), options.leaks);
}

int report_on_result(const std::string& text, Options options) {
  const auto written = findings_in(text, options.files.front());
  if (!written) return could_not(written.problem());
  for (const WrittenFinding& finding : *written) options.leaks |= finding.kind == text_of(FindingKind::Leak);
  Programs programs;
  HtmlReport page({options.html, program_in(text), text, replay_options(options)});  // also where nothing was found
  for (const WrittenFinding& finding : *written)
    if (auto seen = see_again(finding, options, programs, page); !seen) return could_not(seen.problem());
  const auto done = page.write();
  return done ? 0 : could_not(done.problem());
}

int report(const Options& options, const std::vector<std::string>& words) {
  if (options.files.size() > 1) return could_not({"one result at a time, please", ""});
  if (options.html.empty()) return could_not({"--html FILE is missing: where the page goes", "Usage: " + describe_report().usage});
  const auto bytes = read_file(options.files.front());
  if (!bytes) return could_not(bytes.problem());
  if (!bytes->starts_with("TREADLE\n")) return report_on_result(*bytes, options);
  const int status = run_replay(words);
  return status == 1 ? 0 : status;
}

}  // namespace

int run_report(std::vector<std::string> words) {
  auto options = parse(describe_report(), words);
  if (!options) return could_not(options.problem());
  return *options ? report(**options, words) : 0;
}

}  // namespace treadle

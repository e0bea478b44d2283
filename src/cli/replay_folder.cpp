// SPDX-License-Identifier: Apache-2.0
#include "cli/replay_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/atomic_file.h"
#include "cli/commands.h"
#include "cli/replayed.h"
#include "cli/witness_program.h"
#include "report/junit.h"
#include "report/text.h"

namespace treadle {
namespace {

struct Case {
  std::string file;
  enum { Passes, Fails, CannotBeRun } how = Passes;
  std::string kind, message, details;
};

std::vector<std::string> witnesses_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".witness") files.push_back(entry.path().string());
  std::ranges::sort(files);
  return files;
}

Case cannot(const std::string& file, const Problem& problem) { return {file, Case::CannotBeRun, "", problem.sentence, problem.hint}; }

Case replay_one(Options options, const std::string& file) {
  options.files = {file};
  auto opened = WitnessProgram::open(options);
  if (!opened) return cannot(file, opened.problem());
  const auto replayed = replay((*opened)->witness().schedule, (*opened)->runner(), (*opened)->symbols(), options);
  if (!replayed) return cannot(file, replayed.problem());
  if (replayed->findings.empty()) return {file, Case::Passes, "", text_of(replayed->trace.end.ending), ""};
  const Found& first = replayed->findings.front();
  return {file, Case::Fails, text_of(first.finding.kind), first.finding.message, text_of(first, {})};
}

void print(const Case& one) {
  const char* heads[] = {"ok     ", "FAILS  ", "cannot "};
  fmt::print("{}{}: {}{}\n", heads[one.how], one.file, one.kind.empty() ? "" : one.kind + ": ", one.message);
}

std::string junit_of(const std::string& folder, const std::vector<Case>& cases) {
  const auto count = [&](int how) { return std::ranges::count_if(cases, [how](const Case& one) { return one.how == how; }); };
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
      "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\">\n",
      xml_escaped("treadle replay " + folder), cases.size(), count(Case::Fails), count(Case::CannotBeRun));
  for (const Case& one : cases) {
    text += fmt::format("    <testcase classname=\"{}\" name=\"{}\">\n", xml_escaped(folder),
                        xml_escaped(std::filesystem::path(one.file).filename().string()));
    if (one.how == Case::Fails)
      text += fmt::format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n", one.kind, xml_escaped(one.message),
                          xml_escaped(one.details));
    if (one.how == Case::CannotBeRun) text += fmt::format("      <error message=\"{}\"/>\n", xml_escaped(one.message));
    text += "    </testcase>\n";
  }
  return text + "  </testsuite>\n</testsuites>\n";
}

}  // namespace

int replay_folder(const Options& options) {
  const std::string& folder = options.files.front();
  if (options.gdb || options.step || !options.save_trace.empty() || !options.dot.empty() || !options.html.empty())
    return could_not({"of a folder only --junit can be written, and nothing can be looked at closer", "name one of its witnesses"});
  std::vector<Case> cases;
  for (const std::string& file : witnesses_in(folder)) print(cases.emplace_back(replay_one(options, file)));
  if (cases.empty()) return could_not({fmt::format("there is no witness in {}", folder), "`treadle check --keep DIR` makes some"});
  if (!options.junit.empty())
    if (const auto written = write_file_atomically(options.junit, junit_of(folder, cases)); !written) return could_not(written.problem());
  const auto some = [&](int how) { return std::ranges::any_of(cases, [how](const Case& one) { return one.how == how; }); };
  return some(Case::Fails) ? 1 : some(Case::CannotBeRun) ? 2 : 0;
}

}  // namespace treadle

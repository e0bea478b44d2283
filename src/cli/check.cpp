// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/atomic_file.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/html.h"
#include "cli/program.h"
#include "cli/searches.h"
#include "cli/witnesses.h"
#include "explore/confirm.h"
#include "explore/essence.h"
#include "explore/interrupt.h"
#include "explore/minimise.h"
#include "report/json.h"
#include "report/junit.h"
#include "report/sarif.h"
#include "report/text.h"

namespace treadle {

Subcommand describe_check() {
  return {"treadle check [options] PROGRAM|SOURCE... [-- ARGS]",
          "Runs the program under one schedule after another and reports each distinct bug once, with a witness that\n"
          "`treadle replay` runs again. The verdict says what it covers. Sources are compiled first.",
          "Examples:\n"
          "  treadle check counter.c\n"
          "  treadle check --cflags \"-O2 -Iinclude\" queue.cpp queue_test.cpp\n"
          "  treadle check --strategy pct --depth 2 --max-executions 10000 ./server_test -- --quick\n"
          "  treadle check --strategy icb --preemptions 2 --max-time 10m ./pool_test\n"
          "  treadle check --races explore --model tso --outcomes sb.c\n"
          "  treadle check --jobs auto --resume state --max-time 8h ./pool_test\n"
          "\nExit status: 0 nothing found, 1 found, 2 could not do what was asked, 3 a bug in Treadle itself.\n",
          flags_of(Use::Check), "program or source"};
}

namespace {

constexpr double default_seconds = 60;
constexpr double seconds_to_make_easier = 3;

/// Each bug by the easiest schedule that can be found in a moment. What cannot be made easier stays as it was.
void make_easier(std::vector<Found>& findings, Runner& program, const Symbols& symbols, bool leaks) {
  const MinimiseLimits limits{.seconds = seconds_to_make_easier / static_cast<double>(std::max<std::size_t>(findings.size(), 1))};
  for (Found& found : findings) {
    if (Interrupt::raised()) return;  // somebody is waiting
    if (found.finding.kind == FindingKind::Nondeterminism) continue;
    const auto smaller = minimise(found.finding, found.finding.witness.schedule, program, symbols, leaks, limits);
    if (!smaller || smaller->after == smaller->before) continue;
    Trace detailed;
    auto confirmed = confirm(found.finding, smaller->schedule, program, symbols, leaks, detailed);
    if (!confirmed || !confirmed->confirmed) continue;
    confirmed->witness.essence = essence_of(detailed, *confirmed, symbols, smaller->schedule.races);
    found = {*confirmed, tell(detailed, *confirmed, symbols)};
  }
}

Result<Done> print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return Done{};
  return Problem{fmt::format("cannot write to standard output: {}", std::strerror(errno)), ""};
}

Result<Done> write_reports(const CheckResult& result, const Options& options) {
  struct Format {
    const std::string& file;  // "-": standard output, instead of the text
    std::string (*render)(const CheckResult&);
  };
  const Format formats[] = {{options.json, json_of}, {options.sarif, sarif_of}, {options.junit, junit_of}};
  bool to_stdout = false;
  for (const Format& format : formats) {
    if (format.file.empty()) continue;
    to_stdout |= format.file == "-";
    if (auto written = format.file == "-" ? print(format.render(result)) : write_file_atomically(format.file, format.render(result));
        !written)
      return written;
  }
  return to_stdout ? Result<Done>(Done{}) : print(text_report(result, style_for(STDOUT_FILENO)));
}

int status_of(const SearchResult& search) {
  if (!search.findings.empty()) return 1;
  return search.problem ? 2 : 0;
}

/// What was asked about, in the user's own words.
std::string subject_of(const Options& options) {
  std::string text;
  for (const auto* words : {&options.files, &options.arguments})
    for (const std::string& word : *words) text += (text.empty() ? "" : " ") + shell_quoted(word);
  return text;
}

Result<Done> one_report_on_stdout(const Options& options) {
  if ((options.json == "-") + (options.sarif == "-") + (options.junit == "-") <= 1) return Done{};
  return Problem{"only one report can go to standard output", "give the others a file name"};
}

int check(const Options& options) {
  if (const auto possible = one_report_on_stdout(options); !possible) return could_not(possible.problem());
  if (const auto possible = can_be_done(options); !possible) return could_not(possible.problem());
  const auto program = program_from(options);
  if (!program) return could_not(program.problem());
  const auto searches = Searches::start(options, *program);
  if (!searches) return could_not(searches.problem());
  Searches& made = **searches;

  CheckResult result;
  result.strategy = options.strategy;
  if (leaves_the_choice(options)) {
    auto all = made.by_budget(options.budget.seconds.value_or(default_seconds));
    if (!all) return could_not(all.problem());
    result.search = std::move(all->search);
    result.strategy = all->strategy;
    result.phases = std::move(all->phases);
  } else {
    auto one = made.by_strategy();
    if (!one) return could_not(one.problem());
    result.search = std::move(*one);
  }
  result.program = *program;
  result.subject = subject_of(options);
  result.folder = std::filesystem::current_path().string();
  result.model = options.schedule.model;
  result.with_outcomes = options.outcomes;
  result.carrier = text_of(made.slowest().carrier());
  result.why_fork = made.slowest().why_fork();
  result.jobs = options.jobs;
  result.resume = options.resume;
  result.replay_options = replay_options(options);

  if (options.minimise) make_easier(result.search.findings, made.program(), made.symbols(), options.leaks);
  std::vector<Finding*> findings;
  for (Found& found : result.search.findings) findings.push_back(&found.finding);
  const auto saved = write_witnesses(findings, options.out, {*program, made.binary_hash(), options.arguments, options.files.front()});
  auto reported = write_reports(result, options);
  if (reported && saved && !options.html.empty())
    reported = write_html({options.html, *program, json_of(result), result.replay_options}, result.search.findings, &made.program(),
                          made.symbols(), options.leaks);
  if (result.search.problem) could_not(*result.search.problem);
  if (!saved) return could_not(saved.problem());
  if (!reported) return could_not(reported.problem());
  return status_of(result.search);
}

}  // namespace

int run_check(std::vector<std::string> words) {
  auto options = parse(describe_check(), std::move(words));
  if (!options) return could_not(options.problem());
  if (*options && wants_symbolic_build(**options)) (*options)->symbolic = true;
  return *options ? check(**options) : 0;
}

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/atomic_file.h"
#include "base/hash.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/program.h"
#include "explore/strategies.h"
#include "report/json.h"
#include "report/text.h"
#include "trace/files.h"

namespace treadle {
namespace {

Subcommand subcommand() {
  return {"treadle check [options] PROGRAM|SOURCE... [-- ARGS]",
          "Runs the program under one schedule after another and reports each distinct bug once, with a witness that\n"
          "`treadle replay` runs again. The verdict says what it covers. Sources are compiled first.",
          "Examples:\n"
          "  treadle check counter.c\n"
          "  treadle check --cflags \"-O2 -Iinclude\" queue.cpp queue_test.cpp\n"
          "  treadle check --strategy pct --depth 2 --max-executions 10000 ./server_test -- --quick\n"
          "  treadle check --preemptions 2 --max-time 10m ./pool_test\n"
          "  treadle check --races explore --outcomes sb.c\n"
          "\nExit status: 0 nothing found, 1 found, 2 could not do what was asked, 3 a bug in Treadle itself.\n",
          flags_of(Use::Check), "program or source"};
}

/// A limit that the user gives replaces what the strategy has by default.
Budget budget_for(const Options& options, const StrategyEntry& strategy) {
  Budget budget = options.budget;
  if (!budget.executions && !budget.seconds) {
    budget.executions = strategy.default_budget.executions;
    budget.seconds = strategy.default_budget.seconds;
  }
  return budget;
}

/// What `treadle replay` must be told besides the witness.
std::string replay_options(const Options& options) {
  std::string text;
  if (!options.subject.stdin_file.empty()) text += " --stdin " + shell_quoted(options.subject.stdin_file);
  if (options.leaks) text += " --leaks";
  return text;
}

Result<Done> write_witnesses(std::vector<Found>& findings, const Options& options, const std::string& program, std::uint64_t hash) {
  if (findings.empty()) return Done{};
  std::error_code error;
  std::filesystem::create_directories(options.out, error);
  if (error) return Problem{fmt::format("cannot make the folder {}: {}", options.out, error.message()), "use --out DIR"};
  for (auto& [finding, story] : findings) {
    finding.witness.program = program;
    finding.witness.binary_hash = hash;
    finding.witness.arguments = options.arguments;
    // Two programs may have the same bug in the source they share: each keeps its own witness.
    const std::uint64_t key = Hash{}.add(finding.fingerprint).add(options.files.front()).value();
    const std::string name = fmt::format("{}-{:08x}.witness", text_of(finding.kind), key >> 32);
    const std::string path = (std::filesystem::path(options.out) / name).string();
    if (auto written = write_witness(path, finding.witness); !written) return written;
    finding.witness_file = path;
  }
  return Done{};
}

Result<Done> print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return Done{};
  return Problem{fmt::format("cannot write to standard output: {}", std::strerror(errno)), ""};
}

Result<Done> write_reports(const CheckResult& result, const Options& options) {
  if (options.json == "-") return print(json_of(result));
  if (auto printed = print(text_report(result, style_for(STDOUT_FILENO))); !printed) return printed;
  return options.json.empty() ? Result<Done>(Done{}) : write_file_atomically(options.json, json_of(result));
}

int status_of(const SearchResult& search) {
  if (!search.findings.empty()) return 1;
  return search.problem ? 2 : 0;
}

int check(const Options& options) {
  StrategyOptions wish{options.schedule, options.budget.preemptions, options.depth};
  wish.schedule.max_steps = options.budget.steps;
  const auto entry = strategy_for(options.strategy, wish);
  if (!entry) return could_not(entry.problem());
  const auto program = program_from(options);
  if (!program) return could_not(program.problem());

  SubjectOptions how = options.subject;
  how.program = *program;
  how.arguments = options.arguments;
  auto subject = Subject::start(how);
  if (!subject) return could_not(subject.problem());
  SubjectRunner runner(**subject);
  const auto symbols = symbols_of(**subject, *program);
  const auto strategy = (*entry)->make(wish);

  CheckResult result;
  result.search =
      search(*strategy, runner, *symbols,
             {wish.schedule, budget_for(options, **entry), options.stop_at_first, options.outcomes, options.leaks, options.guard_every});
  result.program = *program;
  result.strategy = options.strategy;
  result.model = options.schedule.model;
  result.with_outcomes = options.outcomes;
  result.carrier = text_of((*subject)->carrier());
  result.why_fork = (*subject)->why_fork();
  result.replay_options = replay_options(options);

  const auto saved = write_witnesses(result.search.findings, options, *program, (*subject)->binary_hash());
  const auto reported = write_reports(result, options);
  if (result.search.problem) could_not(*result.search.problem);
  if (!saved) return could_not(saved.problem());
  if (!reported) return could_not(reported.problem());
  return status_of(result.search);
}

}  // namespace

int run_check(std::vector<std::string> words) {
  auto options = parse(subcommand(), std::move(words));
  if (!options) return could_not(options.problem());
  return *options ? check(**options) : 0;
}

}  // namespace treadle

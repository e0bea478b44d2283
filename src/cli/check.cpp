// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <deque>
#include <filesystem>

#include "base/atomic_file.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/hints.h"
#include "cli/program.h"
#include "cli/witnesses.h"
#include "explore/confirm.h"
#include "explore/essence.h"
#include "explore/interrupt.h"
#include "explore/minimise.h"
#include "explore/strategies.h"
#include "report/json.h"
#include "report/junit.h"
#include "report/sarif.h"
#include "report/text.h"
#include "trace/files.h"

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

/// A limit that the user gives replaces what the strategy has by default.
Budget budget_for(const Options& options, const StrategyEntry& strategy) {
  Budget budget = options.budget;
  if (!budget.executions && !budget.seconds) {
    budget.executions = strategy.default_budget.executions;
    budget.seconds = strategy.default_budget.seconds;
  }
  return budget;
}

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

std::string yes_or_no(bool value) { return value ? "yes" : "no"; }

template <class T>
std::string number_or_none(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "none";
}

const char* text_of(Races races) {
  switch (races) {
    case Races::Stop:
      return "stop";
    case Races::Explore:
      return "explore";
    case Races::Ignore:
      return "ignore";
  }
  return "?";
}

/// All that determines which executions a search makes and what it reports of them. Limits and the number of workers may change.
std::vector<Circumstance> circumstances_of(const Options& options, const std::string& program, std::uint64_t hash) {
  std::string arguments;
  for (const std::string& argument : options.arguments) arguments += (arguments.empty() ? "" : " ") + shell_quoted(argument);
  return {{"the version of Treadle", TREADLE_VERSION},
          {"the program", fmt::format("{} ({:016x})", program, hash)},
          {"the command line", arguments.empty() ? "empty" : arguments},
          {"--stdin", options.subject.stdin_file.empty() ? "nothing" : options.subject.stdin_file},
          {"--strategy", options.strategy},
          {"--model", text_of(options.schedule.model)},
          {"--races", text_of(options.schedule.races)},
          {"--max-steps", fmt::format("{}", options.budget.steps)},
          {"--preemptions", number_or_none(options.budget.preemptions)},
          {"--depth", number_or_none(options.depth)},
          {"--seed", fmt::format("{}", options.schedule.seed)},
          {"--spurious-wakeups", yes_or_no(options.schedule.spurious_wakeups)},
          {"--predict", yes_or_no(options.ask_predictor)},
          {"--outcomes", yes_or_no(options.outcomes)},
          {"--leaks", yes_or_no(options.leaks)},
          {"--timeout-per-run", fmt::format("{} ms", options.subject.max_milliseconds)},
          {"--max-memory", fmt::format("{}", options.subject.max_heap_bytes)}};
}

Result<std::vector<std::unique_ptr<Subject>>> start_subjects(const SubjectOptions& how, unsigned jobs) {
  std::vector<std::unique_ptr<Subject>> subjects;
  for (unsigned i = 0; i < jobs; ++i) {
    auto subject = Subject::start(how);
    if (!subject) return subject.problem();
    subjects.push_back(std::move(*subject));
  }
  return subjects;
}

/// The first one whose program could not be reset in place, or simply the first.
const Subject& slowest(const std::vector<std::unique_ptr<Subject>>& subjects) {
  for (const auto& subject : subjects)
    if (!subject->why_fork().empty()) return *subject;
  return *subjects.front();
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
  StrategyOptions wish{options.schedule, options.budget.preemptions, options.depth, options.self_check};
  wish.schedule.max_steps = options.budget.steps;
  const auto entry = strategy_for(options.strategy, wish);
  if (!entry) return could_not(entry.problem());
  const auto program = program_from(options);
  if (!program) return could_not(program.problem());

  SubjectOptions how = options.subject;
  how.program = *program;
  how.arguments = options.arguments;
  const auto subjects = start_subjects(how, options.jobs);
  if (!subjects) return could_not(subjects.problem());
  const Subject& first = *subjects->front();
  const auto symbols = symbols_of(first, *program);
  if ((*entry)->wants_dependence) {
    auto known = dependence_of(first, *program);
    if (!known.gap.empty()) fmt::print(stderr, "treadle: {} will skip fewer reads than it could: {}\n", options.strategy, known.gap);
    wish.dependence = std::make_shared<Dependence>(std::move(known.tables));
  }
  auto strategy = (*entry)->make(wish);
  if (options.ask_predictor) {
    Recording also;
    also.plain = true;
    strategy = std::make_unique<Foresight>(std::move(strategy), ask_what_each_implies(wish.schedule, Causality::Maximal), also);
  }

  ThreadNumbers numbers;
  std::deque<SubjectRunner> runners;
  std::vector<Runner*> programs;
  for (const auto& subject : *subjects) programs.push_back(&runners.emplace_back(*subject, numbers));

  std::optional<CheckpointFolder> folder;
  if (!options.resume.empty()) {
    auto opened = CheckpointFolder::open(options.resume, circumstances_of(options, *program, first.binary_hash()), *strategy);
    if (!opened) return could_not(opened.problem());
    folder = std::move(*opened);
  }

  CheckResult result;
  result.search = search(*strategy, programs, *symbols,
                         {wish.schedule, budget_for(options, **entry), options.stop_at_first, options.outcomes, options.leaks,
                          options.guard_every, folder ? &*folder : nullptr, options.checkpoint_every});
  result.program = *program;
  result.subject = subject_of(options);
  result.folder = std::filesystem::current_path().string();
  result.strategy = options.strategy;
  result.model = options.schedule.model;
  result.with_outcomes = options.outcomes;
  result.carrier = text_of(slowest(*subjects).carrier());
  result.why_fork = slowest(*subjects).why_fork();
  result.jobs = options.jobs;
  result.resume = options.resume;
  result.replay_options = replay_options(options);

  if (options.minimise) make_easier(result.search.findings, *programs.front(), *symbols, options.leaks);
  std::vector<Finding*> findings;
  for (Found& found : result.search.findings) findings.push_back(&found.finding);
  const auto saved = write_witnesses(findings, options.out, {*program, first.binary_hash(), options.arguments, options.files.front()});
  const auto reported = write_reports(result, options);
  if (result.search.problem) could_not(*result.search.problem);
  if (!saved) return could_not(saved.problem());
  if (!reported) return could_not(reported.problem());
  return status_of(result.search);
}

}  // namespace

int run_check(std::vector<std::string> words) {
  auto options = parse(describe_check(), std::move(words));
  if (!options) return could_not(options.problem());
  return *options ? check(**options) : 0;
}

}  // namespace treadle

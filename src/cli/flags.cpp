// SPDX-License-Identifier: Apache-2.0
#include "cli/flags.h"

#include <fmt/format.h>
#include <sched.h>

#include <map>
#include <set>

#include "cli/flag_values.h"
#include "cli/input_flags.h"
#include "cli/nearest.h"
#include "cli/predict_flags.h"
#include "cli/record_flags.h"
#include "explore/strategies.h"
#include "report/html.h"

namespace treadle {
namespace {

constexpr std::uint64_t most_jobs = 1024;

Result<Done> set_strategy(Options& options, const std::string& value) {
  std::map<std::string, std::string> names;
  for (const StrategyEntry& entry : strategies()) names.emplace(entry.name, entry.name);
  options.strategy_chosen = true;
  return choose(value, names, options.strategy);
}

Result<Done> set_model(Options& options, const std::string& value) {
  return choose(value, {{"sc", MemoryModel::Sc}, {"tso", MemoryModel::Tso}, {"pso", MemoryModel::Pso}}, options.schedule.model);
}

Result<Done> set_races(Options& options, const std::string& value) {
  return choose(value, {{"stop", Races::Stop}, {"explore", Races::Explore}, {"ignore", Races::Ignore}}, options.schedule.races);
}

Result<Done> set_carrier(Options& options, const std::string& value) {
  options.subject.may_fall_back = false;
  return choose(value, {{"reset", Carrier::Reset}, {"fork", Carrier::Fork}, {"kernel", Carrier::Kernel}}, options.subject.carrier);
}

Result<Done> set_tests(Options& options, const std::string& value) {
  return choose(value, {{"auto", Tests::Detect}, {"each", Tests::Wanted}, {"off", Tests::Off}}, options.tests);
}

Result<Done> set_env(Options& options, const std::string& value) {
  const std::size_t equals = value.find('=');
  if (equals == 0 || equals == std::string::npos) return Problem{fmt::format("\"{}\" is not NAME=VALUE", value), ""};
  options.subject.environment.push_back(value);
  return Done{};
}

Result<Done> set_max_time(Options& options, const std::string& value) {
  auto parsed = seconds(value);
  if (!parsed) return parsed.problem();
  options.budget.seconds = *parsed;
  return Done{};
}

Result<Done> set_budget(Options& options, const std::string& value) {
  options.has_budget = true;
  return set_max_time(options, value);
}

Result<Done> set_timeout_per_run(Options& options, const std::string& value) {
  auto parsed = seconds(value);
  if (!parsed) return parsed.problem();
  if (*parsed < 1e-3 || *parsed > 4e6) return Problem{fmt::format("{} is too short or too long for a run", value), ""};
  options.subject.max_milliseconds = static_cast<std::uint32_t>(*parsed * 1e3);
  return Done{};
}

Result<Done> set_max_memory(Options& options, const std::string& value) {
  auto parsed = bytes(value);
  if (!parsed) return parsed.problem();
  if (*parsed > 1e15) return Problem{fmt::format("{} is more memory than there can be", value), ""};
  options.subject.max_heap_bytes = static_cast<std::uint64_t>(*parsed);
  return Done{};
}

unsigned cores() {
  cpu_set_t usable;
  return ::sched_getaffinity(0, sizeof usable, &usable) == 0 ? static_cast<unsigned>(CPU_COUNT(&usable)) : 1;
}

Result<Done> set_jobs(Options& options, const std::string& value) {
  std::uint64_t jobs = 0;
  if (value != "auto")
    if (auto parsed = number(value, jobs, 0, most_jobs); !parsed) return Problem{parsed.problem().sentence, "a number of workers, or auto"};
  options.jobs = jobs == 0 ? cores() : static_cast<unsigned>(jobs);
  return Done{};
}

Result<Done> set_resume(Options& options, const std::string& value) {
  if (value.empty()) return Problem{"a folder must be given", ""};
  options.resume = value;
  return Done{};
}

Result<Done> set_checkpoint_every(Options& options, const std::string& value) {
  auto parsed = seconds(value);
  if (!parsed) return parsed.problem();
  options.checkpoint_every = *parsed;
  return Done{};
}

Result<Done> set_html(Options& options, const std::string& value) {
  if (value.empty() || value == "-") return Problem{"the page goes to a file", ""};
  options.html = value;
  return html_is_built_in();
}

std::string strategy_help() {
  std::string text =
      "how schedules are chosen (default: whatever does most within the time; mpc first where the program asks for inputs, otherwise "
      "optimal):";
  for (const StrategyEntry& entry : strategies()) text += fmt::format("\n{}: {}", entry.name, entry.help);
  return text;
}

std::string model_help() {
  std::string text =
      "in which order stores may reach memory. sc: as written (default); tso: a thread's stores are delayed in a queue of its own, as on "
      "x86; pso: a queue for each location, so that stores overtake each other. Release stores, fences and locks are honoured";
  for (const StrategyEntry& entry : strategies())
    if (!entry.tso_pso) text += fmt::format("; {}: sc only", entry.name);
  return text;
}

/// Runs of the program: the same for a search and for a replay.
std::vector<Flag> running() {
  return {
      {"--carrier", "NAME", "Running the program",
       "reset: take memory back after each run (default; goes over to fork by itself when a program needs it); fork: a process for each "
       "run; kernel: real threads",
       set_carrier},
      {"--timeout-per-run", "TIME", "Running the program", "cut a single run off after this time (default 10s)", set_timeout_per_run},
      {"--max-memory", "SIZE", "Running the program", "cut a run off when its heap exceeds this (default 1G)", set_max_memory},
      {"--stdin", "FILE", "Running the program", "what the program reads from its standard input (default: nothing)", set_stdin},
      {"--show-output", "", "Running the program", "let the program's own output through",
       [](Options& o, const std::string&) -> Result<Done> { return o.subject.show_output = true, Done{}; }},
      {"--leaks", "", "What to look for", "also report memory and threads that are left behind at exit",
       [](Options& o, const std::string&) -> Result<Done> { return o.leaks = true, Done{}; }},
  };
}

Flag html() {
  return {"--html", "FILE", "Report", "write a page that shows each finding's execution step by step; one file, no network", set_html};
}

std::vector<Flag> searching() {
  return {
      {"--strategy", "NAME", "Search", strategy_help(), set_strategy},
      {"--model", "MODEL", "Search", model_help(), set_model},
      {"--races", "HOW", "What to look for",
       "stop: a data race is a bug, and while there is none plain accesses need no exploring (default)\n"
       "explore: plain accesses are steps too, and all that races lead to under the model is explored\n"
       "ignore: a plain access is one step with the synchronisation before it; races are neither looked for nor explored",
       set_races},
      {"--max-executions", "N", "Limits", "stop after so many executions (default for random and pct: 1000)",
       [](Options& o, const std::string& v) { return number(v, o.budget.executions, 1); }},
      {"--budget", "TIME", "Search",
       "spend this time and say the most that can be said by then (default 60s): mpc if the program asks for inputs; optimal for a moment, "
       "and to its end if that is in sight; else pct, value, and bounds on preemptions, one after another",
       set_budget},
      {"--max-time", "TIME", "Limits", "stop the search after this time (default: 60s, except for random and pct)", set_max_time},
      {"--max-steps", "N", "Limits", "cut an execution off after so many steps (default 100000)",
       [](Options& o, const std::string& v) { return number(v, o.budget.steps, 1, UINT32_MAX - 1); }},
      {"--preemptions", "N", "Limits", "only schedules that interrupt a thread at most N times where it could have gone on",
       [](Options& o, const std::string& v) { return number(v, o.budget.preemptions, 0, UINT32_MAX); }},
      {"--depth", "D", "Search", "pct: how many ordering constraints the bugs looked for have (default 3)",
       [](Options& o, const std::string& v) { return number(v, o.depth, 1, 1000); }},
      {"--seed", "N", "Search", "where random and pct begin; the same seed gives the same schedules (default 1)",
       [](Options& o, const std::string& v) { return number(v, o.schedule.seed); }},
      {"--keep-going", "", "Search", "collect every distinct bug (default)",
       [](Options& o, const std::string&) -> Result<Done> { return o.stop_at_first = false, Done{}; }},
      {"--stop-at-first", "", "Search", "stop at the first bug",
       [](Options& o, const std::string&) -> Result<Done> { return o.stop_at_first = true, Done{}; }},
      {"--as-found", "", "Report",
       "show each bug by the schedule that it was found with, not by the easiest one that fails in the same way",
       [](Options& o, const std::string&) -> Result<Done> { return o.minimise = false, Done{}; }},
      {"--outcomes", "", "What to look for", "list the distinct combinations of values given to treadle_observe()",
       [](Options& o, const std::string&) -> Result<Done> { return o.outcomes = true, Done{}; }},
      {"--coverage", "", "What to look for",
       "tell which ways of the program's branches were taken and, of the others, whether no schedule and no input leads there or nothing "
       "is "
       "known. Sources are compiled as a symbolic build",
       [](Options& o, const std::string&) -> Result<Done> { return o.coverage = true, Done{}; }},
      {"--tests", "HOW", "What to look for",
       "auto: a program of GoogleTest or Catch2 is checked test by test, any other as a whole (default)\n"
       "each: test by test, or not at all\n"
       "off: as a whole",
       set_tests},
      {"--cases", "FILE", "What to look for",
       "check the program once for each line of FILE, which is more of its command line; a result for each, as for tests",
       [](Options& o, const std::string& v) -> Result<Done> { return o.cases = v, Done{}; }},
      {"--exit-status", "", "What to look for", "an exit status other than 0 is a bug, too, as it is for tests",
       [](Options& o, const std::string&) -> Result<Done> { return o.schedule.status_matters = true, Done{}; }},
      {"--env", "NAME=VALUE", "Running the program", "set a variable for the program; witnesses remember it", set_env},
      {"--spurious-wakeups", "", "What to look for", "let condition variables wake without a signal, as POSIX allows",
       [](Options& o, const std::string&) -> Result<Done> { return o.schedule.spurious_wakeups = true, Done{}; }},
      {"--guard-every", "N", "What to look for",
       "repeat one execution in N to detect nondeterminism that Treadle does not control (default 100; 0: never)",
       [](Options& o, const std::string& v) { return number(v, o.guard_every); }},
      {"--self-check", "", "What to look for",
       "value, rf: also run the executions that could be foreseen, and stop where one is not as foreseen (slow; for doubts about Treadle)",
       [](Options& o, const std::string&) -> Result<Done> { return o.self_check = true, Done{}; }},
      {"--predict", "", "Search",
       "also ask each execution which of its other interleavings fail, and run those next: a bug is found at the first execution that "
       "implies it",
       [](Options& o, const std::string&) -> Result<Done> { return o.ask_predictor = true, Done{}; }},
      {"--jobs", "N", "Search",
       "so many workers, each with the program in a process of its own (default 1; 0 or auto: one for each core). Not for programs that "
       "write files or use sockets under fixed names",
       set_jobs},
      {"--resume", "DIR", "Limits",
       "keep the state of the search in DIR; given again with the same program and options, go on from there, also after Ctrl-C, a limit "
       "or "
       "a crash. --max-executions counts the whole search, --max-time each part",
       set_resume},
      {"--checkpoint-every", "TIME", "Limits", "how often --resume saves the state (default 10s)", set_checkpoint_every},
      {"--cflags", "FLAGS", "Running the program", "extra compiler flags for sources",
       [](Options& o, const std::string& v) -> Result<Done> { return o.compiler_flags = v, Done{}; }},
      {"--symbolic", "", "Running the program", "compile sources as a symbolic build, whose traces say what each value was made of",
       [](Options& o, const std::string&) -> Result<Done> { return o.symbolic = true, Done{}; }},
      {"--json", "FILE", "Report", "write the result as JSON; - for standard output, instead of the text",
       [](Options& o, const std::string& v) -> Result<Done> { return o.json = v, Done{}; }},
      {"--sarif", "FILE", "Report", "write the findings as SARIF 2.1.0, for code review tools; the interleaving is in their threadFlows",
       [](Options& o, const std::string& v) -> Result<Done> { return o.sarif = v, Done{}; }},
      {"--junit", "FILE", "Report", "write the result as JUnit XML, for what collects test results",
       [](Options& o, const std::string& v) -> Result<Done> { return o.junit = v, Done{}; }},
      {"--witness-yaml", "FILE", "Report",
       "write a violation witness of SV-COMP, format 2.0, for each finding that it can express: inputs and place, but no interleaving",
       [](Options& o, const std::string& v) -> Result<Done> { return o.witness_yaml = v, Done{}; }},
      html(),
      {"--keep", "DIR", "Report", "keep every execution, with its inputs, as a witness; `treadle replay DIR` runs all of them again",
       [](Options& o, const std::string& v) -> Result<Done> { return o.keep = v, Done{}; }},
      {"--out", "DIR", "Report", "where witnesses and compiled sources go (default .treadle)",
       [](Options& o, const std::string& v) -> Result<Done> { return o.out = v, Done{}; }},
  };
}

std::vector<Flag> predicting() {
  std::vector<Flag> flags = predict_flags();
  static const std::set<std::string> shared{"--model", "--seed",  "--max-steps", "--cflags", "--json",
                                            "--sarif", "--junit", "--html",      "--out"};
  for (Flag& flag : searching())
    if (shared.contains(flag.name)) flags.push_back(std::move(flag));
  return flags;
}

std::vector<Flag> replaying() {
  return {
      atomic_flag(),
      {"--step", "", "Looking closer", "walk through the interleaving, step by step with source lines",
       [](Options& o, const std::string&) -> Result<Done> { return o.step = true, Done{}; }},
      {"--gdb", "", "Looking closer", "debug the run in gdb, on real threads, stopped at the failing step",
       [](Options& o, const std::string&) -> Result<Done> { return o.gdb = true, Done{}; }},
      {"--save-trace", "FILE", "Looking closer", "write everything that the run did; `treadle show FILE` prints it",
       [](Options& o, const std::string& v) -> Result<Done> { return o.save_trace = v, Done{}; }},
      {"--symbolic", "", "Looking closer",
       "of a symbolic build: record expressions, too, and check that they say what the run did; `treadle show --symbolic` prints them",
       [](Options& o, const std::string&) -> Result<Done> { return o.symbolic = true, Done{}; }},
      {"--junit", "FILE", "Report", "of a folder: write the results as JUnit XML",
       [](Options& o, const std::string& v) -> Result<Done> { return o.junit = v, Done{}; }},
      {"--dot", "FILE", "Looking closer", "draw the run as an execution graph for GraphViz: program order, reads-from, synchronisation",
       [](Options& o, const std::string& v) -> Result<Done> { return o.dot = v, Done{}; }},
      html(),
  };
}

std::vector<Flag> minimising() {
  return {
      {"--to", "FILE", "Report", "where the new witness goes (default: it takes the place of the old one)",
       [](Options& o, const std::string& v) -> Result<Done> { return o.to = v, Done{}; }},
      {"--max-time", "TIME", "Limits", "stop looking after this time (default 60s)", set_max_time},
      {"--max-executions", "N", "Limits", "stop looking after so many executions",
       [](Options& o, const std::string& v) { return number(v, o.budget.executions, 1); }},
  };
}

/// A search like any other, within the circumstances that the witness tells.
std::vector<Flag> rechecking() {
  std::vector<Flag> flags;
  for (Flag& flag : searching())
    for (const char* name : {"--strategy", "--max-executions", "--max-time", "--max-steps", "--cflags", "--out"})
      if (flag.name == name) flags.push_back(flag);
  return flags;
}

std::vector<Flag> reproducing() {
  std::vector<Flag> flags{
      {"--model", "MODEL", "Search",
       "which memory the recorded machine had: sc, tso or pso (default: sc, and if that does not explain the failure, tso, as on x86)",
       [](Options& o, const std::string& v) -> Result<Done> { return o.model_chosen = true, set_model(o, v); }},
      {"--no-core-order", "", "Search", "leave out what a processor's trace says about the order of threads on each core",
       [](Options& o, const std::string&) -> Result<Done> { return o.core_order = false, Done{}; }},
      {"--max-time", "TIME", "Limits", "stop looking after this time (default 60s)", set_max_time},
  };
  static const std::set<std::string> shared{"--seed", "--max-steps", "--cflags", "--json", "--html", "--out"};
  for (Flag& flag : searching())
    if (shared.contains(flag.name)) flags.push_back(std::move(flag));
  return flags;
}

std::vector<Flag> own_flags(Use use) {
  switch (use) {
    case Use::Reproduce:
      return reproducing();
    case Use::Recheck:
      return rechecking();
    case Use::Check:
      return searching();
    case Use::Replay:
      return replaying();
    case Use::Minimise:
      return minimising();
    case Use::Predict:
      return predicting();
    case Use::Report:
      return {html()};
    case Use::Record:
      return record_flags();
  }
  return {};
}

}  // namespace

std::vector<Flag> flags_of(Use use) {
  std::vector<Flag> flags = own_flags(use);
  if (use == Use::Record) return flags;
  for (Flag& flag : running()) flags.push_back(std::move(flag));
  const bool chooses_inputs = use == Use::Check || use == Use::Predict;  // elsewhere the witness says
  for (Flag& flag : input_flags())
    if (chooses_inputs || flag.name != std::string("--inputs")) flags.push_back(std::move(flag));
  return flags;
}

}  // namespace treadle

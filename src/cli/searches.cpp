// SPDX-License-Identifier: Apache-2.0
#include "cli/searches.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/temporary_folder.h"
#include "cli/hints.h"
#include "cli/input_flags.h"
#include "cli/keep.h"
#include "cli/program.h"
#include "explore/interrupt.h"
#include "explore/strategies.h"
#include "report/result.h"

namespace treadle {
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

std::string yes_or_no(bool value) { return value ? "yes" : "no"; }

template <class T>
std::string number_or_none(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "none";
}

std::string all_of(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + shell_quoted(word);
  return text.empty() ? "empty" : text;
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
  return {{"the version of Treadle", TREADLE_VERSION},
          {"the program", fmt::format("{} ({:016x})", program, hash)},
          {"the command line", all_of(options.arguments)},
          {"--stdin", options.subject.stdin_file.empty() ? "nothing" : options.subject.stdin_file},
          {"--symbolic-stdin and its kin", symbolic_sources().empty() ? "nothing" : symbolic_sources()},
          {"--strategy", options.strategy},
          {"--model", text_of(options.schedule.model)},
          {"--races", text_of(options.schedule.races)},
          {"--max-steps", fmt::format("{}", options.budget.steps)},
          {"--preemptions", number_or_none(options.budget.preemptions)},
          {"--depth", number_or_none(options.depth)},
          {"--seed", fmt::format("{}", options.schedule.seed)},
          {"--inputs", text_of(options.schedule.inputs)},
          {"--spurious-wakeups", yes_or_no(options.schedule.spurious_wakeups)},
          {"--predict", yes_or_no(options.ask_predictor)},
          {"--outcomes", yes_or_no(options.outcomes)},
          {"--leaks", yes_or_no(options.leaks)},
          {"--exit-status", yes_or_no(options.schedule.status_matters)},
          {"--env", all_of(options.subject.environment)},
          {"--timeout-per-run", fmt::format("{} ms", options.subject.max_milliseconds)},
          {"--max-memory", fmt::format("{}", options.subject.max_heap_bytes)}};
}

StrategyOptions wish_of(const Options& options) {
  StrategyOptions wish{options.schedule, options.budget.preemptions, options.depth, options.self_check, options.jobs};
  wish.schedule.max_steps = options.budget.steps;
  return wish;
}

}  // namespace

bool leaves_the_choice(const Options& options) {
  return !options.strategy_chosen && options.resume.empty() && !options.budget.executions && !options.budget.preemptions &&
         !options.depth && !options.self_check && !options.ask_predictor;
}

bool wants_symbolic_build(const Options& options) {
  const auto entry = strategy_for(options.strategy, wish_of(options));
  return entry && (*entry)->wants_symbolic && !leaves_the_choice(options);
}

Result<Done> can_be_done(const Options& options) {
  if (options.has_budget && !leaves_the_choice(options))
    return Problem{"--budget leaves the choice of the search to Treadle, but other options choose it", "with --strategy, use --max-time"};
  if (options.coverage && !options.resume.empty())
    return Problem{"--coverage cannot be told of a search that --resume goes on with: what it took before is not kept",
                   "leave one of them out"};
  const auto entry = strategy_for(options.strategy, wish_of(options));
  if (entry && (*entry)->runs_paths && !options.resume.empty())
    return Problem{fmt::format("a search by {} cannot be gone on with, so --resume has nothing to keep", options.strategy),
                   "leave --resume out; --keep DIR keeps its executions"};
  return entry ? Result<Done>(Done{}) : entry.problem();
}

Result<std::unique_ptr<Searches>> Searches::start(const Options& options, const std::string& program, std::shared_ptr<KnownProgram> known) {
  std::unique_ptr<Searches> made(new Searches(options, program));
  if (options.coverage) {
    auto ways = WaysTaken::begin();
    if (!ways) return ways.problem();
    made->ways_ = std::move(*ways);
  }
  SubjectOptions how = options.subject;
  how.program = program;
  how.arguments = options.arguments;
  for (unsigned i = 0; i < options.jobs; ++i) {
    std::unique_ptr<Subject> used;
    if (known && !known->idle.empty()) {
      used = std::move(known->idle.back());
      known->idle.pop_back();
    }
    auto subject = Subject::start(how, std::move(used));
    if (!subject) return subject.problem();
    made->programs_.push_back(&made->runners_.emplace_back(**subject, made->numbers_));
    made->subjects_.push_back(std::move(*subject));
  }
  // Whatever is in use already was looked at when it was started.
  auto objects = known && made->subjects_.front()->was_used_before() ? known->objects : made->subjects_.front()->loaded_objects();
  if (!known || known->objects != objects) {
    auto symbols = symbols_of(*made->subjects_.front(), program);
    known = std::make_shared<KnownProgram>(KnownProgram{objects, std::move(symbols)});
  }
  made->known_ = std::move(known);
  if (options.coverage) {
    if (objects.empty()) objects = {{program, kExecutableBase, 0}};
    made->branches_ = branches_in(objects);
  }
  return made;
}

const Subject& Searches::slowest() const {
  for (const auto& subject : subjects_)
    if (!subject->why_fork().empty()) return *subject;
  return *subjects_.front();
}

BranchCoverage Searches::coverage() const {
  const WaysTaken::Known known = ways_->so_far();
  BranchCoverage coverage = branch_coverage(branches_, known.ways);
  if (!known.complete) coverage.unknown_because = "the program could not tell all that it took";
  return coverage;
}

/// Whoever reads the result may want to see them; it takes time.
bool Searches::lists_paths() const { return !options_.json.empty() || !options_.html.empty() || !options_.keep.empty(); }

std::shared_ptr<const Dependence> Searches::dependence(std::string_view asked_by) {
  if (known_->dependence) return known_->dependence;
  ProgramDependence read = dependence_of(*subjects_.front(), path_);
  if (!read.gap.empty()) fmt::print(stderr, "treadle: {} will skip fewer reads than it could: {}\n", asked_by, read.gap);
  return known_->dependence = std::make_shared<const Dependence>(std::move(read.tables));
}

std::unique_ptr<Strategy> Searches::make(const StrategyEntry& entry) {
  StrategyOptions wish = wish_of(options_);
  if (entry.wants_dependence) wish.dependence = dependence(entry.name);
  auto strategy = entry.make(wish);
  path_keeper_ = nullptr;
  if (entry.runs_paths) {
    if (lists_paths()) {
      auto keeper = std::make_unique<PathKeeper>(std::move(strategy), wish.schedule, symbols(),
                                                 options_.keep.empty() ? PathKeeper::FileOf{} : KeptExecutions::file_of);
      path_keeper_ = keeper.get();
      strategy = std::move(keeper);
    }
    AskedOfPaths asked = ask_what_each_path_implies(wish.schedule);
    return std::make_unique<Foresight>(std::move(strategy), std::move(asked.ask), Recording{}, std::move(asked.gaps));
  }
  if (!options_.ask_predictor) return strategy;
  Recording also;
  also.plain = true;
  also.symbolic = is_symbolic_build(path_);
  const Causality causality = also.symbolic ? Causality::Symbolic : Causality::Maximal;
  return std::make_unique<Foresight>(std::move(strategy), ask_what_each_implies(wish.schedule, causality), also);
}

Result<SearchResult> Searches::search_with(const StrategyEntry& entry, const Budget& budget, const std::string& folder) {
  const auto strategy = make(entry);
  std::optional<CheckpointFolder> checkpoint;
  if (!folder.empty()) {
    auto opened = CheckpointFolder::open(folder, circumstances_of(options_, path_, binary_hash()), *strategy);
    if (!opened) return opened.problem();
    checkpoint = std::move(*opened);
  }
  std::unique_ptr<KeptExecutions> kept;
  std::deque<KeepingRunner> keeping;
  std::vector<Runner*> programs = programs_;
  if (!options_.keep.empty()) {
    auto folder = KeptExecutions::in(options_.keep, {{}, path_, binary_hash(), options_.arguments, {}, {}});
    if (!folder) return folder.problem();
    kept = std::move(*folder);
    for (Runner*& program : programs) program = &keeping.emplace_back(*program, *kept);
  }
  auto result = search(*strategy, programs, symbols(),
                       {wish_of(options_).schedule, budget, options_.stop_at_first, options_.outcomes, options_.leaks, options_.guard_every,
                        checkpoint ? &*checkpoint : nullptr, options_.checkpoint_every,
                        size_of_search(entry.name, options_.budget.preemptions.has_value())});
  if (path_keeper_ != nullptr) {
    std::vector<const Finding*> findings;
    for (const Found& found : result.findings) findings.push_back(&found.finding);
    path_keeper_->paths().name_findings(findings);
    result.paths = path_keeper_->paths().list();
  }
  if (kept)
    if (const auto problem = kept->problem()) fmt::print(stderr, "treadle: {}\n", problem->sentence);
  return result;
}

Result<SearchResult> Searches::by_strategy() {
  const auto entry = strategy_for(options_.strategy, wish_of(options_));
  if (!entry) return entry.problem();
  return search_with(**entry, budget_for(options_, **entry), options_.resume);
}

Result<PortfolioResult> Searches::by_budget(double seconds) {
  const TemporaryFolder kept("search");  // of what will be gone on with; where there can be none, it begins anew
  PortfolioOptions how;
  how.seconds = seconds;
  how.stop_at_first = options_.stop_at_first;
  how.weak_model = options_.schedule.model != MemoryModel::Sc;
  how.all_inputs = options_.all_inputs;
  how.interrupted = [] { return Interrupt::raised(); };
  return search_within(how, [&](const std::string& name, double share) -> Result<SearchResult> {
    const auto entry = strategy_for(name, wish_of(options_));
    if (!entry) return entry.problem();
    Budget budget = options_.budget;
    budget.seconds = share;
    // Only the first may be gone on with.
    return search_with(**entry, budget, name == "optimal" && !kept.path.empty() ? (kept.path / name).string() : "");
  });
}

}  // namespace treadle

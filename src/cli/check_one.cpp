// SPDX-License-Identifier: Apache-2.0
#include "cli/check_one.h"

#include <algorithm>
#include <filesystem>

#include "cli/program.h"
#include "cli/witnesses.h"
#include "explore/confirm.h"
#include "explore/essence.h"
#include "explore/interrupt.h"
#include "explore/minimise.h"

namespace treadle {
namespace {

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
    if (!confirmed || !confirmed->confirmed || confirmed->fingerprint != found.finding.fingerprint) continue;
    confirmed->witness.essence = essence_of(detailed, *confirmed, symbols, smaller->schedule.races);
    found = {*confirmed, tell(detailed, *confirmed, symbols)};
  }
}

Result<Done> search(CheckedSubject& one) {
  CheckResult& result = one.result;
  result.strategy = one.options.strategy;
  if (!leaves_the_choice(one.options)) {
    auto by_name = one.searches->by_strategy();
    if (!by_name) return by_name.problem();
    result.search = std::move(*by_name);
    return Done{};
  }
  auto all = one.searches->by_budget(one.options.budget.seconds.value_or(default_seconds));
  if (!all) return all.problem();
  result.search = std::move(all->search);
  result.strategy = all->strategy;
  result.phases = std::move(all->phases);
  return Done{};
}

void describe(CheckedSubject& one, const std::string& program) {
  const Options& options = one.options;
  CheckResult& result = one.result;
  result.program = program;
  result.subject = subject_of(options);
  result.folder = std::filesystem::current_path().string();
  result.model = options.schedule.model;
  result.with_outcomes = options.outcomes;
  result.carrier = text_of(one.searches->slowest().carrier());
  result.why_fork = one.searches->slowest().why_fork();
  result.jobs = options.jobs;
  const auto entry = strategy_for(result.strategy, {});
  const bool tries_inputs = entry && (*entry)->runs_paths;
  result.can_be_resumed = !tries_inputs;
  result.inputs_left_open = result.search.tally.asked_for_input && !tries_inputs && options.schedule.inputs == GivenInputs{};
  result.resume = options.resume;
  result.replay_options = replay_options(options);
}

/// All inputs were tried by who looks for paths, and whoever looks at all schedules when there are none.
BranchCoverage covered(const CheckedSubject& one) {
  const SearchResult& search = one.result.search;
  BranchCoverage coverage = one.searches->coverage();
  std::string why = search.problem ? search.problem->sentence : search.open;
  const auto entry = strategy_for(one.result.strategy, {});
  if (why.empty() && search.tally.asked_for_input && !(entry && (*entry)->runs_paths))
    why = "only these inputs were tried, and --strategy mpc tries all";
  if (!why.empty()) coverage.unknown_because = why;
  return coverage;
}

}  // namespace

std::string subject_of(const Options& options) {
  std::string text;
  for (const auto* words : {&options.files, &options.arguments})
    for (const std::string& word : *words) text += (text.empty() ? "" : " ") + shell_quoted(word);
  return text;
}

Result<std::unique_ptr<CheckedSubject>> check_one(Options options, const std::string& program, const std::string& called,
                                                  std::shared_ptr<KnownProgram> known) {
  auto one = std::make_unique<CheckedSubject>();
  one->options = std::move(options);
  auto searches = Searches::start(one->options, program, std::move(known));
  if (!searches) return searches.problem();
  one->searches = std::move(*searches);
  if (auto searched = search(*one); !searched) return searched.problem();
  describe(*one, program);
  if (one->options.coverage) one->result.coverage = covered(*one);

  std::vector<Found>& found = one->result.search.findings;
  if (one->options.minimise) make_easier(found, one->searches->program(), one->searches->symbols(), one->options.leaks);
  std::vector<Finding*> findings;
  for (Found& each : found) findings.push_back(&each.finding);
  const Origin origin{program, one->searches->binary_hash(), one->options.arguments, called, one->options.subject.environment};
  if (auto saved = write_witnesses(findings, one->options.out, origin); !saved) one->not_saved = saved.problem();
  return one;
}

}  // namespace treadle

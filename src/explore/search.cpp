// SPDX-License-Identifier: Apache-2.0
#include "explore/search.h"

#include <fmt/format.h>

#include "explore/confirm.h"
#include "explore/guard.h"
#include "explore/interrupt.h"
#include "finding/triage.h"

namespace treadle {
namespace {

class Search {
 public:
  Search(Strategy& strategy, Runner& program, const Symbols& symbols, const SearchOptions& options)
      : strategy_(strategy),
        program_(program),
        symbols_(symbols),
        options_(options),
        guard_(program, options.guard_every),
        triage_(symbols),
        meter_(options.budget),
        recording_(strategy.needs()) {
    recording_.leaks |= options.leaks;
  }

  SearchResult go() {
    Interrupt interrupt;
    Progress progress;
    for (;;) {
      if ((stopped_ = why_stop())) break;
      ask();
      if (schedules_.empty()) break;
      if (auto ran = guard_.run_batch(schedules_, recording_, traces_); !ran) {
        stopped_ = "the program cannot be run on";
        result_.problem = ran.problem();
        break;
      }
      for (std::size_t i = 0; i < schedules_.size() && !enough(); ++i) take_in(schedules_[i], traces_[i]);
      if (auto difference = guard_.take()) not_determined(finding_of(*difference, symbols_), difference->first);
      progress.show(how_far());
    }
    return conclusion();
  }

 private:
  bool enough() const { return options_.stop_at_first && !result_.findings.empty(); }

  std::optional<std::string> why_stop() const {
    if (result_.problem) return "the program cannot be run on";
    if (Interrupt::raised()) return "interrupted";
    if (enough()) return "stopped at the first finding";
    return meter_.spent(result_.tally.executions);
  }

  void ask() {
    schedules_.clear();
    const Tally& so_far = result_.tally;
    for (std::size_t n = meter_.batch(strategy_.ahead(), so_far.executions, so_far.steps); n > 0; --n) {
      auto schedule = strategy_.next();
      if (!schedule) return;
      schedules_.push_back(std::move(*schedule));
    }
  }

  void take_in(const Schedule& schedule, const Trace& trace) {
    strategy_.learn_from(trace);
    result_.tally.count(trace);
    if (options_.outcomes) outcomes_.collect(trace);
    if (trace.end.ending == TREADLE_END_DIVERGED) not_followed(schedule, trace);
    const std::uint64_t execution = result_.tally.executions;
    for (Finding& finding : triage_.new_findings(trace)) {
      finding.execution = execution;
      investigate(std::move(finding), exactly(schedule, trace));
    }
  }

  /// Nothing is a finding before a second run, by the exact decisions and with everything recorded, has failed in the same way.
  void investigate(Finding finding, const Schedule& schedule) {
    const std::string first_impression = finding.fingerprint;
    Trace detailed;
    auto confirmed = confirm(std::move(finding), schedule, program_, symbols_, recording_.leaks, detailed);
    if (!confirmed) {
      result_.problem = confirmed.problem();
      return;
    }
    if (confirmed->fingerprint != first_impression && !triage_.is_new(confirmed->fingerprint)) return;
    add(std::move(*confirmed), detailed);
  }

  /// The prefix of a schedule comes from an execution: a program that cannot follow it a second time is not determined by it.
  void not_followed(const Schedule& schedule, const Trace& trace) {
    Difference difference{schedule, trace, trace, trace.events.size()};
    Finding finding = finding_of(difference, symbols_);
    finding.parts.resize(1);
    finding.message = fmt::format("a schedule that an earlier run made possible cannot be followed beyond decision {} of {}",
                                  trace.end.detail, schedule.prefix.size());
    not_determined(std::move(finding), trace);
  }

  void not_determined(Finding finding, const Trace& trace) {
    result_.tally.nondeterministic = true;
    if (triage_.is_new(finding.fingerprint)) add(std::move(finding), trace);
  }

  void add(Finding finding, const Trace& trace) {
    if (finding.execution == 0) finding.execution = result_.tally.executions;
    if (!finding.confirmed) result_.tally.nondeterministic = true;  // the same decisions did not lead there again
    Story story = tell(trace, finding, symbols_);
    (finding.confirmed ? result_.findings : result_.unconfirmed).push_back({std::move(finding), std::move(story)});
  }

  HowFar how_far() const {
    return {result_.tally.executions, result_.findings.size(),    meter_.seconds(),
            strategy_.estimate(),     options_.budget.executions, options_.budget.seconds};
  }

  SearchResult conclusion() {
    result_.seconds = meter_.seconds();
    result_.outcomes = outcomes_.distinct();
    result_.verdict = conclude(strategy_, options_.schedule, result_.tally, stopped_, !result_.findings.empty());
    return std::move(result_);
  }

  Strategy& strategy_;
  Runner& program_;
  const Symbols& symbols_;
  const SearchOptions& options_;
  Guard guard_;
  Triage triage_;
  Meter meter_;
  Recording recording_;
  Outcomes outcomes_;
  std::vector<Schedule> schedules_;
  std::vector<Trace> traces_;
  std::optional<std::string> stopped_;
  SearchResult result_;
};

}  // namespace

SearchResult search(Strategy& strategy, Runner& program, const Symbols& symbols, const SearchOptions& options) {
  return Search(strategy, program, symbols, options).go();
}

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
#include "explore/ledger.h"

#include <fmt/format.h>

#include <algorithm>

#include "explore/confirm.h"
#include "explore/essence.h"
#include "finding/trouble.h"

namespace treadle {

Digest digest(const Trace& trace, bool with_outcome) {
  Digest digest;
  digest.tally.count(trace);
  if (with_outcome) digest.outcome = outcome_of(trace);
  digest.troubled = trace.end.ending == TREADLE_END_DIVERGED || !troubles_of(trace).empty();
  return digest;
}

Result<Done> Ledger::take_in(const Schedule& schedule, const Trace& trace, const Digest& digest, Runner& program) {
  tally_.add(digest.tally);
  if (digest.outcome) outcomes_.insert(*digest.outcome);
  return digest.troubled ? look_into(schedule, trace, tally_.executions, program) : Done{};
}

Result<Done> Ledger::look_into(const Schedule& schedule, const Trace& trace, std::uint64_t execution, Runner& program) {
  if (trace.end.ending == TREADLE_END_DIVERGED) not_followed(schedule, trace, execution);
  for (Finding& finding : triage_.new_findings(trace)) {
    finding.execution = execution;
    const auto shorter = without_others_behind(schedule, trace);
    if (auto looked = investigate(std::move(finding), exactly(schedule, trace), shorter, program); !looked) return looked;
  }
  return Done{};
}

Result<Done> Ledger::investigate(Finding finding, const Schedule& schedule, const std::optional<Schedule>& shorter, Runner& program) {
  const std::string first_impression = finding.fingerprint;
  Trace detailed;
  auto confirmed = confirm(finding, shorter.value_or(schedule), program, symbols_, leaks_, detailed);
  if (confirmed && !confirmed->confirmed && shorter) confirmed = confirm(std::move(finding), schedule, program, symbols_, leaks_, detailed);
  if (!confirmed) return confirmed.problem();
  if (confirmed->fingerprint != first_impression && !triage_.is_new(confirmed->fingerprint)) return Done{};
  add(std::move(*confirmed), detailed);
  return Done{};
}

/// The prefix of a schedule comes from an execution: a program that cannot follow it a second time is not determined by it.
void Ledger::not_followed(const Schedule& schedule, const Trace& trace, std::uint64_t execution) {
  Difference difference{schedule, trace, trace, trace.events.size()};
  Finding finding = finding_of(difference, symbols_);
  finding.parts.resize(1);
  finding.execution = execution;
  finding.message = fmt::format("a schedule that an earlier run made possible cannot be followed beyond decision {} of {}",
                                trace.end.detail, schedule.prefix.size());
  add_nondeterminism(std::move(finding), trace);
}

void Ledger::not_determined(const Difference& difference) {
  Finding finding = finding_of(difference, symbols_);
  finding.execution = tally_.executions;
  add_nondeterminism(std::move(finding), difference.first);
}

void Ledger::add_nondeterminism(Finding finding, const Trace& trace) {
  tally_.nondeterministic = true;
  if (triage_.is_new(finding.fingerprint)) add(std::move(finding), trace);
}

void Ledger::add(Finding finding, const Trace& trace) {
  if (!finding.confirmed) tally_.nondeterministic = true;  // the same decisions did not lead there again
  Story story = tell(trace, finding, symbols_);
  finding.witness.essence = essence_of(trace, finding, symbols_, finding.witness.schedule.races);
  (finding.confirmed ? findings_ : unconfirmed_).push_back({std::move(finding), std::move(story)});
}

bool Ledger::has(const std::string& fingerprint) const {
  return std::ranges::any_of(findings_, [&](const Found& found) { return found.finding.fingerprint == fingerprint; }) ||
         std::ranges::any_of(unconfirmed_, [&](const Found& found) { return found.finding.fingerprint == fingerprint; });
}

void Ledger::restore(const Tally& tally, std::set<Outcome> outcomes) {
  tally_ = tally;
  outcomes_ = std::move(outcomes);
}

/// Nothing is believed because a file says so. What does not show again is kept apart, and says that the program is not determined.
Result<Done> Ledger::see_again(const KnownFinding& known, const Recording& recording, Runner& program) {
  if (has(known.fingerprint)) return Done{};  // seen in the course of another one
  Trace trace;
  if (auto ran = program.run(known.schedule, recording, trace); !ran) return ran;
  if (auto looked = look_into(known.schedule, trace, known.execution, program); !looked) return looked;
  if (known.kind == FindingKind::Nondeterminism && !has(known.fingerprint)) {
    auto difference = compare_two_runs(known.schedule, recording, program);
    if (!difference) return difference.problem();
    if (*difference) not_determined(**difference);
  }
  if (has(known.fingerprint)) return Done{};
  Finding lost;
  lost.kind = known.kind;
  lost.message = known.message;
  lost.fingerprint = known.fingerprint;
  lost.execution = known.execution;
  lost.witness.schedule = known.schedule;
  triage_.is_new(lost.fingerprint);
  add(std::move(lost), trace);
  return Done{};
}

std::vector<KnownFinding> Ledger::known_findings() const {
  std::vector<KnownFinding> all;
  for (const auto* list : {&findings_, &unconfirmed_})
    for (const auto& [finding, story] : *list)
      all.push_back({finding.kind, finding.message, finding.fingerprint, finding.execution, finding.witness.schedule});
  return all;
}

}  // namespace treadle

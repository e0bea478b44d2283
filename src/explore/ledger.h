// SPDX-License-Identifier: Apache-2.0
// What a search has established so far: the tally of its executions, outcomes, findings. Nothing is a finding before a second run, by the
// exact decisions and with everything recorded, has failed in the same way.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "explore/coverage.h"
#include "explore/guard.h"
#include "explore/outcomes.h"
#include "explore/runner.h"
#include "explore/story.h"
#include "finding/finding.h"
#include "finding/symbols.h"
#include "finding/triage.h"

namespace treadle {

/// A finding and the few steps of its witness that tell it.
struct Found {
  Finding finding;
  Story story;
};

/// What can be told of an execution by itself: workers make it without asking each other.
struct Digest {
  Tally tally;
  std::optional<Outcome> outcome;
  bool troubled = false;
};
Digest digest(const Trace& trace, bool with_outcome);

/// What is left of a finding in a file: enough to see it again.
struct KnownFinding {
  FindingKind kind{};
  std::string message, fingerprint;
  std::uint64_t execution = 0;
  Schedule schedule;
};

class Ledger {
 public:
  Ledger(const Symbols& symbols, bool leaks) : symbols_(symbols), leaks_(leaks), triage_(symbols) {}

  /// An execution and what `program` shows when what it did wrong is run again. A Problem is the program's; the execution counts all the
  /// same.
  Result<Done> take_in(const Schedule& schedule, const Trace& trace, const Digest& digest, Runner& program);

  void not_determined(const Difference& difference);

  /// Goes on from what an earlier search had: its findings are looked at again, one by one.
  void restore(const Tally& tally, std::set<Outcome> outcomes);
  Result<Done> see_again(const KnownFinding& known, const Recording& recording, Runner& program);
  std::vector<KnownFinding> known_findings() const;

  const Tally& tally() const { return tally_; }
  const std::set<Outcome>& outcomes() const { return outcomes_; }
  const std::vector<Found>& findings() const { return findings_; }        // each replayed
  const std::vector<Found>& unconfirmed() const { return unconfirmed_; }  // a replay did not show them again

 private:
  Result<Done> look_into(const Schedule& schedule, const Trace& trace, std::uint64_t execution, Runner& program);
  Result<Done> investigate(Finding finding, const Schedule& schedule, const std::optional<Schedule>& shorter, Runner& program);
  void not_followed(const Schedule& schedule, const Trace& trace, std::uint64_t execution);
  void add_nondeterminism(Finding finding, const Trace& trace);
  void add(Finding finding, const Trace& trace);
  bool has(const std::string& fingerprint) const;

  const Symbols& symbols_;
  bool leaks_;
  Triage triage_;
  Tally tally_;
  std::set<Outcome> outcomes_;
  std::vector<Found> findings_, unconfirmed_;
};

}  // namespace treadle

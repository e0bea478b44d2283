// SPDX-License-Identifier: Apache-2.0
#include "explore/portfolio.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace treadle {
namespace {

using Clock = std::chrono::steady_clock;

// Shares of the budget. Not tuned: what matters is that everybody has a turn, and that the first is long enough for most tests.
constexpr double paths_share = 0.5, first_share = 0.2, sample_share = 0.1, value_share = 0.2;
constexpr double trusted_estimate = 0.8;  // of what is left
constexpr double second_share = 0.4;      // an estimate that may be wildly wrong: others must have their turn
constexpr double reserve = 1.5;           // one that knows how far it is off
constexpr double shortest_phase = 0.2;    // seconds

bool has(const std::vector<Found>& list, const Found& found) {
  return std::ranges::any_of(list, [&](const Found& other) { return other.finding.fingerprint == found.finding.fingerprint; });
}

bool is_reliable(const Estimate& estimate) { return estimate.probes > 0 && estimate.standard_error < estimate.executions / 4; }

class Portfolio {
 public:
  Portfolio(const PortfolioOptions& options, const RunPhase& run) : options_(options), run_(run) {}

  Result<PortfolioResult> search() {
    for (const auto& turn : {&Portfolio::paths, &Portfolio::optimal, &Portfolio::sample, &Portfolio::value, &Portfolio::bounds}) {
      if (auto done = (this->*turn)(); !done) return done.problem();
      if (!phases_.empty() && ended()) break;
    }
    return put_together();
  }

 private:
  struct Phase {
    std::string strategy;
    SearchResult result;
  };

  Result<Done> paths() { return options_.all_inputs ? phase("mpc", paths_share * options_.seconds) : Done{}; }
  Result<Done> optimal() {
    if (auto ran = phase("optimal", first_share * options_.seconds); !ran) return ran;
    const auto& estimate = phases_.back().result.estimate;
    if (ended() || !estimate || estimate->seconds_left > trusted_estimate * left()) return Done{};
    return phase("optimal", is_reliable(*estimate) ? std::min(reserve * estimate->seconds_left + 1, left()) : second_share * left());
  }
  Result<Done> sample() { return phase("pct", sample_share * options_.seconds); }
  Result<Done> value() { return phase("value", value_share * options_.seconds); }
  Result<Done> bounds() { return phase(options_.weak_model ? "icb" : "icb-dpor", left()); }

  Result<Done> phase(const std::string& strategy, double seconds) {
    seconds = std::min(std::max(std::round(seconds * 10) / 10, shortest_phase), left());
    if (seconds < shortest_phase && !phases_.empty()) return Done{};
    auto result = run_(strategy, seconds);
    if (!result) return result.problem();
    std::erase_if(phases_, [&](const Phase& phase) { return phase.strategy == strategy; });
    phases_.push_back({strategy, std::move(*result)});
    return Done{};
  }

  double left() const { return options_.seconds - std::chrono::duration<double>(Clock::now() - begin_).count(); }

  static bool looks_at_paths(const Phase& phase) { return phase.strategy == "mpc"; }

  /// Where there is code that paths do not see through, schedules may still come to something.
  static bool is_all(const Phase& phase) { return is_complete(phase.result) && !(looks_at_paths(phase) && !phase.result.gaps.empty()); }

  bool ended() const {
    const SearchResult& last = phases_.back().result;
    const bool done = looks_at_paths(phases_.back()) ? is_all(phases_.back()) : !last.can_go_on;
    return done || options_.interrupted() || left() < shortest_phase || (options_.stop_at_first && !last.findings.empty());
  }

  /// A complete search, else the last one that can name a bound, else the first.
  const Phase& strongest() const {
    for (const Phase& phase : phases_)
      if (is_all(phase)) return phase;
    const Phase& last = phases_.back();
    return last.strategy.starts_with("icb") ? last : phases_.front();
  }

  PortfolioResult put_together() {
    const Phase& best = strongest();
    PortfolioResult all{best.result, best.strategy, {}};
    SearchResult& sum = all.search;
    sum.samples = samples();
    for (const Phase& phase : phases_) {
      const SearchResult& one = phase.result;
      all.phases.push_back({phase.strategy, one.seconds, one.executions(), one.verdict.kind, one.verdict.covers});
      if (&phase == &best) continue;
      sum.tally.add(one.tally);
      sum.counts.blocked += one.counts.blocked;
      sum.counts.redundant += one.counts.redundant;
      sum.seconds += one.seconds;
      sum.outcomes.insert(one.outcomes.begin(), one.outcomes.end());
      for (const Found& found : one.findings)
        if (!has(sum.findings, found)) sum.findings.push_back(found);
      for (const Found& found : one.unconfirmed)
        if (!has(sum.unconfirmed, found)) sum.unconfirmed.push_back(found);
      if (!sum.problem) sum.problem = one.problem;
    }
    if (options_.all_inputs && sum.tally.asked_for_input && !looks_at_paths(best) && is_complete(best.result)) {
      // Who was asked about all inputs has not answered with all schedules for some.
      sum.verdict.kind = VerdictKind::Incomplete;
      sum.verdict.covers += fmt::format("; with others only {} executions", sum.executions() - best.result.executions());
    }
    if (!sum.findings.empty()) sum.verdict.kind = VerdictKind::Bugs;
    if (!is_complete(best.result) && phases_.size() > 1) {
      sum.verdict.covers += fmt::format("; besides, {} executions by other strategies", sum.executions() - best.result.executions());
      sum.estimate.reset();
      sum.can_go_on = false;
    }
    return all;
  }

  /// One after another. A phase has its own count and its own estimate; executions go on from where the one before ended.
  std::vector<Sample> samples() const {
    std::vector<Sample> all;
    Sample base;
    for (const Phase& phase : phases_) {
      for (Sample sample : phase.result.samples) {
        sample.seconds += base.seconds;
        sample.executions += base.executions;
        sample.redundant += base.redundant;
        sample.findings = std::max(sample.findings, base.findings);
        if (sample.estimate) *sample.estimate += static_cast<double>(base.executions);
        all.push_back(sample);
      }
      if (!all.empty()) base = all.back();
    }
    return all;
  }

  const PortfolioOptions& options_;
  const RunPhase& run_;
  std::vector<Phase> phases_;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace

Result<PortfolioResult> search_within(const PortfolioOptions& options, const RunPhase& run) { return Portfolio(options, run).search(); }

}  // namespace treadle

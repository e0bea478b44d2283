// SPDX-License-Identifier: Apache-2.0
// Maximal causality reduction (Huang 2015; Huang and Huang 2016, 2017): from each execution the solver finds out which of its reads could
// have had which other values, and for each of these there is one more execution. What differs only in the order of operations, without
// anybody reading anything else, costs nothing.
//
//   mcr     every execution keeps the prefix that led to it; each read behind it is asked for every other value
//   mcr-s   of the reads before an event only those keep their values that it depends on: smaller formulas, some executions twice
//   mcr-s+  as mcr-s, but the read that is asked about keeps all that its own thread has read before, and nothing is run twice: what a
//           prefix leads to is found out by a rehearsal first (known_executions.h)
//   se-mcr  prefixes of one execution that can be put together either way round are put together once (switch equivalence), and nothing
//           is run twice
//
// All prefixes that are open can be run at once (parallel MCR).
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "explore/known_executions.h"
#include "explore/strategy.h"
#include "explore/switch_equivalence.h"
#include "solve/causal_model.h"

namespace treadle {

struct McrOptions {
  bool switch_equivalence = false;
  bool runs_nothing_twice = false;                         // and looks at nothing twice: see Mcr::next()
  bool keep_all_before = true;                             // not mcr-s
  std::shared_ptr<const Dependence> dependence = nullptr;  // mcr-s, mcr-s+
  bool direct_answers = false;                             // a formula is made for what has no direct answer only (mcr-s+)
  double seconds_per_question = 10;
  KnownExecutions* known = nullptr;  // for the above; outlives the strategy
};

class Mcr final : public Strategy {
 public:
  /// `base` gives everything but prefix and policy.
  Mcr(Schedule base, const McrOptions& options);

  std::optional<Item> next() override;
  void learn_from(Ticket ticket, const Trace& trace) override;
  bool is_tentative(Ticket ticket) const override { return ticket % 2 == 1; }
  Recording needs() const override;
  bool thinking() const override { return thinking_; }
  /// What one execution shows may be what the next one was for.
  std::size_t ahead() const override { return options_.known != nullptr ? 1 : std::max<std::size_t>(open_.size() + out_.size(), 1); }
  std::string covers() const override;
  /// An execution keeps the prefix that led to it, and what would need another order of the prefix may be found by nobody.
  bool leaves_out() const override { return true; }
  Counts counts() const override { return counts_; }
  std::optional<SolverCounts> solver() const override;
  std::string save() const override;
  bool load(std::string_view bytes) override;

 private:
  struct Work {
    std::vector<Decision> prefix;
    std::uint32_t fixed = 0;                              // so many of its decisions are not asked about again
    std::uint32_t fixed_reads = nothing;                  // of the last of them, so many reads are not
    Equivalents skip;                                     // what another one will do
    std::vector<Decision> rest;                           // how it goes on behind the prefix, if it can
    bool is_begun = false;                                // it was tried, with a rest that it could not go on with
    std::optional<HowItEnded> cut_off_by = std::nullopt;  // it lets somebody go on who was cut off by that
  };

  void add(Work work, std::uint64_t after = 0);
  Item item_of(Work work);
  static std::vector<Decision> whole(const Work& work);
  bool was_made(const Work& work);
  const Trace* known(const Work& work);
  void learn_from(const Work& work, const Trace& trace);
  bool run_on(const Work& work, const Trace& trace);
  void ask_all(const Work& work, const Trace& trace);

  Schedule base_;
  McrOptions options_;
  std::deque<Work> open_;
  std::unordered_map<Ticket, Work> out_;
  Ticket next_ticket_ = 0;                    // even; one more: it may turn out that the rest cannot be followed
  std::unordered_set<std::uint64_t> asked_;   // hashes of prefixes
  std::unordered_set<std::uint64_t> states_;  // hashes of what was read
  std::unordered_set<std::uint64_t> begun_;   // hashes of the states that prefixes lead to
  bool thinking_ = false;
  Counts counts_;
  CausalStatistics statistics_;
};

}  // namespace treadle

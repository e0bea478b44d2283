// SPDX-License-Identifier: Apache-2.0
// A decorator: whatever the strategy, each of its executions is also asked what it implies, and an order that is thought to fail is run
// next. So a bug is found at the first execution that implies it. Where nobody could go on in such a run, or in one of the strategy's own,
// the same is not tried again. What the strategy may well come to by itself waits until that has nothing left.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "explore/strategy.h"

namespace treadle {

/// A thread that waits for ever, where, and where the signal was given that it missed: who missed one and who did not are not the same bug.
struct StandingStill {
  ThreadId thread{};
  std::uint64_t pc = 0;
  std::uint64_t signal = 0;  // 0: none
  auto operator<=>(const StandingStill&) const = default;
};
using Standstill = std::set<StandingStill>;

/// `events` are all there were, in their order.
StandingStill standing_still(std::span<const Event> events, ThreadId thread, std::uint64_t pc, EventKind kind, std::uint64_t object);

/// An order that is thought to fail.
struct Hint {
  Schedule schedule;
  std::uint64_t key = 0;              // of what is thought to fail: the same at the same places
  Standstill waits{};                 // a deadlock: where its threads stand
  bool is_race = false;               // its run should show a data race
  bool can_wait = false;              // until the strategy has nothing left to run: it may come to that by itself
  std::function<bool()> is_wanted{};  // asked then; none: it is
};

class Foresight final : public Strategy {
 public:
  using Ask = std::function<std::vector<Hint>(const Trace&)>;

  /// What could not be asked about, as half a sentence; empty: nothing, or it does not matter since the strategy itself would come to it.
  using Gaps = std::function<std::string()>;

  /// `also` is recorded besides what the strategy needs.
  Foresight(std::unique_ptr<Strategy> strategy, Ask ask, const Recording& also, Gaps gaps = {});

  std::optional<Item> next() override;
  void learn_from(Ticket ticket, const Trace& trace) override;
  bool is_tentative(Ticket ticket) const override { return (ticket & ours) != 0 || strategy_->is_tentative(ticket); }
  bool is_a_check(Ticket ticket) const override { return (ticket & ours) == 0 && strategy_->is_a_check(ticket); }
  Recording needs() const override;
  std::size_t ahead() const override;

  bool thinking() const override { return !waits_ && strategy_->thinking(); }
  std::string covers() const override { return strategy_->covers(); }
  bool samples() const override { return strategy_->samples(); }
  std::optional<std::string> covers_already() const override { return strategy_->covers_already(); }
  bool leaves_out() const override { return strategy_->leaves_out(); }
  bool runs_everything() const override { return strategy_->runs_everything(); }
  std::string gaps() const override;
  std::optional<double> estimate() const override;
  ExecutionTree* classes() override { return strategy_->classes(); }
  Counts counts() const override { return strategy_->counts(); }
  std::optional<SolverCounts> solver() const override { return strategy_->solver(); }
  std::string save() const override { return strategy_->save(); }
  bool load(std::string_view bytes) override { return strategy_->load(bytes); }

 private:
  static constexpr Ticket ours = Ticket{1} << 63;  // of runs that the strategy did not ask for
  static constexpr unsigned most_tries = 3;        // of the same thing: a prediction need not come true

  struct Out {
    bool is_deadlock = false, is_race = false, could_wait = false;
    std::uint64_t key = 0;
  };

  bool was_seen(const Hint& hint) const;
  bool must_wait() const;
  Item run(Hint hint);
  std::optional<Item> one_that_could_wait();

  std::unique_ptr<Strategy> strategy_;
  Ask ask_;
  Recording also_;
  Gaps gaps_;
  std::deque<Hint> hints_, waiting_;
  std::set<Standstill> seen_;                          // that executions have ended in
  std::unordered_map<std::uint64_t, unsigned> tried_;  // by key
  std::unordered_map<Ticket, Out> out_;                // hints that are run
  std::set<std::uint64_t> shown_, not_shown_;          // keys of data races whose runs did, or did not, show one
  std::uint64_t others_out_ = 0;                       // what the strategy asked for and has not heard of
  bool waits_ = false;                                 // see must_wait()
  std::uint64_t made_ = 0;                             // hints that were run
};

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// A decorator: whoever fails lets the others go on first, as far as they can, and the strategy is told of an execution in which they had.
// How far the others have come when somebody fails is no combination of values of its own, and need not be run for its own sake.
#pragma once

#include <memory>
#include <unordered_map>

#include "explore/strategy.h"

namespace treadle {

class FailingLast final : public Strategy {
 public:
  FailingLast(std::unique_ptr<Strategy> strategy, Races races, MemoryModel model)
      : strategy_(std::move(strategy)), races_(races), model_(model) {}

  std::optional<Item> next() override;
  void learn_from(Ticket ticket, const Trace& trace) override;

  bool thinking() const override { return strategy_->thinking(); }
  bool is_tentative(Ticket ticket) const override { return strategy_->is_tentative(ticket); }
  bool is_a_check(Ticket ticket) const override { return strategy_->is_a_check(ticket); }
  Recording needs() const override { return strategy_->needs(); }
  std::size_t ahead() const override { return strategy_->ahead(); }
  std::string covers() const override { return strategy_->covers(); }
  bool samples() const override { return strategy_->samples(); }
  std::optional<std::string> covers_already() const override { return strategy_->covers_already(); }
  bool leaves_out() const override { return strategy_->leaves_out(); }
  std::string gaps() const override { return strategy_->gaps(); }
  bool runs_everything() const override { return strategy_->runs_everything(); }
  std::optional<double> estimate() const override { return strategy_->estimate(); }
  ExecutionTree* classes() override { return strategy_->classes(); }
  Counts counts() const override { return strategy_->counts(); }
  std::optional<SolverCounts> solver() const override { return strategy_->solver(); }
  std::string save() const override { return strategy_->save(); }
  bool load(std::string_view bytes) override { return strategy_->load(bytes); }

 private:
  std::unique_ptr<Strategy> strategy_;
  std::unordered_map<Ticket, std::size_t> prefix_;  // decisions of what is out
  Races races_;
  MemoryModel model_;
};

}  // namespace treadle

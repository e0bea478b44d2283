// SPDX-License-Identifier: Apache-2.0
// A decorator: lists the paths that a strategy executes. What the strategy does is not changed.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>

#include "explore/listener.h"
#include "explore/path_lister.h"
#include "explore/strategy.h"

namespace treadle {

class PathKeeper final : public Strategy, public Listener {
 public:
  /// The file in which an execution is kept; empty: in none.
  using FileOf = std::function<std::string(const Schedule&, const Trace&)>;

  PathKeeper(std::unique_ptr<Strategy> strategy, Schedule base, const Symbols& symbols, FileOf file_of = {})
      : strategy_(std::move(strategy)), base_(std::move(base)), lister_(symbols), file_of_(std::move(file_of)) {}

  std::optional<Item> next() override {
    auto item = strategy_->next();
    if (item && file_of_) out_[item->ticket] = item->schedule;
    return item;
  }
  void learn_from(Ticket ticket, const Trace& trace) override {
    std::string file;
    if (const auto made = out_.extract(ticket); !made.empty()) file = file_of_(made.mapped(), trace);
    if (trace.end.ending != TREADLE_END_DIVERGED) lister_.add(trace, base_, std::move(file));
    strategy_->learn_from(ticket, trace);
  }
  void hear_of(const Trace& trace) override {
    if (trace.end.ending != TREADLE_END_DIVERGED) lister_.add(trace, base_, {});
    if (auto* listener = dynamic_cast<Listener*>(strategy_.get())) listener->hear_of(trace);
  }
  PathLister& paths() { return lister_; }

  bool is_tentative(Ticket ticket) const override { return strategy_->is_tentative(ticket); }
  bool is_a_check(Ticket ticket) const override { return strategy_->is_a_check(ticket); }
  Recording needs() const override { return strategy_->needs(); }
  std::size_t ahead() const override { return strategy_->ahead(); }
  bool thinking() const override { return strategy_->thinking(); }
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
  Schedule base_;
  PathLister lister_;
  FileOf file_of_;
  std::unordered_map<Ticket, Schedule> out_;
};

}  // namespace treadle

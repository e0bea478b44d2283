// SPDX-License-Identifier: Apache-2.0
// A search that may leave something out, and after it one that finds whatever it has left out: nothing is missed, and what the first one
// has run is not run again. Where an execution does what is known by its circumstances only, or is never acted out, a first search that
// means to run nothing twice has come to its end. In such a one whoever fails lets the others go on first (patience.h).
//
// Maximal causality reduction keeps the prefix of each execution, and misses what would need another order of it: with B: x=1; y=1,
// A: r1=y and C: r2=x, once r1 has read 1 the prefix has x=1 in it, and r2 can read nothing else any more. The second search (value.h)
// knows from the executions of the first what the program does, and runs only classes of values that are not among them.
#pragma once

#include <functional>
#include <memory>

#include "explore/value.h"

namespace treadle {

class Completed final : public Strategy {
 public:
  /// The first may ask what is known, which is what it has run itself.
  using Maker = std::function<std::unique_ptr<Strategy>(KnownExecutions&)>;
  enum class First : std::uint8_t { GoesOn, RunsNothingTwice };
  Completed(const Schedule& base, First how, const Maker& make_first)
      : rest_(base, ClassBy::Values), first_(make_first(rest_)), how_(how), races_(base.races), model_(base.model) {}

  std::optional<Item> next() override;
  bool is_tentative(Ticket ticket) const override { return over_ ? rest_.is_tentative(ticket) : first_->is_tentative(ticket); }
  bool is_a_check(Ticket ticket) const override { return over_ && rest_.is_a_check(ticket); }
  bool thinking() const override { return over_ ? rest_.thinking() : first_->thinking(); }
  void learn_from(Ticket ticket, const Trace& trace) override;
  Recording needs() const override;
  std::size_t ahead() const override { return over_ ? rest_.ahead() : first_->ahead(); }
  std::string covers() const override { return rest_.covers(); }
  Counts counts() const override;
  std::optional<SolverCounts> solver() const override { return first_->solver(); }
  std::string save() const override;
  bool load(std::string_view bytes) override;

 private:
  void learn_of_first(Ticket ticket, const Trace& trace, Value::Begins begins);

  Value rest_;
  std::unique_ptr<Strategy> first_;
  First how_;
  Races races_;
  MemoryModel model_;
  std::size_t out_ = 0;  // of the first
  bool over_ = false;    // the first has nothing left
};

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// A strategy chooses Schedules and learns from what they did. One file each.
//
// The search, seen from here, with one worker or many (all calls come one at a time; a strategy needs no lock):
//
//   while (auto item = strategy.next()) { … run item->schedule … ; strategy.learn_from(item->ticket, trace); }
//
// except that up to ahead() items may be out at once, and that their results come back in any order: the ticket says which is which.
// A strategy that does not override ahead() never has more than one item out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "subject/subject.h"
#include "trace/schedule.h"
#include "trace/trace.h"

namespace treadle {

class ExecutionTree;

/// Chosen by the strategy; the search only hands it back. Unique among the items that are out.
using Ticket = std::uint64_t;

/// One execution to be made.
struct Item {
  Schedule schedule;
  Ticket ticket = 0;
};

/// Executions that taught nothing.
struct Counts {
  std::uint64_t blocked = 0;    // given up because each step possible was known to lead nowhere new (sleep sets)
  std::uint64_t redundant = 0;  // of a class that had been seen
  std::uint64_t paths = 0;      // of a strategy that explores paths: how many it has executed
};

/// What a strategy has asked a solver, all executions together.
struct SolverCounts {
  std::uint64_t queries = 0;
  double seconds = 0;
  std::uint64_t reads = 0, constraints = 0;
};

class Strategy {
 public:
  static constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();

  virtual ~Strategy() = default;

  /// Nothing: there is no work right now; when no item is out, the search space is exhausted.
  virtual std::optional<Item> next() = 0;

  /// next() gave nothing only because it has taken long: there may be more. So a search stays answerable while its strategy thinks.
  virtual bool thinking() const { return false; }

  /// It need not be possible to follow that one: then it was nothing.
  virtual bool is_tentative(Ticket) const { return false; }

  /// Made to see a property fail that was foreseen to, as a replay before a report is: in no count. Asked while the item is out.
  virtual bool is_a_check(Ticket) const { return false; }

  /// Each item comes back once, in any order; only a search that ends early keeps some. Thread numbers mean the same in all traces.
  virtual void learn_from(Ticket ticket, const Trace& trace) = 0;

  virtual Recording needs() const { return {}; }  // what must be recorded; may change while nothing is out

  /// How many items may be out at once, those included that are out already: they do not depend on each other's outcome. With several
  /// workers this is what there is to share.
  virtual std::size_t ahead() const { return 1; }

  /// What is known once next() has returned nothing; for one that samples, what the executions made so far are worth.
  virtual std::string covers() const = 0;
  virtual bool samples() const { return false; }  // never exhausts anything: only a budget ends it

  /// What is known although the search was stopped before its end: a bound that it had completed.
  virtual std::optional<std::string> covers_already() const { return std::nullopt; }

  /// A bound on schedules left something out: nothing can be said beyond what covers() says.
  virtual bool leaves_out() const { return false; }

  /// What could not be done although the search came to its end, as half a sentence; empty: nothing.
  virtual std::string gaps() const { return {}; }

  /// It runs whatever can happen: nothing need be asked of its executions (foresight.h).
  virtual bool runs_everything() const { return false; }

  /// How many executions the whole search will take, as far as it can be told by now.
  virtual std::optional<double> estimate() const { return std::nullopt; }

  /// What it has run and means to run, where that is a tree of classes.
  virtual ExecutionTree* classes() { return nullptr; }

  virtual Counts counts() const { return {}; }
  virtual std::optional<SolverCounts> solver() const { return std::nullopt; }

  /// Everything learned so far as bytes (base/bytes.h), from which load() on a new strategy, made with the same options, goes on. Items
  /// that are out count as not made: they will be handed out again. Empty: this strategy cannot be resumed.
  virtual std::string save() const { return {}; }

  /// False: these bytes do not make sense (they come from a file). Never crashes, whatever they are.
  virtual bool load(std::string_view) { return false; }
};

}  // namespace treadle

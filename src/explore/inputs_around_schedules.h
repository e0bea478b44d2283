// SPDX-License-Identifier: Apache-2.0
// All schedules and all inputs where something has no model of order (descriptors, signals, cancellation, the clock, …). As long as nobody
// asks for an input that is a search by values (value.h), which takes what was executed before into account. Otherwise: with some inputs
// every class of schedules is run (optimal.h), which the engine can do whatever the program uses. Each execution, its order being as it
// was, asks something of its inputs (solve/input_conditions.h); all inputs that fulfil what all these executions ask have the same
// schedules, which lead along the same ways. They are done with, and a solver is asked for others. When there are none, everything that can
// happen has been run, or goes as something that has.
//
// That every class was run for all those inputs: an execution of theirs that is in none of these classes leaves them somewhere. Up to there
// its threads went the same ways as with the inputs that were run, and made the same steps; the step with which it leaves would have been
// possible there too, and that schedule was of one of the classes.
//
// Paths are turns of threads, as elsewhere, and many schedules lead along one: such executions count as redundant.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "explore/branch_paths.h"
#include "explore/gaps.h"
#include "explore/optimal.h"
#include "explore/path_execution.h"
#include "explore/strategy.h"
#include "explore/value.h"
#include "solve/input_conditions.h"

namespace treadle {

/// Paths that were executed, as numbers.
using KnownPaths = std::unordered_set<std::uint64_t>;
/// Who failed counts, and not what others did behind that.
std::uint64_t number_of_path(const PathExecution& execution);
bool asks_for_inputs(const Trace& trace);

class InputsAroundSchedules final : public Strategy {
 public:
  struct Options {
    double seconds_per_question = 60;
    std::uint32_t most_values = 64;  // of one that is used in a way without a model
    std::string why{};               // what has no model of order
  };

  /// What was executed before.
  struct Earlier {
    BranchPaths branches{};
    KnownPaths paths{};
    bool has_inputs = false;                  // somebody has asked for one
    std::unique_ptr<Value> without_inputs{};  // otherwise: knows what was executed; null: nothing was
    std::optional<Trace> first{};             // that anybody would make first: without a prefix, and with the inputs of `base`
  };

  /// `base` gives everything but prefix and policy; its inputs come first.
  InputsAroundSchedules(Schedule base, Options options) : InputsAroundSchedules(std::move(base), std::move(options), Earlier{}) {}
  InputsAroundSchedules(Schedule base, Options options, Earlier earlier);

  std::optional<Item> next() override;
  bool thinking() const override { return thinking_; }
  bool is_a_check(Ticket ticket) const override { return search_ && search_->is_a_check(ticket); }
  void learn_from(Ticket ticket, const Trace& trace) override;
  Recording needs() const override;
  std::size_t ahead() const override { return search_ ? search_->ahead() : 1; }
  std::string covers() const override;
  std::optional<std::string> covers_already() const override;
  bool runs_everything() const override { return true; }
  std::string gaps() const override { return gaps_.text(); }
  const Gaps& all_gaps() const { return gaps_; }
  Counts counts() const override;
  std::optional<SolverCounts> solver() const override { return solver_; }

  /// Nothing is left, as far as can be known.
  bool is_over() const { return is_over_; }
  std::size_t classes_of_inputs() const { return classes_.size(); }

 private:
  /// An input that was ever asked for.
  struct Known {
    std::uint64_t value = 0;  // when it was first
    bool has_any_value = false;
    std::set<InputRange> ranges{};  // it has a value of one of these, otherwise
  };
  struct Pin {
    InputTerms::Term condition = 0, pinned = 0;
    std::uint64_t value = 0;
    auto operator<=>(const Pin&) const = default;
  };
  /// What some inputs have in common that have the same schedules.
  struct Class {
    std::set<InputTerms::Term> conditions;
    std::set<Pin> pins;
  };

  void begin();
  void tell_gaps(const Trace& trace, const PathExecution& execution);
  bool find_others();
  void take_in(const Trace& trace);
  void know(const InputSeen& seen);
  void close_class();
  void rule_out(const Class& what);
  std::vector<InputTerms::Term> within_ranges();
  void choose();
  GivenInputs given() const;

  Schedule base_;
  Options options_;
  InputTerms terms_;
  std::unique_ptr<Strategy> search_;  // with the present inputs
  bool without_inputs_;               // nobody has asked for any
  bool begins_anew_ = false;          // as somebody has, just now
  std::optional<Trace> first_;        // see Earlier: it is not made again
  std::optional<Ticket> first_out_;   // it is being made
  std::size_t out_ = 0;
  std::map<WhichInput, Known> inputs_;
  GivenValues given_;  // the present ones; those that turn up are added with the value that they had then
  Class present_class_;
  std::vector<Class> classes_;                                            // that are done with
  std::unordered_map<InputTerms::Term, std::set<std::uint64_t>> values_;  // of what is pinned
  std::set<InputTerms::Term> too_many_;                                   // of these
  BranchPaths branches_;
  KnownPaths paths_;
  Gaps gaps_;
  Counts counts_;
  SolverCounts solver_;
  std::uint64_t blocked_before_ = 0;  // by searches with other inputs
  double seconds_ = 0;                // that the present question has taken
  std::uint32_t astray_ = 0;          // inputs that turned out to be others
  bool thinking_ = false, is_over_ = false, went_astray_ = false;
};

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// Maximal path causality (Yi and Huang, ESEC/FSE 2018): all schedules and inputs that lead every thread along the same turns are one path,
// and each path is executed once.
//
// From an execution the solver is asked, for each turn that a thread made: is there a schedule, and are there inputs, with which the thread
// turns the other way there, the others having gone along their ways as far as need be, and which is the beginning of no path that was
// executed? Such a beginning leads to a new path, whatever follows it. When no execution has one any more, there is no further path: take
// one that was not executed, and the longest beginning of it that some execution's path begins with, too; the next step is a turn that no
// execution made, and the question about it had an answer.
//
// The seed splits the set of paths behind a prefix and finds by unsatisfiable cores which threads have to go further before another one can
// turn (its Strategy 2). That the others may be anywhere on their ways, and which paths are known, is here a part of the question.
//
// Needs a symbolic build. Whoever was cut off by the end of the program is asked whether he could have gone further before it.
#pragma once

#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "explore/branch_paths.h"
#include "explore/path_execution.h"
#include "explore/strategy.h"

namespace treadle {

struct MpcOptions {
  double seconds_per_question = 60;
  std::uint32_t most_values = 64;  // of one that is used in a way without a model: so many are tried
};

class Mpc final : public Strategy {
 public:
  /// `base` gives everything but prefix and policy.
  Mpc(Schedule base, const MpcOptions& options);
  ~Mpc() override;

  std::optional<Item> next() override;
  bool thinking() const override { return thinking_; }
  /// The model says that it is possible.
  bool is_tentative(Ticket ticket) const override { return ticket != 0; }
  void learn_from(Ticket ticket, const Trace& trace) override;
  Recording needs() const override { return recording_for_paths(); }
  std::string covers() const override { return covered_by_paths(base_, branches_.paths()); }
  std::string gaps() const override;
  Counts counts() const override;
  std::optional<SolverCounts> solver() const override { return statistics_; }

 private:
  /// One of these threads has passed that turn of its way.
  using Further = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

  /// Can this thread turn otherwise there; or, at its end, go on?
  struct Question {
    std::uint32_t thread = 0;
    std::uint32_t turn = 0;  // as many as there are: can it go on
    bool done = false;
    std::uint32_t heard = 0;                                  // of the executions that came by there, so many have been taken into account
    std::optional<Truth> when{};                              // they are, when this holds
    std::map<std::uint64_t, TraceModel::Condition> others{};  // by thread and turn: who may have to have gone further
    std::vector<Further> said{};
    bool implies(const Further& further) const;
  };
  struct Execution : PathExecution {
    using PathExecution::PathExecution;
    bool goes_on(const Question& question) const { return question.turn == turns_of(question.thread); }
    std::vector<Question> questions;
    std::uint32_t next_question = 0;
  };
  struct Out {
    Ticket ticket = 0;
    std::uint32_t execution = nothing, question = 0;  // nothing: the first one
  };

  void find_questions(Execution& execution);
  void judge(const Execution& execution, bool is_new);
  bool ask(Execution& execution, Question& question, Item& item);
  bool is_pointless(const Execution& execution, const Question& question);
  void bring_in_alternatives(Execution& execution, const Question& question);
  TraceModel& model_of(Execution& execution);
  void forget_model(Execution& execution);
  bool exclude_known(Execution& execution, Question& question);
  std::optional<std::vector<ExpressionId>> what_it_did(const Execution& execution, const Question& question, const Execution& known) const;
  Further where_they_part(const Execution& execution, const Question& question, const Execution& known) const;
  void say(Execution& execution, Question& question, const Further& further, const std::vector<ExpressionId>& conditions);
  Truth passed_before(Execution& execution, Question& question, std::uint32_t thread, std::uint32_t turn);
  Reply solve(Execution& execution, const Question& question);
  Reply turn_otherwise(Execution& execution, const Question& question, std::vector<Truth> wanted, const PathExecution::Others& others);
  Reply go_on(Execution& execution, const Question& question, std::vector<Truth> wanted, const PathExecution::Others& others);
  void tell_gap(std::string gap) { gaps_.insert(std::move(gap)); }

  Schedule base_;
  MpcOptions options_;
  PathTree tree_;
  std::vector<std::unique_ptr<Execution>> executions_;
  std::set<Path> paths_;
  BranchPaths branches_;
  std::deque<std::pair<std::uint32_t, std::uint32_t>> urgent_;  // execution and question: those about failures
  std::vector<std::uint32_t> open_;                             // executions that have questions left; the last one is asked first
  std::optional<Out> out_;
  std::list<std::uint32_t> built_;  // executions with a model, the one used last in front
  Ticket next_ticket_ = 0;
  bool began_ = false, thinking_ = false;
  std::set<std::string> gaps_;
  Counts counts_;
  SolverCounts statistics_;
};

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// Maximal path causality (Yi and Huang, ESEC/FSE 2018): all schedules and inputs that lead every thread along the same turns are one path,
// and each path is executed; once, unless threads were cut off on it by a crash (below).
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
// Where an execution has few states, one walk over them finds all answers beforehand (path_walk.h); what is known only takes some of them
// away. Elsewhere the solver is asked.
//
// Needs a symbolic build. Who fails lets the others go on first (Policy::Patient): what they do then is seen in the same execution, and
// asked about as if they had done it before. Two that fail in one execution do so behind each other's back: the second one is asked whether
// he can without the first. Whoever was cut off by a crash or `exit` is asked whether he could have gone further before it; and an
// execution in which he was speaks for others only as far as the steps that it saw, so that the same turns may be executed again. Who went
// round a spin loop in vain is followed there (followed_iteration.h): turning into such an iteration is worth a run only to see it, which
// is given up when that is seen (TREADLE_SPINS_STOP). That somebody goes round for ever is a standstill, and asked about as those are.
//
// Where something has no model of order, everything behind it is cut off, and is not asked about. When nothing else is left to ask, the
// search begins anew without models, schedule by schedule (inputs_around_schedules.h): what was found by then stays, and was found soon.
// As long as nobody has asked for an input it goes on there at once, as a search by values: that one knows what was executed by then, and
// begins with the first execution that it cannot act out. So there are hardly ever more executions than if it had been there from the start
// (docs/limits.md).
//
// With several jobs questions to different executions are put at once, and what is out at the same time cannot be the same path
// (beginning.h).
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>

#include "explore/beginning.h"
#include "explore/branch_paths.h"
#include "explore/common_ways.h"
#include "explore/inputs_around_schedules.h"
#include "explore/inquiries.h"
#include "explore/known_ends.h"
#include "explore/known_ways.h"
#include "explore/listener.h"
#include "explore/path_execution.h"
#include "explore/path_walk.h"
#include "explore/strategy.h"

namespace treadle {

struct MpcOptions {
  double seconds_per_question = 60;
  std::uint32_t most_values = 64;   // of one that is used in a way without a model: so many are tried
  unsigned jobs = 1;                // questions asked, and executions out, at once
  std::size_t most_states = 4'000;  // of a walk over those of one execution; where there are more the solver is asked. 0: always
  bool by_schedules = false;        // as if something had no model of order, from the start; for tests
};

class Mpc final : public Strategy, public Listener {
 public:
  /// `base` gives everything but prefix and policy.
  Mpc(Schedule base, const MpcOptions& options);

  std::optional<Item> next() override;
  bool thinking() const override { return around_ ? around_->thinking() : thinking_; }
  /// The model says that it is possible.
  bool is_tentative(Ticket ticket) const override { return !around_ && ticket != 0; }
  bool is_a_check(Ticket ticket) const override { return around_ && around_->is_a_check(ticket); }
  void learn_from(Ticket ticket, const Trace& trace) override;
  void hear_of(const Trace& trace) override;
  Recording needs() const override {
    if (around_) return around_->needs();
    Recording recording = recording_for_paths();
    recording.spins_stop = true;
    return recording;
  }
  std::size_t ahead() const override { return around_ ? around_->ahead() : std::max<std::size_t>(options_.jobs, out_.size()); }
  std::string covers() const override { return around_ ? around_->covers() : covered_by_paths(base_, branches_.paths()); }
  std::optional<std::string> covers_already() const override { return around_ ? around_->covers_already() : std::nullopt; }
  bool runs_everything() const override { return around_ != nullptr; }
  std::string gaps() const override;
  Counts counts() const override;
  std::optional<SolverCounts> solver() const override;

 private:
  static constexpr unsigned most_jobs = 32;       // fewer than models are kept
  static constexpr std::size_t most_waiting = 4;  // answers for each job
  static constexpr double seconds_at_first = 0.02;

  using Row = CommonWays::Row;

  using Known = std::pair<std::size_t, Row>;  // in how many ways they part, and where

  /// What threads do that went as far as in a known execution, and then further.
  enum class Behind : std::uint8_t {
    Matters,
    Nothing,  // no turns, and nobody notices
    Failure   // a thread fails whatever they do
  };

  /// Can this thread turn otherwise there; or, at its end, go on?
  struct Question {
    std::uint32_t thread = 0;
    std::uint32_t turn = 0;  // as many as there are: can it go on
    bool done = false;
    bool fails = false;                                       // can it fail as it would have if another one had not done so before
    bool walked = false;                                      // it is answered by the walk
    bool out = false;                                         // its answer is being executed
    bool waits = false;                                       // its answer may be what is being executed
    double seconds = seconds_at_first;                        // that it may take the solver; it is asked again with more, but not at once
    std::vector<std::uint32_t> heard{};                       // by way on from there: of the executions that took it, so many count already
    std::uint32_t heard_whole = 0;                            // of those that went to their ends, all before this one
    std::optional<Truth> when{};                              // they do, when this holds
    std::map<std::uint64_t, TraceModel::Condition> others{};  // by thread and mark: who may have to have gone further
    std::vector<Row> said{};                                  // of the others one has gone further than one of these
    bool implies(const Row& common) const;
  };
  struct Execution : PathExecution {
    using PathExecution::PathExecution;
    bool goes_on(const Question& question) const { return question.turn == turns_of(question.thread); }
    std::vector<Question> questions;
    std::uint32_t next_question = 0;  // all before it are done
    CommonWays common;
    std::vector<std::uint32_t> ways;  // by thread: the number of the way that it went, how far it tells, and its steps
    std::unique_ptr<PathWalk> walk;   // null: there is none, or nobody has looked yet
    bool was_looked_at = false;
    bool is_dull = false;        // what the others had still to do when it failed does not matter
    std::size_t ends_known = 0;  // when that was asked
  };
  struct Out {
    std::uint32_t execution = nothing, question = 0;  // nothing: the first one
    Beginning beginning{};
  };
  /// An answer that may be what is being executed. Once that is known, it mostly is not, and need not be asked again.
  struct Waiting {
    Out out{};
    Item item{};
    std::uint32_t parts_before = 0;  // it is none of the executions before this one
  };
  struct Asked {
    Execution* execution = nullptr;
    std::uint32_t question = 0;
    Reply reply{};
    bool is_answered = false;
    Inquiries inquiries{};
    Question& what() const { return execution->questions[question]; }
  };

  // mpc.cpp: what is asked when, and what comes of it
  std::vector<Asked> to_ask();
  std::vector<Asked> to_ask_with_patience();
  bool find_in(Execution& execution, std::vector<Asked>& found);
  bool consider(Execution& execution, std::uint32_t which, std::vector<Asked>& found);
  void look_at(Execution& execution);
  bool ask_solver_instead(Execution& execution, Question& question);
  std::optional<Reply> answer_by_walk(Execution& execution, Question& question);
  void learn_names(const Trace& trace) {
    if (trace.threads.size() > base_.threads.size()) base_.threads = trace.threads;
  }
  bool take_in(const Trace& trace);
  void add(std::unique_ptr<Execution> execution);
  /// What others did behind its end matters, and where it turned otherwise it did not fail.
  static bool is_whole(const Execution& execution) { return execution.failed() == nothing && execution.followed() == nothing; }
  void follow_loops(const Trace& trace);
  bool starts_as_known(const Trace& trace, const FollowedIteration& followed, const Execution& execution);
  void judge(const Out& out, std::uint32_t first, bool is_new);
  void find_questions(Execution& execution);
  void note_schedule(const Trace& trace, bool is_first);
  bool wants_schedules() const { return without_inputs_ && !without_model_.text().empty(); }
  void take_back_what_is_ready();
  std::optional<Item> go_on_by_schedules();

  // mpc_at_once.cpp: what is asked and executed at the same time
  void ask_all(std::vector<Asked>& asked);
  void take_answer(Asked& asked);
  bool may_be_out(const Beginning& beginning) const;
  bool may_be_known(Waiting& waiting) const;
  void send_out(Out out, Item item);
  void send_out_who_waited();
  void let_others_go_first(const Execution& execution, const Question& question, const Reply& reply, std::vector<Decision>& prefix) const;

  // mpc_questions.cpp: what is known already
  bool is_dull(Execution& execution) const;
  bool is_pointless(const Execution& execution, const Question& question);
  bool has_values_enough(const Execution& execution, const Question& question);
  void bring_in_alternatives(Execution& execution, const Question& question);
  TraceModel& model_of(Execution& execution);
  void use_model(Execution& execution);
  void forget_model(Execution& execution);
  bool exclude_known(Execution& execution, Question& question);
  bool exclude_whole(Execution& execution, Question& question, PathNode way, bool is_own, std::vector<Known>& known);
  std::optional<Way> goes_round_with(const Execution& execution, const Question& question, const Execution& known) const;
  bool exclude_going_round(Execution& execution, Question& question, const Way& pins);
  bool knows_how_it_goes_on(const Execution& execution, const Question& question, const Execution& known) const;
  static std::uint32_t end_of(const Execution& execution, std::uint32_t thread);
  static std::uint32_t common_marks(const Execution& execution, const Execution& known, std::uint32_t thread);
  CommonWays::RowNumber in_common(Execution& execution, std::uint32_t other) const;
  Row where_they_part(Execution& execution, const Question& question, std::uint32_t other) const;
  Row where_they_part(Execution& execution, const Question& question, std::uint32_t other, Behind behind) const;
  Behind behind_end_of(Execution& known) const;
  static bool fails_at(const Question& question, const Execution& known);
  static bool has_failed_as(const Execution& execution, const Question& question, const Execution& known);
  static Way way_to_failure(const Question& question, const Execution& known);
  void exclude_failure(Execution& execution, Question& question, std::uint32_t other, const std::vector<ExpressionId>* conditions,
                       std::optional<std::uint64_t> count);
  static std::size_t parts_of(const Execution& execution, const Row& common);
  void say_known(Execution& execution, Question& question, std::vector<Known> known);
  void say(Execution& execution, Question& question, const Row& common, const std::vector<ExpressionId>& conditions,
           std::optional<std::uint64_t> count = {});
  Truth passed_before(Execution& execution, Question& question, std::uint32_t thread, std::uint32_t mark);

  // mpc_wishes.cpp: what is asked for
  Reply solve(Execution& execution, const Question& question) const;
  Reply turn_otherwise(Execution& execution, const Question& question, std::vector<Truth> wanted,
                       const PathExecution::Others& others) const;
  std::optional<Reply> go_on_as_it_stood(const Execution& execution, const Question& question) const;
  Reply fail_as_it_would(Execution& execution, const Question& question, std::vector<Truth> wanted,
                         const PathExecution::Others& others) const;
  Reply go_on(Execution& execution, const Question& question, std::vector<Truth> wanted, const PathExecution::Others& others) const;
  Beginning beginning_of(const Execution& execution, const Question& question, const Reply& reply) const;

  Schedule base_;
  MpcOptions options_;
  PathTree tree_;
  KnownEnds ends_;
  InputTerms terms_;
  std::uint32_t walks_failed_ = 0, not_walked_ = 0;  // in a row; and executions that had better not be, then
  std::vector<std::unique_ptr<Execution>> executions_;
  using Ended = std::pair<Path, std::uint32_t>;                    // and who failed
  std::map<Ended, std::set<std::vector<std::uint32_t>>> paths_;    // and how many steps each thread had made when it ended
  std::map<Path, std::set<std::vector<std::uint32_t>>> followed_;  // of those that are followed into an iteration
  BranchPaths branches_;
  std::map<std::array<std::uint32_t, 4>, std::uint32_t> ways_;  // by thread, last node, telling turns and steps: a number
  std::vector<std::uint32_t> went_;                             // by number of a way: an execution
  KnownWays whole_;                                             // executions that nobody failed in: see is_whole()
  std::deque<std::pair<std::uint32_t, std::uint32_t>> urgent_;  // execution and question: those about what fails and what did
  std::vector<std::uint32_t> open_;                             // executions that have questions left; the last one is asked first
  std::unordered_map<Ticket, Out> out_;
  std::deque<Item> ready_;                                             // of these, not handed out yet
  std::vector<Waiting> waiting_;                                       // see Question::waits
  std::list<std::uint32_t> built_;                                     // executions with a model, the one used last in front
  std::map<std::pair<PathNode, std::uint64_t>, std::uint64_t> loops_;  // by place and loop: what its iterations start from there
  std::set<PathNode> has_too_many_values_;                             // of what is used there
  Ticket next_ticket_ = 0;
  bool began_ = false, thinking_ = false, loops_spin_ = false;
  double patience_ = seconds_at_first;  // seconds: questions that may take longer are asked when there are no others
  Counts counts_;
  Inquiries inquiries_;
  KnownPaths known_paths_;
  Gaps without_model_;                             // what was met that has no model of order
  std::unique_ptr<Value> without_inputs_;          // knows what was executed, for a search without inputs; null: there are some
  std::optional<Trace> first_;                     // execution; none: it has been no use to a search by schedules
  std::unique_ptr<InputsAroundSchedules> around_;  // null: nobody has needed it yet
};

}  // namespace treadle

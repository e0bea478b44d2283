// SPDX-License-Identifier: Apache-2.0
// One execution as those see it that explore paths: the ways its threads went, and a model of it that can be asked whether they could have
// gone otherwise.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "explore/followed_iteration.h"
#include "explore/path_tree.h"
#include "solve/trace_model.h"
#include "subject/subject.h"

namespace treadle {

class PathExecution {
 public:
  using Others = std::vector<TraceModel::Condition>;

  PathExecution(const Trace& trace, const Schedule& base, std::uint32_t number);
  /// One whose thread goes into an iteration of a spin loop and stays there: what it does is no path, but turns there can be asked about.
  PathExecution(const FollowedIteration& followed, const Schedule& base, std::uint32_t number);

  std::uint32_t number() const { return number_; }
  const Trace& trace() const { return trace_; }
  const Units& units() const { return units_; }
  const Turns& turns() const { return turns_; }
  const Turn& turn(std::uint32_t thread, std::uint32_t which) const { return turns_.of_threads()[thread][which]; }
  /// The thread that failed in the step of its last turn: whoever makes its turns fails, no matter how far the others are. None: `nothing`.
  std::uint32_t failed_at_a_turn() const { return failed_at_a_turn_; }
  /// How many steps each thread made, by thread.
  const std::vector<std::uint32_t>& steps() const { return steps_; }

  /// The thread that failed; nothing: nobody did.
  std::uint32_t failed() const { return failed_; }
  /// It let the others go on first. Who was about to fail, too, ended it no more than whoever waited.
  bool let_others_go_first() const { return failing_choice_ != nothing; }
  /// In this step the thread would have failed, had another one not done so before: nobody has seen it fail. Nothing: there is none.
  UnitId about_to_fail(std::uint32_t thread) const;

  Path path;  // in the tree of whoever explores
  /// As far as they had come when what failed was decided: what the others did then changes nothing about that.
  std::uint32_t turns_before_failure(std::uint32_t thread) const { return turns_before_failure_[thread]; }
  Path path_before_failure() const;
  std::uint32_t turns_of(std::uint32_t thread) const { return static_cast<std::uint32_t>(path[thread].size()); }

  /// Who is followed into an iteration; nothing: nobody.
  std::uint32_t followed() const { return followed_; }
  /// Of its turns, so many come before the iteration.
  std::uint32_t turns_before_iteration() const { return turns_before_iteration_; }
  /// So many of its turns lead to where something can be new for others. Behind the last one of an iteration a thread is where it was.
  std::uint32_t telling_turns_of(std::uint32_t thread) const { return thread == followed_ ? telling_turns_ : turns_of(thread); }

  /// Made when it is asked for.
  TraceModel& model();
  bool has_model() const { return model_ != nullptr; }
  void forget_model();
  /// Nothing will be asked any more: only the path stays.
  void forget_trace();

  /// What the condition says of this trace; true: the model, if there was one, is gone. Where loops spin it may say nothing: of what is
  /// read behind an iteration that changed something elsewhere, and nothing here.
  bool bring_in(PathNode node, const PortableCondition& condition, bool loops_spin);
  const std::vector<ExpressionId>* brought_in(PathNode node) const;
  bool is_about_reads_before(std::uint32_t thread, std::uint32_t which, const PortableCondition& condition) const {
    return turns_.is_about_reads_before(thread, turn(thread, which), condition);
  }

  /// On the way of a thread, in its order: a step that it makes, then the turns that it takes there. Marks are counted from 0.
  std::uint32_t mark_of_step(std::uint32_t thread, std::uint32_t step) const { return steps_at_[thread][step]; }
  std::uint32_t mark_of_turn(std::uint32_t thread, std::uint32_t turn) const { return turns_at_[thread][turn]; }
  std::uint32_t marks_of(std::uint32_t thread) const { return steps()[thread] + turns_of(thread); }
  /// Of the steps of the thread, that of the mark: from 0.
  std::uint32_t step_of_mark(std::uint32_t thread, std::uint32_t mark) const;
  /// By thread, in its order.
  const std::vector<std::vector<UnitId>>& units_of_steps() const { return units_of_steps_; }
  TraceModel::Condition reaching(std::uint32_t thread, std::uint32_t mark);

  /// The thread makes the turn as it did.
  TraceModel::Condition passing(std::uint32_t thread, std::uint32_t turn);

  /// There is another way there, as far as this trace can tell.
  bool can_be_otherwise(std::uint32_t thread, std::uint32_t turn);

  /// Adds what it takes that the thread turns otherwise there. None: it never does.
  std::optional<Target> turn_otherwise(std::uint32_t thread, std::uint32_t turn, std::vector<Truth>& wanted);
  /// A Result that may have more than two values has this one there.
  Truth counts(std::uint32_t thread, std::uint32_t turn, std::uint64_t count);
  /// How the last step of that turn is then made, when it is a Result.
  DecisionKind other_decision(std::uint32_t thread, std::uint32_t turn) const;

  /// The last unit of a thread, or else the one that creates it; nothing: it is the first thread and has made no step.
  UnitId last_unit_of(std::uint32_t thread) const;
  /// What the thread waited for at the end; nothing: it did not, or that has no unit.
  UnitId pending_unit_of(std::uint32_t thread) const;
  const PendingOperation* pending_of(std::uint32_t thread) const;
  bool has_ended(std::uint32_t thread) const;
  /// The flushes of its stores.
  std::vector<UnitId> flushes_of(std::uint32_t thread) const;

 private:
  void set_marks();

  Schedule base_;  // how it was run
  std::uint32_t number_;
  std::size_t made_;  // decisions; the rest of the trace was only thought of
  Trace trace_;
  Units units_;
  Turns turns_;
  std::vector<std::uint32_t> steps_, turns_before_failure_;
  std::vector<std::vector<std::uint32_t>> steps_at_, turns_at_;  // by thread: their marks
  std::vector<std::vector<UnitId>> units_of_steps_;              // by thread
  std::uint32_t failed_, failed_at_a_turn_, failing_choice_ = nothing;
  std::uint32_t followed_, turns_before_iteration_ = 0, telling_turns_ = 0;
  std::unique_ptr<TraceModel> model_;
  std::unordered_map<UnitId, TraceModel::Result> results_;
  std::unordered_map<UnitId, Truth> otherwise_;                      // of results
  std::map<std::pair<UnitId, std::uint64_t>, Truth> counts_;         // likewise
  std::unordered_map<std::uint64_t, TraceModel::Condition> passed_;  // by thread and turn
  std::unordered_map<PathNode, std::vector<ExpressionId>> brought_in_;
};

/// Not one that the program's assumptions left out, nor one that nobody could go on with.
bool ends_a_path(const Trace& trace);

/// What a strategy has to have recorded.
Recording recording_for_paths();

/// "all schedules under SC and all inputs, by 7 paths"
std::string covered_by_paths(const Schedule& base, std::uint64_t paths);

}  // namespace treadle

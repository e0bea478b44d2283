// SPDX-License-Identifier: Apache-2.0
// One execution per class of executions in which all threads see the same (value: values and results of operations; rf: whose writes they
// read), and none twice.
//
// It follows optimal partial order reduction (optimal.h), but acts its executions out on what is known of the program (rehearsal.h), and
// runs only those that come to something unknown, or turn out to be of a class that has not been run. So each class that optimal finds is
// found, and what differs only in the order of operations costs no execution.
//
// Where only states matter, and not the orders that lead to them, these are walked over first (state_walk.h), which takes far less time
// when many orders lead to the same. Where there are many states the above takes turns with it, until one of the two has come to its end.
// What the walk cannot do, and races that show only in orders, is left to the above.
//
// When a run has shown that something was foreseen wrongly, the search is begun again in the end, with what is known by then: nothing that
// was skipped wrongly stays skipped, and what has been run is not run again.
//
// At most one execution is out whose end is not known beforehand: two of them might turn out to be the same.
//
// Whether two accesses race depends on more than on what was read: where one order of two critical sections orders them, the other may not.
// So each execution acted out is looked at for races (race_watch.h), unless they are ignored, and one that shows two accesses racing that
// no run has shown is run although its class is known. That is the check of a property, as a replay before a report is, and in no count.
#pragma once

#include <deque>
#include <unordered_map>
#include <unordered_set>

#include "explore/known_executions.h"
#include "explore/known_runs.h"
#include "explore/optimal.h"
#include "explore/race_watch.h"
#include "explore/rehearsal.h"
#include "explore/state_walk.h"

namespace treadle {

enum class ClassBy : std::uint8_t { Values, ReadsFrom };

class Value final : public Strategy, public KnownExecutions {
 public:
  /// With a self-check, what could be acted out is run as well, and compared.
  Value(Schedule base, ClassBy by, bool self_check = false);

  std::optional<Item> next() override;
  void learn_from(Ticket ticket, const Trace& trace) override;
  bool is_a_check(Ticket ticket) const override;
  Recording needs() const override;
  std::size_t ahead() const override { return out_.size() + 64; }
  bool thinking() const override { return thinking_; }
  std::string covers() const override { return inner_->covers(); }
  Counts counts() const override { return counts_; }

  /// Which classes have been run is kept, and what is known of the program is not: some of them are run again to learn it anew.
  std::string save() const override;
  bool load(std::string_view bytes) override;

  /// An execution that something else has asked for: its class counts as run. One that does not settle its class is what the search begins
  /// with, by whatever schedule it was made, so that it is not made again; later ones are kept until it comes to them.
  enum class Begins : std::uint8_t { Anew, WithTheFirstUnsettled };
  void take_note(const Trace& trace, Begins how = Begins::WithTheFirstUnsettled);

  /// What was noted has something in it that is known by its circumstances at best: whoever goes on with anything else may run what this
  /// search will run again.
  bool should_go_on_alone() const { return begun_ || beyond_rules_; }
  bool last_was_new() const override { return noted_new_; }
  const Trace* known(std::span<const Decision> prefix) override;
  const Trace* foreseen(std::span<const Decision> prefix) override;
  std::optional<std::uint64_t> state_before_last(std::span<const Decision> prefix) override;

 private:
  /// Why an execution is made.
  enum class Why : std::uint8_t { Unknown, NewClass, Race };

  static constexpr Ticket by_walk = Ticket{1} << 62;

  std::uint64_t key() const { return by_ == ClassBy::Values ? rehearsal_.values_key() : rehearsal_.reads_from_key(); }
  std::optional<Item> walk();
  Item walked(const std::vector<Decision>& decisions, Why why, std::uint64_t expected);
  bool is_turn_of_walk();
  void stop_walking(bool everything_seen);
  bool settles_its_class(const Trace& trace);
  bool may_have_raced(const Trace& trace);
  void begin_with(const Trace& trace);
  void keep(const Trace& trace, bool is_settled, KnownRuns::Told told);
  bool teach_what_was_run(const Item& item);
  bool rehearse(Item& item);
  std::uint64_t teach_inner(Ticket ticket, const Trace& trace);
  bool shows_a_new_race();
  void note_failure(const HowItEnded& end);
  bool failed_before() const;
  void note_races(const Trace& trace);
  bool foresaw_wrongly() const { return skipped_ > 0 && (doubts_ || rehearsal_.surprises() > surprises_); }

  struct Out {
    Why why;
    std::uint64_t expected;  // its class; not of an unknown one
  };

  /// A pair of accesses that may race. The runtime names one access for several, and lets one race stand for another: a single run need not
  /// show the pair.
  struct Suspicion {
    bool shown = false;
    std::uint8_t tries = 0;
  };

  /// A failure that an execution has shown, and which ways the threads had gone: the keys of the places along them.
  struct Failure {
    Ending ending;
    std::uint64_t pc;
    std::vector<std::vector<std::uint64_t>> ways;
  };

  Schedule base_;
  std::unique_ptr<Optimal> inner_;
  LearnedProgram program_;
  Rehearsal rehearsal_;
  ClassBy by_;
  bool self_check_;
  StateWalk walk_;
  bool walking_, walks_on_ = true, finished_ = false;
  bool begun_ = false;  // the inner search was given what it begins with
  bool beyond_rules_ = false;
  std::optional<Trace> to_begin_with_;  // as soon as nothing is out
  KnownRuns runs_;                      // that may not be acted out: what need not be run again
  std::uint64_t rehearsed_steps_ = 0;
  Ticket walked_ = 0;
  std::unordered_map<Ticket, Trace> rehearsed_;
  std::unordered_set<std::uint64_t> seen_;  // run, or out
  std::unordered_map<Ticket, Out> out_;
  std::deque<Item> waiting_;  // until the unknown one that is out has come back
  bool unknown_out_ = false, thinking_ = false;
  bool noted_new_ = false;
  std::unordered_map<std::uint64_t, std::vector<Failure>> failures_;  // by where the thread that failed was
  std::size_t places_of_failures_ = 0;
  bool doubts_ = false;                        // something was foreseen wrongly before the search was resumed
  std::uint64_t skipped_ = 0, surprises_ = 0;  // since the search was begun (again)
  bool watches_races_;
  RaceWatch race_watch_;
  std::unordered_map<std::uint64_t, Suspicion> races_;  // by RacingPair::key()
  Counts counts_;
};

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// A walk over the states that a learned program can be in: where each thread stands, what is in memory and in store buffers, who has which
// lock. What two orders of operations lead to the same state is looked at once, so the walk grows with the states and not with the classes
// of partial order reduction: five writers of one value leave the same memory behind in any order.
//
// Each state is left by a persistent set of moves only (persistent_sets.h), which comes to every state in which nobody can go on. What is
// known of the program grows while the walk goes on, and a persistent set may turn out to have been too small: the walk is repeated until
// they all hold by what is known in the end.
//
// Where two threads are about to make accesses that race, that is told as well. Without weak atomic operations each race has such a moment,
// or comes behind one: the past of the first two accesses that nothing orders, without the accesses, is an execution that leads there.
#pragma once

#include <deque>
#include <optional>
#include <unordered_set>
#include <vector>

#include "explore/futures.h"
#include "explore/number_set.h"
#include "explore/persistent_sets.h"
#include "explore/rehearsal.h"

namespace treadle {

class StateWalk {
 public:
  StateWalk(LearnedProgram& program, Rehearsal& rehearsal, bool with_writers)
      : program_(program), rehearsal_(rehearsal), with_writers_(with_writers), sets_(rehearsal, futures_) {}
  StateWalk(const StateWalk&) = delete;
  StateWalk& operator=(const StateWalk&) = delete;

  enum class Came {
    ToAnEnd,        // rehearsal.trace() and its keys tell to which
    ToARace,        // race() tells how; not before everything else is done
    ToUnknown,      // decisions() lead to something that must be run first: call learned() when it was
    Nowhere,        // call again: there may be more
    ToItsEnd,       // every state has been seen
    OutOfItsDepth,  // what the program does cannot be walked over, or is too much
  };
  Came go_on();

  const std::vector<Decision>& decisions() const { return decisions_; }

  struct Meeting {
    RacingPair pair;
    std::vector<Decision> decisions;  // lead to both accesses
  };
  const Meeting& race() const { return *race_; }

  /// What decisions() led to has been run, or more has become known for another reason.
  void learned();

  /// So many have been looked at, those of earlier passes included.
  std::uint64_t states() const { return states_; }

  /// Pairs that may race without ever meeting: only to be found by looking at orders.
  const std::unordered_set<std::uint64_t>& unmet_races() const { return unmet_; }

 private:
  struct Node {
    std::vector<Decision> to_do;
    std::size_t depth = 0;    // decisions before it
    bool has_moment = false;  // where there is more than one thing to do
    Rehearsal::Moment moment;
  };

  bool begin_pass();
  bool tell_a_race();
  bool turn_back();
  bool follow();
  Came walk();
  Came unknown();
  Came came_to_an_end();
  bool is_settled();
  bool still_holds();
  void look_for_races();
  void take_back(const StoreUnderWay& store, std::vector<Decision>& decisions) const;

  LearnedProgram& program_;
  Rehearsal& rehearsal_;
  bool with_writers_;
  Futures futures_;
  PersistentSets sets_;
  NumberSet seen_;
  std::uint64_t states_ = 0;
  std::deque<Node> nodes_;  // the first ones; the others are kept for the memory that they have
  std::size_t used_ = 0;
  std::vector<Decision> decisions_;
  bool at_root_ = false, too_large_ = false;
  bool learned_ = false;       // in this pass
  bool settled_ = false;       // it is over, and was enough
  bool learned_late_ = false;  // although it was thought to be
  unsigned passes_ = 0, tries_ = 0;
  std::optional<Meeting> race_;
  std::vector<Meeting> races_;                         // to be told
  std::unordered_set<std::uint64_t> met_, unmet_;      // by RacingPair::key()
  NumberSet met_places_, unknown_places_, looked_at_;  // pairs of places
};

}  // namespace treadle

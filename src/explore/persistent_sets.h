// SPDX-License-Identifier: Apache-2.0
// Which moves have to be made in a state so that every state in which nobody can go on is come to (persistent sets, Godefroid 1996): moves
// that nothing which the others may ever do (futures.h) can touch, nor make possible.
//
// A thread's own flushes do not get in the way of its steps, nor the other way round: a load finds the same in the buffer and, once it is
// flushed, in memory, and what cannot pass the buffer waits for it. So of a thread that may touch something sooner or later only its steps
// are needed, and the flushes of those stores under way that touch it; the others can wait until somebody looks (lamport.c with two looks,
// PSO: 62,508 states instead of 955,552).
//
// What is known of the program grows while sets are chosen, and one may turn out to have been too small. What was relied on is kept, and
// looked at again in the end.
#pragma once

#include <span>
#include <vector>

#include "explore/futures.h"
#include "explore/number_set.h"
#include "explore/rehearsal.h"

namespace treadle {

class PersistentSets {
 public:
  PersistentSets(const Rehearsal& rehearsal, const Futures& futures) : rehearsal_(rehearsal), futures_(futures) {}

  /// The smallest that is found for the moment at which the rehearsal is.
  void choose(std::vector<Decision>& out);

  /// By what is known now, all that were chosen since forget() are large enough.
  bool hold(const LearnedProgram& program) const;
  void forget() { relied_on_.clear(); }
  /// From now on, what nothing is known of yet is taken to disturb everything.
  void be_cautious() { cautious_ = true; }

 private:
  enum Fact : std::uint64_t { StepsDoNot, StoreDoesNot, StepsDoNotStore, StoreDoesNotStore };  // disturb the step, or the store

  bool grow(std::size_t first, std::size_t too_many);
  bool is_disturbed(Fact fact, const Place& by, const Place& place) const;
  void choose_move(std::size_t move);
  void add_moves(unsigned thread, bool flushes);
  void add_steps(unsigned thread);
  void add_flushes(unsigned thread);
  void add_flush(const StoreUnderWay& store);
  void add_who_disturbs(unsigned self, const Place& place, bool is_store);

  const Rehearsal& rehearsal_;
  const Futures& futures_;
  NumberSet relied_on_;
  bool cautious_ = false;

  // The set that grows, and the smallest so far.
  std::vector<char> chosen_, best_;
  std::size_t count_ = 0;  // chosen
  std::vector<std::uint64_t> facts_, best_facts_;
  std::vector<char> steps_, flushes_;         // of these threads: all are in it
  std::vector<unsigned> threads_;             // whose steps are
  std::vector<const StoreUnderWay*> stores_;  // whose flushes are
};

}  // namespace treadle

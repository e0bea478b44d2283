// SPDX-License-Identifier: Apache-2.0
// Somebody else's access between two of a region, found by trying: the trace is made again in its own order, but with one thread held back,
// and each of the others goes as far as it can without it. Either the region's thread stands still between its two accesses until the
// other one has come; or the other thread stands still before its access until the region's thread has made the first of its two.
//
// Of a long trace nearly everything that can happen is found so, at the price of one walk for each place where a thread is held back. What
// is not found says nothing: that is for the solver.
#pragma once

#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "predict/interruption.h"
#include "predict/race.h"

namespace treadle {

class HeldBack {
 public:
  using Found = Interruptions::Found;

  explicit HeldBack(Interruptions& interruptions);

  void look_for(std::span<const Triple> triples, const KeepAsking& keep_asking, const Found& found);

 private:
  struct Question {
    Interruption what;
    bool answered = false;
    std::set<UnitId> others;  // it came about, but made no difference: who might have made one, had they not come before these
  };
  using Watched = std::map<UnitId, std::vector<std::size_t>>;  // questions to look at before that is made, or behind it

  void look_for(bool region_waits, bool with_another, const KeepAsking& keep_asking);
  void note_writers(std::size_t question);
  /// Somebody is held back at `place`: the region's thread behind it, or the other one before it; and perhaps one more before `other`.
  void walk(UnitId place, bool region_waits, UnitId other, const Watched& watched);
  void advance(unsigned thread, UnitId to, const Watched& watched);
  bool go_on(unsigned thread, const Watched& watched);
  /// Pauses at what is watched, too.
  bool make_section(unsigned thread, std::uint32_t& next, std::uint32_t stop, const Watched& pauses);
  void look_at(std::size_t question);
  Interruptions::Outcome try_out(std::size_t question);
  void wait_for_difference(std::size_t question);

  Interruptions& interruptions_;
  const Units& units_;
  const ThreadWays& ways_;
  TraceMachine& machine_;
  std::unordered_map<CellId, std::vector<UnitId>> writers_;

  std::span<const Triple> triples_;
  std::vector<Question> questions_;
  const Found* found_ = nullptr;
  std::size_t open_ = 0;  // questions of this walk without an answer
  bool look_before_ = false;
  std::vector<std::uint32_t> next_;  // by thread: the number of its next unit
  std::vector<std::uint32_t> stop_;  // by thread: the first that it must not make
};

}  // namespace treadle

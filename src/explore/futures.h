// SPDX-License-Identifier: Apache-2.0
// What the threads of a learned program may still touch, as far as it is known: behind each place, and by the next step from there.
// Persistent sets (Godefroid 1996) are made of it: while nothing that the others may ever do touches what a thread touches next, it does
// not matter when it moves.
//
// On the safe side: whatever an operation may touch it touches, and all but reads of memory is a write. Threads are left out: whoever is
// created, ends or is joined can do so only once, and nobody but a second joiner would notice when.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "explore/learned_program.h"
#include "explore/race_watch.h"
#include "explore/transition.h"

namespace treadle {

class Futures {
 public:
  /// Takes in all places that are known by now. False: there are too many different things to touch.
  bool look_at(const LearnedProgram& program);

  /// Was the place known then? Of others nothing can be said.
  bool knows(const Place& place) const { return place.number < places_; }
  std::size_t places() const { return places_; }
  /// The place itself, or the last one before it that was known.
  const Place& nearest(const Place& place) const {
    const Place* at = &place;
    while (!knows(*at)) at = at->before;
    return *at;
  }

  /// May something that a thread at `other` does sooner or later touch what the next step from `place` touches? A store that will be
  /// buffered touches nothing then, only when it reaches memory.
  bool disturb_step(const Place& other, const Place& place) const { return meet(other, place, clash_); }
  bool disturb_store(const Place& other, const Place& place) const { return meet(other, place, clash_of_stores_); }

  /// May the store itself that was made at `store` do so, when it reaches memory?
  bool stored_disturbs_step(const Place& store, const Place& place) const { return meets(own_[store.number], place, clash_); }
  bool stored_disturbs_store(const Place& store, const Place& place) const { return meets(own_[store.number], place, clash_of_stores_); }

  /// Two next steps that race: one of them is plain. At most one access is made by each.
  std::optional<RacingPair> race(const Place& one, const Place& other) const;

  /// Pairs that may race by what threads at these two places may still do, whether or not they can ever meet.
  template <class Visit>
  void for_each_race_to_come(const Place& one, const Place& other, Visit visit) const;

  /// Atomic operations that do not order what they tell of: an access may race although the two never meet.
  bool has_weak_atomics() const { return weak_; }

 private:
  using Bits = std::uint64_t;
  struct Touch {
    Access access;
    RacingPair::Access by;
    bool is_memory_access;
  };
  static bool races(const Touch& one, const Touch& other);
  unsigned number_of(const Touch& touch);
  void collect(const Place& place);
  bool meets(const std::vector<unsigned>& touches, const Place& place, const std::vector<Bits>& clash) const;
  bool meet(const Place& other, const Place& place, const std::vector<Bits>& clash) const;
  const Bits* row(const std::vector<Bits>& table, std::size_t i) const { return table.data() + i * width_; }

  std::vector<Touch> touches_;
  std::unordered_map<std::uint64_t, std::vector<unsigned>> index_;
  std::vector<std::vector<unsigned>> own_;  // by place: what its operation touches
  std::size_t places_ = 0, width_ = 0;
  std::vector<Bits> future_;                   // by place: all that may come
  std::vector<Bits> clash_, clash_of_stores_;  // by place: what must not, if it is to be left for later
  std::vector<Bits> conflicts_, racing_;       // by touch
  bool weak_ = false;
};

template <class Visit>
void Futures::for_each_race_to_come(const Place& one, const Place& other, Visit visit) const {
  const Bits *a = row(future_, one.number), *b = row(future_, other.number);
  for (std::size_t i = 0; i < touches_.size(); ++i) {
    if ((a[i / 64] >> i % 64 & 1) == 0) continue;
    const Bits* with = row(racing_, i);
    for (std::size_t w = 0; w < width_; ++w)
      for (Bits left = with[w] & b[w]; left != 0; left &= left - 1) {
        const std::size_t j = w * 64 + static_cast<std::size_t>(__builtin_ctzll(left));
        visit(RacingPair{touches_[i].by, touches_[j].by});
      }
  }
}

}  // namespace treadle

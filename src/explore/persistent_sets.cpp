// SPDX-License-Identifier: Apache-2.0
#include "explore/persistent_sets.h"

#include <algorithm>

namespace treadle {

void PersistentSets::choose(std::vector<Decision>& out) {
  const auto moves = rehearsal_.moves();
  std::size_t fewest = moves.size();
  best_.clear();
  for (std::size_t i = 0; i < moves.size() && fewest > 1; ++i) {
    if (!grow(i, fewest)) continue;
    fewest = count_;
    best_.swap(chosen_);
    best_facts_.swap(facts_);
  }
  for (std::size_t i = 0; i < moves.size(); ++i)
    if (best_.empty() || best_[i] != 0) out.push_back(moves[i]);
  if (!best_.empty())
    for (const std::uint64_t fact : best_facts_) relied_on_.insert(fact);
}

bool PersistentSets::hold(const LearnedProgram& program) const {
  constexpr std::uint64_t mask = (1u << 31) - 1;
  return !relied_on_.any_of([&](std::uint64_t fact) {
    return is_disturbed(static_cast<Fact>(fact & 3), program.places()[fact >> 33], program.places()[fact >> 2 & mask]);
  });
}

bool PersistentSets::is_disturbed(Fact fact, const Place& by, const Place& place) const {
  switch (fact) {
    case StepsDoNot:
      return futures_.disturb_step(by, place);
    case StoreDoesNot:
      return futures_.stored_disturbs_step(by, place);
    case StepsDoNotStore:
      return futures_.disturb_store(by, place);
    case StoreDoesNotStore:
      return futures_.stored_disturbs_store(by, place);
  }
  return true;
}

void PersistentSets::choose_move(std::size_t move) {
  count_ += chosen_[move] == 0 ? 1 : 0;
  chosen_[move] = 1;
}

void PersistentSets::add_moves(unsigned thread, bool flushes) {
  const auto moves = rehearsal_.moves();
  for (std::size_t i = 0; i < moves.size(); ++i)
    if (index_of(moves[i].thread) == thread && (moves[i].kind == DecisionKind::Flush) == flushes) choose_move(i);
}

void PersistentSets::add_steps(unsigned thread) {
  if (steps_[thread] != 0) return;
  steps_[thread] = 1;
  threads_.push_back(thread);
  add_moves(thread, false);
}

void PersistentSets::add_flushes(unsigned thread) {
  if (flushes_[thread] != 0) return;
  flushes_[thread] = 1;
  add_moves(thread, true);
  for (const StoreUnderWay& store : rehearsal_.under_way(thread)) stores_.push_back(&store);
}

/// Of a store that has to wait for others of its thread: theirs, too.
void PersistentSets::add_flush(const StoreUnderWay& store) {
  const auto moves = rehearsal_.moves();
  const Decision flush{DecisionKind::Flush, ThreadId{static_cast<std::uint8_t>(store.owner)}, store.number};
  const auto found = std::ranges::find(moves, flush);
  if (found == moves.end() || rehearsal_.model() != MemoryModel::Pso) return add_flushes(store.owner);
  const auto move = static_cast<std::size_t>(found - moves.begin());
  if (chosen_[move] != 0) return;
  choose_move(move);
  stores_.push_back(&rehearsal_.next_to_flush(store.owner, store.number));
}

void PersistentSets::add_who_disturbs(unsigned self, const Place& place, bool is_store) {
  const Fact steps = is_store ? StepsDoNotStore : StepsDoNot, stores = is_store ? StoreDoesNotStore : StoreDoesNot;
  const bool known = futures_.knows(place);  // else only a part of what it touches is known
  const auto rely = [&](Fact fact, const Place& by) {
    facts_.push_back(std::uint64_t{by.number} << 33 | std::uint64_t{place.number} << 2 | fact);
  };
  for (unsigned other = 0; other < rehearsal_.threads(); ++other) {
    if (other == self || !rehearsal_.lives(other)) continue;
    if (steps_[other] == 0) {
      const Place& from = rehearsal_.goes_on_from(other);
      if ((cautious_ && !(known && futures_.knows(from))) || (known && is_disturbed(steps, futures_.nearest(from), place)))
        add_steps(other);
      else
        rely(steps, from);
    }
    if (flushes_[other] != 0) continue;
    for (const StoreUnderWay& store : rehearsal_.under_way(other)) {
      const bool both_known = known && futures_.knows(*store.place);
      if (both_known ? is_disturbed(stores, *store.place, place) : cautious_)
        add_flush(store);
      else
        rely(stores, *store.place);
    }
  }
}

/// From the move on. False: it is as large as one that is known.
bool PersistentSets::grow(std::size_t first, std::size_t too_many) {
  if (rehearsal_.in_exclusive_section()) return false;
  const Decision& move = rehearsal_.moves()[first];
  chosen_.assign(rehearsal_.moves().size(), 0);
  steps_.assign(rehearsal_.threads(), 0);
  flushes_.assign(rehearsal_.threads(), 0);
  threads_.clear();
  stores_.clear();
  facts_.clear();
  count_ = 0;
  if (move.kind == DecisionKind::Flush) {
    choose_move(first);
    stores_.push_back(&rehearsal_.next_to_flush(index_of(move.thread), move.argument));
  } else {
    add_steps(index_of(move.thread));
  }
  for (std::size_t i = 0, k = 0; i < threads_.size() || k < stores_.size();) {
    if (count_ >= too_many) return false;
    if (k < stores_.size()) {
      const StoreUnderWay& store = *stores_[k++];
      add_who_disturbs(store.owner, *store.place, true);
      continue;
    }
    const unsigned thread = threads_[i++];
    const Place& at = rehearsal_.place_of(thread);
    if (at.next.kind == TREADLE_EV_SPIN || at.next.kind == TREADLE_EV_EXCLUSIVE_BEGIN) return false;
    if (at.next.kind == TREADLE_EV_THREAD_JOIN && rehearsal_.lives(static_cast<unsigned>(at.next.value))) {
      add_steps(static_cast<unsigned>(at.next.value));
      add_flushes(static_cast<unsigned>(at.next.value));
    }
    if (rehearsal_.waits_for_own_stores(thread)) add_flushes(thread);
    add_who_disturbs(thread, at, false);
  }
  return count_ < too_many;
}

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
#include "explore/state_walk.h"

#include <algorithm>
#include <utility>

namespace treadle {
namespace {

constexpr std::size_t most_states = 60'000;
constexpr unsigned most_passes = 100;
constexpr unsigned most_tries = 3;  // to get to know what comes next at one moment
constexpr unsigned ways_at_a_time = 64;

}  // namespace

bool StateWalk::begin_pass() {
  seen_.clear();
  nodes_.clear();
  decisions_.clear();
  unmet_.clear();
  looked_at_.clear();
  at_root_ = true;
  learned_ = false;
  tries_ = 0;
  return ++passes_ <= most_passes && futures_.look_at(program_);
}

void StateWalk::learned() {
  learned_ = true;
  if (futures_.places() + std::max<std::size_t>(32, futures_.places() / 8) < program_.places().size())
    too_large_ |= !futures_.look_at(program_);
}

StateWalk::Came StateWalk::go_on() {
  if (passes_ == 0 && !begin_pass()) return Came::OutOfItsDepth;
  for (unsigned n = 0; n < ways_at_a_time && !too_large_; ++n) {
    if (tries_ == 0 && !turn_back()) {
      if (!learned_) return tell_a_race() ? Came::ToARace : Came::ToItsEnd;
      if (!begin_pass()) return Came::OutOfItsDepth;
      at_root_ = false;
    }
    const Came came = follow() ? walk() : unknown();
    if (came != Came::Nowhere) return came;
  }
  return too_large_ ? Came::OutOfItsDepth : Came::Nowhere;
}

bool StateWalk::tell_a_race() {
  if (races_.empty()) return false;
  race_ = std::move(races_.back());
  races_.pop_back();
  return true;
}

/// To where something has not been done yet. False: there is no such state.
bool StateWalk::turn_back() {
  if (std::exchange(at_root_, false)) return true;
  while (!nodes_.empty() && nodes_.back().to_do.empty()) nodes_.pop_back();
  if (nodes_.empty()) return false;
  decisions_.resize(nodes_.back().depth);
  decisions_.push_back(nodes_.back().to_do.back());
  return true;
}

/// Acts out all decisions. False: they lead to something unknown.
bool StateWalk::follow() {
  const auto known = std::ranges::find_if(nodes_.rbegin(), nodes_.rend(), [](const Node& node) { return node.moment.has_value(); });
  if (known != nodes_.rend())
    rehearsal_.restore(*known->moment);
  else if (!rehearsal_.start())
    return false;
  for (std::size_t i = known == nodes_.rend() ? 0 : known->depth; i < decisions_.size(); ++i)
    if (rehearsal_.over() || !rehearsal_.step(decisions_[i])) return false;
  if (nodes_.empty() || nodes_.back().depth + 1 != decisions_.size()) return true;
  std::vector<Decision>& to_do = nodes_.back().to_do;
  if (!to_do.empty() && to_do.back() == decisions_.back()) to_do.pop_back();
  return true;
}

/// On, until somebody has been there before.
StateWalk::Came StateWalk::walk() {
  for (;;) {
    if (rehearsal_.over()) return came_to_an_end();
    if (rehearsal_.waits_in_vain()) break;
    const std::uint64_t state = rehearsal_.state_key(with_writers_);
    if (seen_.contains(state)) break;
    if (!rehearsal_.find_moves()) return unknown();
    tries_ = 0;
    seen_.insert(state);
    if (seen_.size() > most_states) return Came::OutOfItsDepth;
    if (rehearsal_.moves().empty()) {
      rehearsal_.end_here();
      return came_to_an_end();
    }
    look_for_races();
    Node& node = nodes_.emplace_back();
    node.depth = decisions_.size();
    choose_moves(node.to_do);
    if (node.to_do.size() > 1) rehearsal_.save(node.moment.emplace());
    decisions_.push_back(node.to_do.back());
    if (!rehearsal_.step(decisions_.back())) return unknown();
    node.to_do.pop_back();
  }
  tries_ = 0;
  return Came::Nowhere;
}

StateWalk::Came StateWalk::unknown() { return ++tries_ > most_tries ? Came::OutOfItsDepth : Came::ToUnknown; }

/// Where somebody is cut off it matters how far everybody had come: that is for those who look at orders.
StateWalk::Came StateWalk::came_to_an_end() {
  tries_ = 0;
  switch (rehearsal_.trace().end.ending) {
    case TREADLE_END_STOPPED:
      return Came::Nowhere;
    case TREADLE_END_DEADLOCK:
    case TREADLE_END_LIVELOCK:
      return Came::ToAnEnd;
    case TREADLE_END_COMPLETED:
      return rehearsal_.live() == 1 ? Came::ToAnEnd : Came::OutOfItsDepth;
    default:
      return Came::OutOfItsDepth;
  }
}

/// The smallest persistent set that is found.
void StateWalk::choose_moves(std::vector<Decision>& out) const {
  const auto moves = rehearsal_.moves();
  std::vector<bool> best, chosen;
  std::size_t fewest = moves.size();
  for (std::size_t i = 0; i < moves.size() && fewest > 1; ++i) {
    if (!persistent(i, chosen)) continue;
    const auto count = static_cast<std::size_t>(std::ranges::count(chosen, true));
    if (count >= fewest) continue;
    fewest = count;
    best = chosen;
  }
  for (std::size_t i = 0; i < moves.size(); ++i)
    if (best.empty() || best[i]) out.push_back(moves[i]);
}

/// Moves, the first among them, that nothing which the others may do can touch, nor make possible. False: all of them.
///
/// Of places that are new in this pass only a part is known; there will be another pass.
///
/// A thread's own flushes do not get in the way of its steps, nor the other way round: a load finds the same in the buffer and, once it is
/// flushed, in memory, and what cannot pass the buffer waits for it.
bool StateWalk::persistent(std::size_t first, std::vector<bool>& chosen) const {
  if (rehearsal_.in_exclusive_section()) return false;
  const auto moves = rehearsal_.moves();
  const unsigned threads = rehearsal_.threads();
  chosen.assign(moves.size(), false);
  std::vector<bool> steps(threads, false), whole(threads, false);
  std::vector<unsigned> list;  // of threads whose steps are among them
  const auto add_moves = [&](unsigned id, auto wanted) {
    for (std::size_t i = 0; i < moves.size(); ++i)
      if (index_of(moves[i].thread) == id && wanted(moves[i])) chosen[i] = true;
  };
  const auto add_steps = [&](unsigned id) {
    if (steps[id]) return;
    steps[id] = true;
    list.push_back(id);
    add_moves(id, [](const Decision& d) { return d.kind != DecisionKind::Flush; });
  };
  std::vector<const StoreUnderWay*> stores;  // whose flushes are
  const auto add_flushes = [&](unsigned id) {
    add_moves(id, [](const Decision& d) { return d.kind == DecisionKind::Flush; });
    for (const StoreUnderWay& s : rehearsal_.under_way(id)) stores.push_back(&s);
  };
  const auto add_all = [&](unsigned id) {
    if (whole[id] || !rehearsal_.lives(id)) return;
    whole[id] = true;
    add_steps(id);
    add_flushes(id);
  };
  const auto add_who_disturbs = [&](unsigned self, auto disturbs) {
    for (unsigned other = 0; other < threads; ++other)
      if (other != self && !whole[other] && rehearsal_.lives(other) && disturbs(futures_.nearest(rehearsal_.earliest_of(other))))
        add_all(other);
  };
  const unsigned thread = index_of(moves[first].thread);
  if (moves[first].kind == DecisionKind::Flush) {
    chosen[first] = true;
    const auto all = rehearsal_.under_way(thread);
    stores.push_back(&*std::ranges::find_if(all, [&](const StoreUnderWay& s) { return s.number == moves[first].argument; }));
  } else {
    add_steps(thread);
  }
  for (std::size_t i = 0, k = 0; i < list.size() || k < stores.size();) {
    if (k < stores.size()) {
      const Place& place = *stores[k]->place;
      const unsigned owner = stores[k]->owner;
      ++k;
      if (futures_.knows(place)) add_who_disturbs(owner, [&](const Place& from) { return futures_.disturb_store(from, place); });
      continue;
    }
    const unsigned id = list[i++];
    const Place& at = rehearsal_.place_of(id);
    if (at.next.kind == TREADLE_EV_SPIN || at.next.kind == TREADLE_EV_EXCLUSIVE_BEGIN) return false;
    if (at.next.kind == TREADLE_EV_THREAD_JOIN) add_all(static_cast<unsigned>(at.next.value));
    if (rehearsal_.waits_for_own_stores(id)) add_flushes(id);
    if (futures_.knows(at)) add_who_disturbs(id, [&](const Place& from) { return futures_.disturb_step(from, at); });
  }
  return true;
}

/// As late as possible: takes what the store's thread has done since then out of the decisions. What others have noticed of it stays.
void StateWalk::take_back(const StoreUnderWay& store, std::vector<Decision>& decisions) const {
  const auto is_its = [&](const Decision& d) { return index_of(d.thread) == store.owner; };
  const auto first = decisions.begin() + store.step - 1;
  // With one queue, what has reached memory since then had been under way before.
  const bool noticed = rehearsal_.model() == MemoryModel::Pso &&
                       std::any_of(first, decisions.end(), [&](const Decision& d) { return is_its(d) && d.kind == DecisionKind::Flush; });
  if (noticed) return;
  const Decision step = *first;
  decisions.erase(std::remove_if(first, decisions.end(), [&](const Decision& d) { return is_its(d) && d.kind != DecisionKind::Flush; }),
                  decisions.end());
  decisions.push_back(step);
}

/// A plain store that is under way races as one that is about to be made: what would order it has to wait until it has reached memory.
void StateWalk::look_for_races() {
  struct Possible {
    const Place* place;
    unsigned thread;
    const Decision* step;       // to be made,
    const StoreUnderWay* made;  // or made
  };
  std::vector<Possible> all;
  for (const Decision& move : rehearsal_.moves())
    if (move.kind == DecisionKind::Step)
      all.push_back({&rehearsal_.place_of(index_of(move.thread)), index_of(move.thread), &move, nullptr});
  for (unsigned id = 0; id < rehearsal_.threads(); ++id)
    if (rehearsal_.lives(id))
      for (const StoreUnderWay& s : rehearsal_.under_way(id)) all.push_back({s.place, id, nullptr, &s});
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      if (all[i].thread == all[j].thread || !futures_.knows(*all[i].place) || !futures_.knows(*all[j].place)) continue;
      const auto pair = futures_.race(*all[i].place, *all[j].place);
      if (!pair || !met_.insert(pair->key()).second) continue;
      Meeting& meeting = races_.emplace_back(*pair, decisions_);
      if (all[i].made != nullptr && all[j].made == nullptr) take_back(*all[i].made, meeting.decisions);
      if (all[j].made != nullptr && all[i].made == nullptr) take_back(*all[j].made, meeting.decisions);
      for (const Decision* step : {all[i].step, all[j].step})
        if (step != nullptr) meeting.decisions.push_back(*step);
    }
  if (!futures_.has_weak_atomics()) return;
  for (unsigned one = 0; one < rehearsal_.threads(); ++one)
    for (unsigned other = one + 1; other < rehearsal_.threads(); ++other) {
      if (!rehearsal_.lives(one) || !rehearsal_.lives(other)) continue;
      const Place &a = rehearsal_.earliest_of(one), &b = rehearsal_.earliest_of(other);
      if (!futures_.knows(a) || !futures_.knows(b)) continue;
      if (!looked_at_.insert(std::uint64_t{a.number} << 32 | b.number).second) continue;
      futures_.for_each_race_to_come(a, b, [&](const RacingPair& pair) { unmet_.insert(pair.key()); });
    }
}

}  // namespace treadle

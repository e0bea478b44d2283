// SPDX-License-Identifier: Apache-2.0
#include "explore/state_walk.h"

#include <algorithm>
#include <utility>

namespace treadle {
namespace {

constexpr std::size_t most_states = 2'000'000;
constexpr unsigned most_passes = 100;
constexpr unsigned hopeful_passes = 2;  // then what is not known yet has mostly been in the way
constexpr unsigned most_tries = 3;      // to get to know what comes next at one moment
constexpr unsigned ways_at_a_time = 64;

}  // namespace

bool StateWalk::begin_pass() {
  seen_.clear();
  used_ = 0;
  decisions_.clear();
  unmet_.clear();
  looked_at_.clear();
  met_places_.clear();
  unknown_places_.clear();
  sets_.forget();
  if (passes_ >= hopeful_passes) sets_.be_cautious();
  at_root_ = true;
  learned_ = learned_late_ = settled_ = false;
  tries_ = 0;
  return ++passes_ <= most_passes && futures_.look_at(program_);
}

void StateWalk::learned() {
  learned_ = true;
  learned_late_ |= settled_;
  if (futures_.places() + std::max<std::size_t>(32, futures_.places() / 8) < program_.places().size())
    too_large_ |= !futures_.look_at(program_);
}

StateWalk::Came StateWalk::go_on() {
  if (passes_ == 0 && !begin_pass()) return Came::OutOfItsDepth;
  for (unsigned n = 0; n < ways_at_a_time && !too_large_; ++n) {
    if (tries_ == 0 && !turn_back()) {
      if (is_settled()) return tell_a_race() ? Came::ToARace : Came::ToItsEnd;
      if (too_large_ || !begin_pass()) return Came::OutOfItsDepth;
      at_root_ = false;
    }
    const Came came = follow() ? walk() : unknown();
    if (came != Came::Nowhere) return came;
  }
  return too_large_ ? Came::OutOfItsDepth : Came::Nowhere;
}

/// All states have been seen, also by what has become known since they were.
bool StateWalk::is_settled() {
  if (settled_ && !learned_) return true;
  if (learned_ && (learned_late_ || !still_holds())) return false;
  learned_ = false;
  settled_ = true;
  const auto& places = program_.places();
  const auto look = [&](std::uint64_t pair) {
    futures_.for_each_race_to_come(places[pair >> 32], places[pair & UINT32_MAX],
                                   [&](const RacingPair& race) { unmet_.insert(race.key()); });
    return false;
  };
  if (futures_.has_weak_atomics()) looked_at_.any_of(look);
  return true;
}

/// What depends on more than on the steps that were made: which moves had to be, and which accesses race. Who may time out is asked of a
/// place, whatever had been known of it before.
bool StateWalk::still_holds() {
  const auto& places = program_.places();
  if (!futures_.look_at(program_)) {
    too_large_ = true;
    return false;
  }
  const auto may_time_out = [](const Place& place) {
    return place.next.kind == TREADLE_EV_COND_WOKEN || has_time_limit(static_cast<EventKind>(place.next.kind));
  };
  const auto race = [&](std::uint64_t pair) {
    const auto found = futures_.race(places[pair >> 32], places[pair & UINT32_MAX]);
    return found && !met_.contains(found->key());
  };
  return std::ranges::none_of(places, may_time_out) && sets_.hold(program_) && !met_places_.any_of(race) && !unknown_places_.any_of(race);
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
  while (used_ > 0 && nodes_[used_ - 1].to_do.empty()) --used_;
  if (used_ == 0) return false;
  const Node& last = nodes_[used_ - 1];
  decisions_.resize(last.depth);
  decisions_.push_back(last.to_do.back());
  return true;
}

/// Acts out all decisions. False: they lead to something unknown.
bool StateWalk::follow() {
  std::size_t known = used_;
  while (known > 0 && !nodes_[known - 1].has_moment) --known;
  if (known > 0)
    rehearsal_.restore(nodes_[known - 1].moment);
  else if (!rehearsal_.start())
    return false;
  for (std::size_t i = known == 0 ? 0 : nodes_[known - 1].depth; i < decisions_.size(); ++i)
    if (rehearsal_.over() || !rehearsal_.step(decisions_[i])) return false;
  if (used_ == 0 || nodes_[used_ - 1].depth + 1 != decisions_.size()) return true;
  std::vector<Decision>& to_do = nodes_[used_ - 1].to_do;
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
    ++states_;
    if (seen_.size() > most_states) return Came::OutOfItsDepth;
    if (rehearsal_.moves().empty()) {
      rehearsal_.end_here();
      return came_to_an_end();
    }
    look_for_races();
    Node& node = used_ < nodes_.size() ? nodes_[used_] : nodes_.emplace_back();
    ++used_;
    node.depth = decisions_.size();
    node.to_do.clear();
    sets_.choose(node.to_do);
    node.has_moment = node.to_do.size() > 1;
    if (node.has_moment) rehearsal_.save(node.moment);
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
    const StoreUnderWay* made;  // or made; neither: to be made behind the section
  };
  std::vector<Possible> all;
  for (const Decision& move : rehearsal_.moves())
    if (move.kind == DecisionKind::Step)
      all.push_back({&rehearsal_.place_of(index_of(move.thread)), index_of(move.thread), &move, nullptr});
  // Who has to let a section pass by is as near to its access as before: nothing that happens meanwhile will order it.
  const auto moves_alone = [&] {
    return !all.empty() && std::ranges::all_of(all, [&](const Possible& one) { return one.thread == all.front().thread; });
  };
  if (rehearsal_.in_exclusive_section() && moves_alone())
    for (unsigned id = 0; id < rehearsal_.threads(); ++id)
      if (rehearsal_.lives(id) && id != all.front().thread) all.push_back({&rehearsal_.place_of(id), id, nullptr, nullptr});
  for (unsigned id = 0; id < rehearsal_.threads(); ++id)
    if (rehearsal_.lives(id))
      for (const StoreUnderWay& s : rehearsal_.under_way(id)) all.push_back({s.place, id, nullptr, &s});
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      if (all[i].thread == all[j].thread) continue;
      const std::uint64_t places = std::uint64_t{all[i].place->number} << 32 | all[j].place->number;
      const bool known = futures_.knows(*all[i].place) && futures_.knows(*all[j].place);
      if (!(known ? met_places_ : unknown_places_).insert(places) || !known) continue;
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
      looked_at_.insert(std::uint64_t{a.number} << 32 | b.number);
    }
}

}  // namespace treadle

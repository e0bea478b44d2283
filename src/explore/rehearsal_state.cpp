// SPDX-License-Identifier: Apache-2.0
// Acting step by step, and what makes two moments of two executions the same: from there on, the same can happen.
#include <algorithm>

#include "base/check.h"
#include "base/hash.h"
#include "explore/rehearsal.h"

namespace treadle {

bool Rehearsal::start() {
  learning_ = false;
  begin();
  prefix_ = UINT32_MAX;
  return go_on(actors_[0], 0);
}

bool Rehearsal::step(const Decision& decision) {
  trace_.choices.push_back({decision, 0, 0});
  ++step_;
  return take(decision);
}

void Rehearsal::save(Moment& moment) const {
  moment.actors.assign(actors_.begin(), actors_.begin() + highest_ + 1);
  moment.live = live_;
  moment.current = current_;
  moment.exclusive = exclusive_;
  moment.exclusive_owner = exclusive_owner_;
  moment.step = step_;
  memory_.save(moment.memory);
  moment.freed = freed_;
  moment.destroyed = destroyed_;
  moment.locks = locks_;
  moment.waiters = waiters_;
  moment.semaphores = semaphores_;
  moment.barriers = barriers_;
  moment.time = time_;
  moment.signals = signals_;
}

void Rehearsal::restore(const Moment& moment) {
  learning_ = over_ = lost_ = false;
  prefix_ = UINT32_MAX;
  trace_.clear();
  const auto threads = static_cast<unsigned>(moment.actors.size());
  for (unsigned id = threads; id <= highest_; ++id) actors_[id] = {};
  std::ranges::copy(moment.actors, actors_.begin());
  highest_ = threads - 1;
  live_ = moment.live;
  current_ = moment.current;
  exclusive_ = moment.exclusive;
  exclusive_owner_ = moment.exclusive_owner;
  step_ = moment.step;
  memory_.restore(moment.memory);
  freed_ = moment.freed;
  destroyed_ = moment.destroyed;
  locks_ = moment.locks;
  waiters_ = moment.waiters;
  semaphores_ = moment.semaphores;
  barriers_ = moment.barriers;
  time_ = moment.time;
  signals_ = moment.signals;
}

bool Rehearsal::waits_in_vain() const {
  for (unsigned id = 0; id <= highest_; ++id) {
    const Actor& actor = actors_[id];
    if (actor.live && actor.stands_still && spins(actor) && changed(actor) != nullptr) return true;
  }
  return false;
}

std::vector<const Place*> Rehearsal::places() const {
  std::vector<const Place*> all;
  for (unsigned id = 0; id <= highest_; ++id) all.push_back(actors_[id].exists ? actors_[id].at : nullptr);
  return all;
}

/// Places are numbered in the order in which they were learned, so that of those that a thread has passed the first has the lowest number.
const Place& Rehearsal::earliest_of(unsigned id) const {
  const Actor& actor = actors_[id];
  const Place* earliest = &goes_on_from(id);
  for (const StoreUnderWay& s : actor.buffer.stores)
    if (s.place->number < earliest->number) earliest = s.place;
  return *earliest;
}

const Place& Rehearsal::goes_on_from(unsigned id) const {
  const Actor& actor = actors_[id];
  return actor.iteration != nullptr && actor.iteration->number < actor.at->number ? *actor.iteration : *actor.at;
}

const StoreUnderWay& Rehearsal::next_to_flush(unsigned id, std::uint16_t number) const {
  const auto& stores = actors_[id].buffer.stores;
  const auto found = std::ranges::find_if(stores, [&](const StoreUnderWay& store) { return store.number == number; });
  check(found != stores.end(), "only what is under way can be flushed");
  return *found;
}

bool Rehearsal::waits_for_own_stores(unsigned id) const {
  bool unknown = false;
  return awaits_own_buffer(actors_[id], unknown);
}

std::uint64_t Rehearsal::state_key(bool with_writers) const {
  Hash key;
  for (unsigned id = 0; id <= highest_; ++id) {
    const Actor& actor = actors_[id];
    if (!actor.exists) continue;
    key.add(id << 1 | (actor.live ? 1 : 0)).add(actor.at->number);
    if (with_writers) key.add(actor.rf);
    if (program_.has_ruleless) key.add(actor.life.key()).add(actor.time_then);
    if (!actor.live) continue;
    key.add(actor.waits_on).add(actor.round).add(actor.buffer.fences).add(actor.buffer.stores.size());
    if (actor.iteration != nullptr) {
      key.add(actor.iteration->number);
      if (with_writers) key.add(actor.rf_before);
      for (const Watch& watch : actor.watched) key.add(watch.address).add(watch.value);
    }
    for (const StoreUnderWay& s : actor.buffer.stores) {
      key.add(s.address).add(s.value).add(s.fences | std::uint64_t{s.number} << 32 | std::uint64_t{s.lost} << 48);
      if (with_writers) key.add(s.writer);
    }
  }
  // In no particular order.
  std::uint64_t rest = memory_.hash(with_writers);
  for (const auto& [address, bytes] : freed_) rest += Hash{}.add(1).add(address).add(bytes).value();
  for (const std::uint64_t address : destroyed_) rest += Hash{}.add(6).add(address).value();
  for (const auto& [address, lock] : locks_) {
    if (lock.owner == 0 && lock.depth == 0 && lock.readers == 0 && !lock.done && lock.robust == Robust::Consistent) continue;
    std::uint64_t readers = 0;
    for (const std::uint8_t who : lock.read_by) readers += Hash{}.add(who).value();
    rest += Hash{}
                .add(2)
                .add(address)
                .add(lock.owner)
                .add(lock.depth)
                .add(readers)
                .add(lock.done)
                .add(static_cast<std::uint64_t>(lock.robust))
                .value();
  }
  for (const auto& [address, waiting] : waiters_)
    for (const std::uint8_t who : waiting) rest += Hash{}.add(3).add(address).add(who).value();
  for (const auto& [address, value] : semaphores_) rest += Hash{}.add(4).add(address).add(value).value();
  for (const auto& [address, barrier] : barriers_)
    rest += Hash{}.add(5).add(address).add(barrier.parties).add(barrier.arrived).add(barrier.round).value();
  return key
      .add(rest)

      .add(time_.key())
      .add(signals_.key())
      .add(exclusive_)
      .add(exclusive_ > 0 ? exclusive_owner_ : 0)
      .value();
}

}  // namespace treadle

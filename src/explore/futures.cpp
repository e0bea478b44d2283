// SPDX-License-Identifier: Apache-2.0
#include "explore/futures.h"

#include <algorithm>

#include "base/hash.h"
#include "explore/touches.h"
#include "trace/store_buffers.h"

namespace treadle {
namespace {

constexpr std::size_t most_touches = 1024;

EventKind kind_of(const Event& event) { return static_cast<EventKind>(event.kind); }

/// What it touches, whatever comes of it.
Accesses touched_by(Event event) {
  Accesses accesses;
  const auto object = [&](Space space, std::uint64_t address) { accesses.add({address, 1, space, true}); };
  switch (kind_of(event)) {
    case TREADLE_EV_LOCK:
    case TREADLE_EV_TRYLOCK:
    case TREADLE_EV_TIMEDLOCK:
    case TREADLE_EV_UNLOCK:
      object(Space::Mutex, event.address);
      return accesses;
    case TREADLE_EV_CAS_OK:
    case TREADLE_EV_CAS_FAIL:
      accesses.add({event.address, event.size, Space::Memory, true});
      return accesses;
    case TREADLE_EV_COND_WAIT:
      object(Space::Mutex, event.value);
      [[fallthrough]];
    case TREADLE_EV_COND_SIGNAL:
    case TREADLE_EV_COND_BROADCAST:
    case TREADLE_EV_COND_WOKEN:
      object(Space::Condition, event.address);
      return accesses;
    case TREADLE_EV_MUTEX_INIT:
      object(Space::Mutex, event.address);
      return accesses;
    case TREADLE_EV_RWLOCK_INIT:
      object(Space::RwLock, event.address);
      return accesses;
    case TREADLE_EV_COND_INIT:
      object(Space::Condition, event.address);
      return accesses;
    case TREADLE_EV_BARRIER_INIT:
      object(Space::Barrier, event.address);
      return accesses;
    case TREADLE_EV_SEM_INIT:
      object(Space::Semaphore, event.address);
      return accesses;
    case TREADLE_EV_SPIN_INIT:
      object(Space::Spinlock, event.address);
      return accesses;
    case TREADLE_EV_ALLOC:
      accesses.add({event.address, static_cast<std::uint32_t>(std::min<std::uint64_t>(std::max<std::uint64_t>(event.value, 1), UINT32_MAX)),
                    Space::Memory, true});
      return accesses;
    default:
      break;
  }
  event.order &= static_cast<std::uint8_t>(~TREADLE_ORDER_BUFFERED);
  Action action;
  add_touches_of(event, false, action);
  for (std::size_t i = 0; i < action.accesses.size(); ++i) {
    Access access = action.accesses[i];
    if (access.space == Space::Thread) continue;
    access.writes |= access.space != Space::Memory;
    accesses.add(access);
  }
  return accesses;
}

bool is_atomic(EventKind kind) {
  switch (kind) {
    case TREADLE_EV_ATOMIC_READ:
    case TREADLE_EV_ATOMIC_WRITE:
    case TREADLE_EV_RMW:
    case TREADLE_EV_CAS_OK:
    case TREADLE_EV_CAS_FAIL:
      return true;
    default:
      return false;
  }
}

bool is_plain(EventKind kind) {
  switch (kind) {
    case TREADLE_EV_READ:
    case TREADLE_EV_WRITE:
    case TREADLE_EV_RANGE_READ:
    case TREADLE_EV_RANGE_WRITE:
      return true;
    default:
      return false;
  }
}

/// Does not both acquire what it reads and release what came before it, as far as it reads and writes. The order of an operation that was
/// never made is not known.
bool is_weak(const Event& event, bool from_the_end) {
  const unsigned order = event.order & 7;
  switch (kind_of(event)) {
    case TREADLE_EV_ATOMIC_READ:
    case TREADLE_EV_CAS_FAIL:
      return from_the_end || order == 0 || order == 1;
    case TREADLE_EV_ATOMIC_WRITE:
      return from_the_end || order < 3;
    case TREADLE_EV_RMW:
    case TREADLE_EV_CAS_OK:
      return from_the_end || order < 4;
    case TREADLE_EV_FENCE:
      return true;
    default:
      return false;
  }
}

bool is_buffered_store(const Place& place) {
  const bool stores = place.next.kind == TREADLE_EV_WRITE || place.next.kind == TREADLE_EV_ATOMIC_WRITE;
  return place.knows_next && !place.from_the_end && stores && is_buffered(place.next);
}

}  // namespace

bool Futures::races(const Touch& one, const Touch& other) {
  const bool one_is_plain = one.by.kind < RacingPair::AtomicRead || other.by.kind < RacingPair::AtomicRead;
  return one.is_memory_access && other.is_memory_access && one_is_plain && conflict(one.access, other.access);
}

unsigned Futures::number_of(const Touch& touch) {
  const Access& a = touch.access;
  const std::uint64_t key = Hash{}
                                .add(a.address)
                                .add(a.bytes)
                                .add(static_cast<std::uint64_t>(a.space) << 1 | (a.writes ? 1 : 0))
                                .add(touch.by.pc)
                                .add(touch.by.kind)
                                .value();
  for (const unsigned n : index_[key])
    if (touches_[n].access == a && touches_[n].by == touch.by && touches_[n].is_memory_access == touch.is_memory_access) return n;
  index_[key].push_back(static_cast<unsigned>(touches_.size()));
  touches_.push_back(touch);
  return static_cast<unsigned>(touches_.size() - 1);
}

void Futures::collect(const Place& place) {
  std::vector<unsigned>& own = own_[place.number];
  own.clear();
  const auto add = [&](const Event& event) {
    const EventKind kind = kind_of(event);
    weak_ |= is_weak(event, place.from_the_end);
    const Accesses all = touched_by(event);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto by = static_cast<RacingPair::Kind>((all[i].writes ? 1 : 0) + (is_atomic(kind) ? 2 : 0));
      const unsigned n = number_of({all[i], {event.pc, by}, is_atomic(kind) || is_plain(kind)});
      if (std::ranges::find(own, n) == own.end()) own.push_back(n);
    }
  };
  if (!place.knows_next) return;
  if (place.branches.empty() && place.next.kind != TREADLE_EV_SPIN) add(place.next);
  for (const Place::Branch& branch : place.branches) add(branch.event);
}

bool Futures::look_at(const LearnedProgram& program) {
  const auto& places = program.places();
  places_ = places.size();
  own_.resize(places_);
  for (const Place& place : places) collect(place);
  if (touches_.size() > most_touches) return false;

  width_ = touches_.size() / 64 + 1;
  const auto fill = [&](std::vector<Bits>& table, auto holds) {
    table.assign(touches_.size() * width_, 0);
    for (std::size_t i = 0; i < touches_.size(); ++i)
      for (std::size_t j = 0; j < touches_.size(); ++j)
        if (holds(touches_[i], touches_[j])) table[i * width_ + j / 64] |= Bits{1} << j % 64;
  };
  fill(conflicts_, [](const Touch& a, const Touch& b) { return conflict(a.access, b.access); });
  fill(racing_, races);

  // Children were made after their parents.
  future_.assign(places_ * width_, 0);
  clash_.assign(places_ * width_, 0);
  clash_of_stores_.assign(places_ * width_, 0);
  std::vector<Bits> tail(places_ * width_, 0);  // until the next step: what is done without being announced
  for (std::size_t p = places_; p-- > 0;) {
    const Place& place = places[p];
    Bits *const future = &future_[p * width_], *const unannounced = &tail[p * width_];
    std::vector<Bits> step(width_, 0);
    for (const unsigned n : own_[p]) step[n / 64] |= Bits{1} << n % 64;
    for (const Place::Branch& branch : place.branches) {
      const Place& after = *branch.after;
      for (std::size_t w = 0; w < width_; ++w) {
        future[w] |= future_[after.number * width_ + w];
        if (after.child != nullptr) future[w] |= future_[after.child->number * width_ + w];
        step[w] |= tail[after.number * width_ + w];
      }
    }
    for (std::size_t w = 0; w < width_; ++w) future[w] |= step[w];
    if (place.knows_next && !place.announced) std::copy(step.begin(), step.end(), unannounced);
    const auto clash = [&](std::vector<Bits>& with) {
      for (std::size_t n = 0; n < touches_.size(); ++n)
        if ((step[n / 64] >> n % 64 & 1) != 0)
          for (std::size_t w = 0; w < width_; ++w) with[p * width_ + w] |= conflicts_[n * width_ + w];
    };
    clash(clash_of_stores_);
    if (is_buffered_store(place))
      for (const unsigned n : own_[p]) step[n / 64] &= ~(Bits{1} << n % 64);
    clash(clash_);
  }
  return true;
}

bool Futures::meet(const Place& other, const Place& place, const std::vector<Bits>& table) const {
  const Bits *future = row(future_, other.number), *clash = row(table, place.number);
  for (std::size_t w = 0; w < width_; ++w)
    if ((future[w] & clash[w]) != 0) return true;
  return false;
}

bool Futures::meets(const std::vector<unsigned>& touches, const Place& place, const std::vector<Bits>& table) const {
  const Bits* clash = row(table, place.number);
  return std::ranges::any_of(touches, [&](unsigned n) { return (clash[n / 64] >> n % 64 & 1) != 0; });
}

std::optional<RacingPair> Futures::race(const Place& one, const Place& other) const {
  for (const unsigned a : own_[one.number])
    for (const unsigned b : own_[other.number])
      if (races(touches_[a], touches_[b])) return RacingPair{touches_[a].by, touches_[b].by};
  return std::nullopt;
}

}  // namespace treadle

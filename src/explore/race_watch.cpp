// SPDX-License-Identifier: Apache-2.0
#include "explore/race_watch.h"

#include "base/hash.h"
#include "trace/store_buffers.h"

namespace treadle {
namespace {

enum class Kind : std::uint8_t { Mutex, RwLock, Spinlock, Semaphore, Barrier, Once, Exclusive };

/// The rounds of a barrier are objects of their own: some may still be leaving one while others meet for the next.
std::uint64_t number_of(Kind kind, std::uint64_t round = 0) { return static_cast<std::uint64_t>(kind) | round << 8; }

}  // namespace

std::uint64_t RacingPair::key() const { return Hash{}.add(first.pc << 2 | first.kind).add(second.pc << 2 | second.kind).value(); }

RacingPair pair_of_race(const Event& race) {
  const auto kind = [&](unsigned writes, unsigned atomic) {
    return static_cast<RacingPair::Kind>(((race.extra & writes) != 0 ? 1 : 0) + ((race.extra & atomic) != 0 ? 2 : 0));
  };
  return {{race.value, kind(TREADLE_RACE_EARLIER_WRITES, TREADLE_RACE_EARLIER_ATOMIC)},
          {race.pc, kind(TREADLE_RACE_LATER_WRITES, TREADLE_RACE_LATER_ATOMIC)}};
}

std::span<const RacingPair> RaceWatch::look_at(const Trace& trace) {
  begin(trace);
  for (std::uint64_t i = 0; i < trace.events.size(); ++i) {
    current_ = trace.events[i].thread;
    take(trace.events[i], i);
  }
  return pairs_;
}

void RaceWatch::begin(const Trace& trace) {
  unsigned highest = 0;
  for (const Event& event : trace.events) {
    highest = std::max<unsigned>(highest, event.thread);
    if (event.kind == TREADLE_EV_THREAD_CREATE) highest = std::max(highest, static_cast<unsigned>(event.value & 0xff));
  }
  clocks_.begin(highest + 1);
  threads_.assign(highest + 1, {});
  for (unsigned id = 0; id <= highest; ++id) {
    threads_[id].now = clocks_.make();
    clocks_.time(threads_[id].now, id) = 1;
  }
  objects_.clear();
  words_.clear();
  marks_.clear();
  atomics_.clear();
  under_way_.clear();
  pairs_.clear();
}

void RaceWatch::acquire(Clock from) { clocks_.join(self().now, from); }

void RaceWatch::release(Clock& into) {
  clocks_.join(into, self().now);
  advance();
}

/// A write to all of it, after which nothing is known of that memory, nor of what stood in it.
void RaceWatch::forget_block(const Event& event) {
  const auto is_in_it = [&](std::uint64_t address) { return address - event.address < event.value; };
  const std::uint64_t first = event.address / 8, last = (event.address + event.value + 7) / 8;
  const auto look = [&](std::uint64_t at, Word& word) {
    if (at < first || at >= last) return;
    access_word(word, 0xff, RacingPair::Write, event.pc);
    word = {};
  };
  if (last - first > words_.size())
    words_.for_each(look);
  else
    for (std::uint64_t at = first; at < last; ++at)
      if (Word* word = words_.find(at)) look(at, *word);
  objects_.for_each([&](std::uint64_t address, Object& object) {
    if (is_in_it(address)) object = {};
  });
}

void RaceWatch::take(const Event& event, std::uint64_t number) {
  const auto object = [&](Kind kind, std::uint64_t round = 0) -> Object& { return objects_.at(event.address, number_of(kind, round)); };
  const bool succeeded = event.extra == 0;
  switch (static_cast<EventKind>(event.kind)) {
    case TREADLE_EV_READ:
      return access(event.address, event.size, RacingPair::Read, event.pc);
    case TREADLE_EV_WRITE:
      return access(event.address, event.size, RacingPair::Write, event.pc);
    case TREADLE_EV_RANGE_READ:
      return access(event.address, event.extra, RacingPair::Read, event.pc);
    case TREADLE_EV_RANGE_WRITE:
      return access(event.address, event.extra, RacingPair::Write, event.pc);
    case TREADLE_EV_FREE:
      return forget_block(event);

    case TREADLE_EV_ATOMIC_READ:  // a value that never was in memory: there is nothing to acquire with it
      return atomic(event, !is_buffered(event), false);
    case TREADLE_EV_CAS_FAIL:
      return atomic(event, true, false);
    case TREADLE_EV_ATOMIC_WRITE:
      if (is_buffered(event)) return buffered_store(event, number);
      return atomic(event, false, true);
    case TREADLE_EV_RMW:
    case TREADLE_EV_CAS_OK:
      return atomic(event, true, true);
    case TREADLE_EV_FLUSH:
      return flush(event);
    case TREADLE_EV_FENCE:
      if (event.extra == 0) fence(event.order & 7);  // else it only waits for the thread's own stores
      return;

    case TREADLE_EV_THREAD_CREATE: {
      const auto child = static_cast<unsigned>(event.value & 0xff);
      clocks_.join(threads_[child].now, self().now);
      return advance();
    }
    case TREADLE_EV_THREAD_JOIN:
      if (succeeded && event.value < threads_.size()) acquire(threads_[event.value].now);
      return;

    case TREADLE_EV_MUTEX_INIT:
    case TREADLE_EV_MUTEX_DESTROY:
      object(Kind::Mutex) = {};
      return;
    case TREADLE_EV_LOCK:
    case TREADLE_EV_TRYLOCK:
    case TREADLE_EV_TIMEDLOCK: {
      if (!succeeded) return;
      Object& mutex = object(Kind::Mutex);
      mutex.depth = event.value;
      if (mutex.depth == 1) acquire(mutex.clock);
      return;
    }
    case TREADLE_EV_UNLOCK: {
      if (!succeeded) return;
      Object& mutex = object(Kind::Mutex);
      mutex.depth = event.value;
      if (mutex.depth == 0) release(mutex.clock);
      return;
    }
    case TREADLE_EV_COND_WAIT: {
      Object& mutex = objects_.at(event.value, number_of(Kind::Mutex));
      if (mutex.depth > 0 && --mutex.depth == 0) release(mutex.clock);
      return;
    }

    case TREADLE_EV_RWLOCK_INIT:
    case TREADLE_EV_RWLOCK_DESTROY:
      object(Kind::RwLock) = {};
      return;
    case TREADLE_EV_RDLOCK:
    case TREADLE_EV_TRYRDLOCK:
    case TREADLE_EV_TIMEDRDLOCK:
      if (succeeded) acquire(object(Kind::RwLock).clock);
      return;
    case TREADLE_EV_WRLOCK:
    case TREADLE_EV_TRYWRLOCK:
    case TREADLE_EV_TIMEDWRLOCK:
      if (!succeeded) return;
      acquire(object(Kind::RwLock).clock);
      return acquire(object(Kind::RwLock).readers);
    case TREADLE_EV_RWUNLOCK:
      return release(event.extra == 1 ? object(Kind::RwLock).clock : object(Kind::RwLock).readers);

    case TREADLE_EV_SPIN_INIT:
    case TREADLE_EV_SPIN_DESTROY:
      object(Kind::Spinlock) = {};
      return;
    case TREADLE_EV_SPIN_LOCK:
    case TREADLE_EV_SPIN_TRYLOCK:
      if (succeeded) acquire(object(Kind::Spinlock).clock);
      return;
    case TREADLE_EV_SPIN_UNLOCK:
      return release(object(Kind::Spinlock).clock);

    case TREADLE_EV_SEM_INIT:
    case TREADLE_EV_SEM_DESTROY:
      object(Kind::Semaphore) = {};
      return;
    case TREADLE_EV_SEM_WAIT:
    case TREADLE_EV_SEM_TRYWAIT:
    case TREADLE_EV_SEM_TIMEDWAIT:
      if (succeeded) acquire(object(Kind::Semaphore).clock);
      return;
    case TREADLE_EV_SEM_POST:
      if (succeeded) release(object(Kind::Semaphore).clock);
      return;

    case TREADLE_EV_BARRIER_INIT:  // its rounds begin anew
      return objects_.for_each([&](std::uint64_t address, Object& old) {
        if (address == event.address) old.clock = ClockPool::none;
      });
    case TREADLE_EV_BARRIER_ARRIVE:
      return release(object(Kind::Barrier, event.extra).clock);
    case TREADLE_EV_BARRIER_LEAVE:
      return acquire(object(Kind::Barrier, event.extra).clock);

    case TREADLE_EV_ONCE_BEGIN:
      return acquire(object(Kind::Once).clock);
    case TREADLE_EV_ONCE_END:
      return release(object(Kind::Once).clock);

    case TREADLE_EV_EXCLUSIVE_BEGIN:
      return acquire(object(Kind::Exclusive).clock);
    case TREADLE_EV_EXCLUSIVE_END:
      return release(object(Kind::Exclusive).clock);
    default:
      return;
  }
}

}  // namespace treadle

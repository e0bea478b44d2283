// SPDX-License-Identifier: Apache-2.0
// Memory by words of eight bytes: who accessed which bytes, and what atomic values carry. As runtime/granule.cpp.
#include <algorithm>

#include "explore/race_watch.h"

namespace treadle {
namespace {

using Kind = RacingPair::Kind;

constexpr bool conflict(Kind a, Kind b) {
  const bool one_writes = a % 2 == 1 || b % 2 == 1, one_is_plain = a < 2 || b < 2;
  return one_writes && one_is_plain;
}

/// Does the newer access conflict with everything that the older one conflicts with?
constexpr bool says_as_much(Kind newer, Kind older) {
  for (int other = 0; other < 4; ++other)
    if (conflict(older, static_cast<Kind>(other)) && !conflict(newer, static_cast<Kind>(other))) return false;
  return true;
}

constexpr bool acquires(unsigned order) { return order == 1 || order == 2 || order >= 4; }
constexpr bool releases(unsigned order) { return order >= 3; }

template <class Visit>
void for_each_word(std::uint64_t address, std::uint64_t bytes, Visit visit) {
  for (const std::uint64_t end = address + bytes; address < end;) {
    const std::uint64_t next = std::min(end, (address | 7) + 1);
    visit(address / 8, static_cast<std::uint8_t>(((1u << (next - address)) - 1) << (address & 7)));
    address = next;
  }
}

}  // namespace

void RaceWatch::found(const Mark& mark, Kind kind, std::uint64_t pc) {
  const RacingPair pair{{mark.pc, mark.kind}, {pc, kind}};
  if (std::ranges::find(pairs_, pair) == pairs_.end()) pairs_.push_back(pair);
}

void RaceWatch::access(std::uint64_t address, std::uint64_t bytes, Kind kind, std::uint64_t pc) {
  for_each_word(address, bytes, [&](std::uint64_t at, std::uint8_t here) { access_word(words_.at(at), here, kind, pc); });
}

void RaceWatch::access_word(Word& word, std::uint8_t bytes, Kind kind, std::uint64_t pc) {
  const Clock now = self().now;
  const std::uint32_t time = clocks_.time(now, current_);
  // What the thread has done in this way since its last release may or may not be looked at by the runtime. If not, older marks stay.
  bool again = false;
  std::uint32_t same = nothing;
  for (std::uint32_t at = word.marks; at != nothing; at = marks_[at].next) {
    const Mark& mark = marks_[at];
    if (mark.thread != current_ || mark.time != time) continue;
    again |= (mark.kind == kind || (mark.kind == RacingPair::Write && kind == RacingPair::Read)) && (bytes & ~mark.bytes) == 0;
    if (mark.kind != kind || mark.pc != pc) continue;
    if ((bytes & ~mark.bytes) == 0) return;  // and whoever came in between has been compared with it
    same = at;
  }
  for (std::uint32_t* link = &word.marks; *link != nothing;) {
    Mark& mark = marks_[*link];
    if ((mark.bytes & bytes) != 0) {
      const bool before = mark.time <= clocks_.time(now, mark.thread);
      if (!before && conflict(mark.kind, kind)) found(mark, kind, pc);
      const bool at_once = mark.thread == current_ && mark.time == time && mark.kind == kind;
      if (before && !again && !at_once && says_as_much(kind, mark.kind)) mark.bytes &= static_cast<std::uint8_t>(~bytes);
    }
    if (mark.bytes == 0)
      *link = mark.next;
    else
      link = &mark.next;
  }
  if (same != nothing) {
    marks_[same].bytes |= bytes;
    return;
  }
  marks_.push_back({pc, time, word.marks, static_cast<std::uint8_t>(current_), bytes, kind});
  word.marks = static_cast<std::uint32_t>(marks_.size() - 1);
}

/// The value read may carry something: taken now, or kept for an acquire fence.
void RaceWatch::take_from(const Word& word, std::uint8_t bytes, unsigned order) {
  for (std::uint32_t at = word.atomics; at != nothing; at = atomics_[at].next) {
    const AtomicObject& object = atomics_[at];
    if ((object.bytes & bytes) == 0 || !object.carries) continue;
    clocks_.join(acquires(order) ? self().now : self().to_acquire, object.clock);
  }
}

/// The value stored carries what was published, and, when a read-modify-write put it there, what the value before it carried.
void RaceWatch::give_to(Word& word, std::uint8_t bytes, bool reads, Clock published) {
  Clock carried = ClockPool::none;
  std::uint32_t same = nothing;
  for (std::uint32_t at = word.atomics; at != nothing; at = atomics_[at].next) {
    AtomicObject& object = atomics_[at];
    if (object.bytes == bytes) {
      same = at;
      continue;
    }
    if ((object.bytes & bytes) != 0 && object.carries) clocks_.join(carried, object.clock);
    object.bytes &= static_cast<std::uint8_t>(~bytes);
  }
  if (same == nothing) {
    if (published == ClockPool::none && carried == ClockPool::none) return;
    atomics_.push_back({ClockPool::none, word.atomics, bytes, false});
    word.atomics = same = static_cast<std::uint32_t>(atomics_.size() - 1);
  }
  AtomicObject& object = atomics_[same];
  if (!reads) object.carries = false;
  const auto put = [&](Clock clock) {
    if (clock == ClockPool::none) return;
    if (object.carries)
      clocks_.join(object.clock, clock);
    else
      clocks_.copy(object.clock, clock);
    object.carries = true;
  };
  if (reads) put(carried);
  put(published);
}

RaceWatch::Clock RaceWatch::published_by(unsigned order) { return releases(order) ? self().now : self().released; }

void RaceWatch::atomic(const Event& event, bool reads, bool writes) {
  const unsigned order = event.order & 7;
  access(event.address, event.size, writes ? RacingPair::AtomicWrite : RacingPair::AtomicRead, event.pc);
  // What it acquires orders later accesses, not this one.
  if (reads) for_each_word(event.address, event.size, [&](std::uint64_t at, std::uint8_t here) { take_from(words_.at(at), here, order); });
  if (!writes) return;
  for_each_word(event.address, event.size,
                [&](std::uint64_t at, std::uint8_t here) { give_to(words_.at(at), here, reads, published_by(order)); });
  if (releases(order)) advance();
}

/// It conflicts from now on, but what it releases is found by those who read it from memory.
void RaceWatch::buffered_store(const Event& event, std::uint64_t number) {
  const unsigned order = event.order & 7;
  access(event.address, event.size, RacingPair::AtomicWrite, event.pc);
  Clock published = ClockPool::none;
  clocks_.join(published, published_by(order));
  under_way_.push_back({number, published, event.thread});
  if (releases(order)) advance();
}

void RaceWatch::flush(const Event& event) {
  const auto store = std::ranges::find_if(
      under_way_, [&](const StoreUnderWay& other) { return other.event == event.extra && other.thread == event.thread; });
  if (store == under_way_.end()) return;  // of a plain store: nothing comes with it
  for_each_word(event.address, event.size,
                [&](std::uint64_t at, std::uint8_t here) { give_to(words_.at(at), here, false, store->published); });
  under_way_.erase(store);
}

void RaceWatch::fence(unsigned order) {
  if (acquires(order)) acquire(self().to_acquire);
  if (!releases(order)) return;
  clocks_.copy(self().released, self().now);
  advance();
}

}  // namespace treadle

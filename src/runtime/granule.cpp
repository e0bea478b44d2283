// SPDX-License-Identifier: Apache-2.0
// A granule whose history does not fit in its cell: a list of marks, each "this thread, at this time, did this to these bytes".
//
// A mark may go when a newer access says at least as much: the newer one follows it in happens-before and conflicts with everything it
// conflicts with. Plain reads conflict with both kinds of writes, plain writes with everything, atomic reads with plain writes, atomic
// writes with plain accesses. So whoever would race with the older one races with the newer one too, and the list stays
// as short as there are threads that know nothing of each other.
#include "runtime/race.h"
#include "runtime/scheduler.h"

namespace treadle {

namespace {

struct Mark {
  std::uint32_t epoch;  // thread 8 | time 24
  std::uint8_t bytes;
  Access kind;
  std::uint64_t pc;
};
static_assert(sizeof(Mark) == 16);

/// An atomic object within the granule, with what its present value carries to those who acquire it.
struct AtomicObject {
  AtomicObject* next;
  Clock* clock;
  std::uint8_t bytes;  // 0: not in use
  bool carries;        // the clock counts: the value was released, or continues a release sequence
};

constexpr unsigned kFirstMarks = 4;

}  // namespace

struct Granule {
  Mark* marks;
  AtomicObject* atomics;
  std::uint16_t count, capacity;
  Granule* next_free;
  Mark first[kFirstMarks];
};

namespace {

Granule& granule_of(const Cell& cell) noexcept { return *reinterpret_cast<Granule*>(TREADLE_AT_ARENA + (cell.write & 0xffffffffull) * 16); }

std::uint64_t word_of(const Mark& mark) noexcept { return make_word(static_cast<std::uint64_t>(mark.epoch) << 32, mark.bytes, mark.pc); }

void add_mark(Granule& g, const Mark& mark) noexcept {
  if (g.count == g.capacity) {
    auto* more = static_cast<Mark*>(arena_allocate(sizeof(Mark) * g.capacity * 2u));
    __builtin_memcpy(more, g.marks, sizeof(Mark) * g.count);
    g.marks = more;
    g.capacity = static_cast<std::uint16_t>(g.capacity * 2);
  }
  g.marks[g.count++] = mark;
}

void add_word(Granule& g, std::uint64_t word, Access kind, std::uint64_t near) noexcept {
  if (word == 0 || is_settled(word)) return;
  add_mark(g, {static_cast<std::uint32_t>(word >> 32), static_cast<std::uint8_t>(bytes_in(word)), kind, full_pc(word & kPcBits, near)});
}

Granule& expand(Cell& cell, std::uint64_t near) noexcept {
  RaceState& race = *world().race;
  Granule* g = race.free_granules;
  if (g != nullptr) {
    race.free_granules = g->next_free;
  } else {
    g = static_cast<Granule*>(arena_allocate(sizeof(Granule)));
    g->marks = g->first;
    g->capacity = kFirstMarks;
  }
  g->count = 0;
  add_word(*g, cell.write, Access::Write, near);
  add_word(*g, real_reads(cell), Access::Read, near);
  const std::uint64_t index = (reinterpret_cast<std::uint64_t>(g) - TREADLE_AT_ARENA) / 16;
  set_cell(cell, race.tag | index, 0);
  return *g;
}

/// For the next granule that needs one, with the memory it has gathered.
void release(Granule& g) noexcept {
  RaceState& race = *world().race;
  for (AtomicObject* a = g.atomics; a != nullptr; a = a->next) a->bytes = 0;
  g.next_free = race.free_granules;
  race.free_granules = &g;
}

constexpr bool conflict(Access a, Access b) noexcept {
  constexpr bool table[4][4] = {
      {false, true, false, true}, {true, true, true, true}, {false, true, false, false}, {true, true, false, false}};
  return table[static_cast<int>(a)][static_cast<int>(b)];
}

constexpr bool says_as_much(Access newer, Access older) noexcept {
  for (int other = 0; other < 4; ++other)
    if (conflict(older, static_cast<Access>(other)) && !conflict(newer, static_cast<Access>(other))) return false;
  return true;
}
static_assert(says_as_much(Access::Write, Access::AtomicWrite) && says_as_much(Access::Read, Access::AtomicRead));
static_assert(!says_as_much(Access::AtomicWrite, Access::Read) && !says_as_much(Access::Read, Access::AtomicWrite));

/// Back into the cell, when it fits again.
void collapse(Cell& cell, Granule& g) noexcept {
  if (g.count > 2) return;
  for (const AtomicObject* a = g.atomics; a != nullptr; a = a->next)
    if (a->bytes != 0) return;
  std::uint64_t words[2] = {0, 0};
  for (unsigned i = 0; i < g.count; ++i) {
    const auto kind = static_cast<unsigned>(g.marks[i].kind);
    if (kind > 1 || words[1 - kind] != 0) return;
    words[1 - kind] = word_of(g.marks[i]);
  }
  set_cell(cell, words[0], words[1]);
  release(g);
}

void check_against_marks(Granule& g, std::uint64_t bytes, const Accessed& what) noexcept {
  const Thread& self = *world().current;
  const auto now = static_cast<std::uint32_t>(self.epoch >> 32);
  if (g.count >= kFirstMarks) refresh_settled();
  Mark* merge_into = nullptr;
  unsigned kept = 0;
  for (unsigned i = 0; i < g.count; ++i) {
    Mark mark = g.marks[i];
    const std::uint64_t word = word_of(mark);
    if ((mark.bytes & bytes) != 0) {
      const bool before = ordered(word, *self.clock);
      if (!before && conflict(mark.kind, what.kind)) report_race(word, mark.kind, mark.pc, what);
      if ((before || what.kind == Access::Write) && says_as_much(what.kind, mark.kind)) mark.bytes &= static_cast<std::uint8_t>(~bytes);
    }
    if (mark.epoch == now && mark.kind == what.kind) {
      mark.bytes |= static_cast<std::uint8_t>(bytes);
      mark.pc = what.pc;
      merge_into = &g.marks[kept];
    } else if (mark.bytes == 0 || is_settled(word)) {
      continue;
    }
    g.marks[kept++] = mark;
  }
  g.count = static_cast<std::uint16_t>(kept);
  if (merge_into == nullptr) add_mark(g, {now, static_cast<std::uint8_t>(bytes), what.kind, what.pc});
}

constexpr bool acquires(int order) noexcept { return order == 1 || order == 2 || order >= 4; }
constexpr bool releases(int order) noexcept { return order >= 3; }

void add_to(Clock*& sum, const Clock& clock) noexcept {
  if (sum == nullptr) {
    sum = new_clock();
    copy_clock(*sum, clock);
  } else {
    join_clock(*sum, clock);
  }
}

/// The value read may carry something: taken now, or kept for an acquire fence.
void take_from(Granule& g, std::uint64_t bytes, int order) noexcept {
  RaceState& race = *world().race;
  Thread& self = *world().current;
  for (const AtomicObject* a = g.atomics; a != nullptr; a = a->next) {
    if ((a->bytes & bytes) == 0 || !a->carries) continue;
    if (acquires(order)) {
      join_clock(*self.clock, *a->clock);
      ++race.order_version;
    } else {
      add_to(race.threads[self.id].to_acquire, *a->clock);
    }
  }
}

/// The object that from now on stands for exactly these bytes; others that reach into them keep the rest. `carried` joins what they all
/// carried.
AtomicObject& claim(Granule& g, std::uint64_t bytes, Clock*& carried) noexcept {
  AtomicObject* same = nullptr;
  AtomicObject* unused = nullptr;
  for (AtomicObject* a = g.atomics; a != nullptr; a = a->next) {
    if (a->bytes == bytes) {
      same = a;
      continue;
    }
    if ((a->bytes & bytes) != 0 && a->carries) add_to(carried, *a->clock);
    a->bytes &= static_cast<std::uint8_t>(~bytes);
    if (a->bytes == 0) unused = a;
  }
  if (same != nullptr) return *same;
  if (unused == nullptr) {
    unused = arena_new<AtomicObject>();
    unused->next = g.atomics;
    g.atomics = unused;
  }
  unused->bytes = static_cast<std::uint8_t>(bytes);
  unused->carries = false;
  return *unused;
}

bool carries_anything(const Granule& g, std::uint64_t bytes) noexcept {
  for (const AtomicObject* a = g.atomics; a != nullptr; a = a->next)
    if ((a->bytes & bytes) != 0 && a->carries) return true;
  return false;
}

void put(AtomicObject& object, const Clock& clock) noexcept {
  if (object.clock == nullptr) object.clock = new_clock();
  if (object.carries)
    join_clock(*object.clock, clock);
  else
    copy_clock(*object.clock, clock);
  object.carries = true;
}

/// The value stored carries the thread's past (release), what a release fence published (relaxed), and, when it was put there by a
/// read-modify-write, what the value before it carried. As C++20 has it, another store of the releasing thread ends the sequence.
void give_to(Granule& g, std::uint64_t bytes, bool reads, const Clock* published) noexcept {
  if (published == nullptr && !carries_anything(g, bytes)) return;
  Clock* carried = nullptr;  // by objects of other sizes: undefined behaviour in C, but programs do it
  AtomicObject& object = claim(g, bytes, carried);
  if (!reads) object.carries = false;
  if (reads && carried != nullptr) put(object, *carried);
  if (published != nullptr) put(object, *published);
}

/// What a store of the running thread publishes now; null: nothing.
const Clock* published_by(int order) noexcept {
  const Thread& self = *world().current;
  return releases(order) ? self.clock : world().race->threads[self.id].released;
}

}  // namespace

void granule_access(Cell& cell, std::uint64_t bytes, const Accessed& what) noexcept {
  const bool is_new = !has_side_record(cell);
  Granule& g = is_new ? expand(cell, what.pc) : granule_of(cell);
  check_against_marks(g, bytes, what);
  if (what.kind <= Access::Write) {
    const std::uint64_t epoch = world().current->epoch;
    const std::uint64_t known = (cell.read ^ epoch) >> 32 == 0 ? bytes_in(cell.read) : 0;
    set_cell(cell, cell.write, make_word(epoch, bytes | known, what.pc));
  }
  if (what.kind <= Access::Write) collapse(cell, g);
}

void granule_forget(Cell& cell) noexcept {
  if (has_side_record(cell)) release(granule_of(cell));
  set_cell(cell, 0, 0);
}

namespace {

template <class Visit>
void for_each_granule(std::uint64_t address, unsigned size, Visit visit) noexcept {
  const std::uint64_t end = address + size;
  for (std::uint64_t at = address, next; at < end; at = next) {
    next = (at | 7) + 1 < end ? (at | 7) + 1 : end;
    visit(cell_of(at), at, static_cast<unsigned>(next - at));
  }
}

void mark_atomic(std::uint64_t address, unsigned size, Access kind, std::uint64_t pc) noexcept {
  for_each_granule(address, size, [&](Cell& cell, std::uint64_t at, unsigned here) {
    if (stale_side_record(cell)) set_cell(cell, 0, 0);
    granule_access(cell, bytes_of(at, here), {at, here, kind, pc});
  });
}

}  // namespace

void race_atomic(std::uint64_t address, unsigned size, bool reads, bool writes, int order, std::uint64_t pc) noexcept {
  mark_atomic(address, size, writes ? Access::AtomicWrite : Access::AtomicRead, pc);
  // What it acquires orders later accesses, not this one.
  if (reads)
    for_each_granule(address, size,
                     [&](Cell& cell, std::uint64_t at, unsigned here) { take_from(granule_of(cell), bytes_of(at, here), order); });
  if (!writes) return;
  const Clock* published = published_by(order);
  for_each_granule(address, size,
                   [&](Cell& cell, std::uint64_t at, unsigned here) { give_to(granule_of(cell), bytes_of(at, here), reads, published); });
  if (releases(order)) advance_time(*world().current);
}

bool race_atomic_store(std::uint64_t address, unsigned size, int order, std::uint64_t pc, Clock*& published) noexcept {
  mark_atomic(address, size, Access::AtomicWrite, pc);
  const Clock* now = published_by(order);
  if (now == nullptr) return false;
  if (published == nullptr) published = new_clock();
  copy_clock(*published, *now);
  if (releases(order)) advance_time(*world().current);
  return true;
}

void race_store_reaches_memory(std::uint64_t address, unsigned size, const Clock* published, std::uint64_t pc) noexcept {
  for_each_granule(address, size, [&](Cell& cell, std::uint64_t at, unsigned here) {
    if (stale_side_record(cell)) set_cell(cell, 0, 0);
    Granule& g = has_side_record(cell) ? granule_of(cell) : expand(cell, pc);
    give_to(g, bytes_of(at, here), false, published);
  });
}

void race_fence(int order) noexcept {
  Thread& self = *world().current;
  ThreadRace& mine = world().race->threads[self.id];
  if (acquires(order) && mine.to_acquire != nullptr) {
    join_clock(*self.clock, *mine.to_acquire);
    ++world().race->order_version;
  }
  if (releases(order)) {
    if (mine.released == nullptr) mine.released = new_clock();
    copy_clock(*mine.released, *self.clock);
    advance_time(self);
  }
}

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
#include "runtime/symbolic.h"

#include <sys/mman.h>

#include "abi/symbolic_hooks.h"
#include "runtime/scheduler.h"
#include "runtime/sys.h"

uint8_t __treadle_sym_recording = 0;

namespace treadle {

SymbolicState* g_symbolic = nullptr;

namespace {

constexpr std::uint32_t kMostExpressions = 1000000;         // of the program's
constexpr std::uint32_t kMostNodes = 3 * kMostExpressions;  // with the pins of all leaves, when there are too many
constexpr std::uint32_t kMostBlocks = 1u << 17;

/// Outlives executions: no reset touches it, a forked child has its own copy.
struct Place {
  TableAge table_age;
  std::uint32_t shadow_generation;
  alignas(4096) std::uint64_t values[kMostNodes];
  std::uint64_t noted_by[kMostNodes];
  std::uint64_t index[1u << 23];
  ShadowSlot slots[kMostBlocks * 4];
  std::uint64_t addresses[kMostBlocks];
  alignas(4096) ByteCell cells[kMostBlocks * kShadowBlock];
};
constexpr std::uint64_t kAtPlace = 0x2e0000000000ull;

bool map_place() noexcept {
  Process& p = process();
  if (p.has_symbolic_place) return true;
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
  if (map_fixed(kAtPlace, sizeof(Place), PROT_READ | PROT_WRITE, flags) != kAtPlace) return false;
  sys(SYS_madvise, kAtPlace, sizeof(Place), MADV_DONTDUMP);
  return p.has_symbolic_place = true;
}

template <class T>
T* region(std::uint64_t at, std::uint64_t used) noexcept {
  return reinterpret_cast<T*>(reinterpret_cast<char*>(process().shared) + at) + used;
}

/// Every expression is one over leaves: with these known, all are.
void pin_leaves(SymbolicState& s, std::uint64_t pc) noexcept {
  const std::uint32_t before = s.table.size();
  s.table.make_room(kMostNodes);
  for (Expr e = 1; e < before; ++e) {
    if (!s.table.is(e, TREADLE_OP_READ) && !s.table.is(e, TREADLE_OP_INPUT)) continue;
    const unsigned owner = event_at(s.table[e].a).thread;
    note(s, TREADLE_NOTE_PIN, owner, world().events, s.table.equal(e, s.table.value(e)), 0, TREADLE_PIN_FULL, pc);
  }
}

}  // namespace

void symbolic_execution_begin() noexcept {
  World& w = world();
  w.symbolic = nullptr;
  g_symbolic = nullptr;
  __treadle_sym_recording = 0;
  if (!is_symbolic(*w.job)) return;
  const TreadleSharedBlock& shared = *process().shared;
  if (!map_place() || shared.expressions_used + kMostNodes > shared.expression_capacity || shared.notes_used >= shared.note_capacity)
    return;
  Place& place = *reinterpret_cast<Place*>(kAtPlace);
  SymbolicState& s = *arena_new<SymbolicState>();
  s.table.begin({region<TreadleExpression>(shared.expressions_at, shared.expressions_used), place.values, place.index, &place.table_age,
                 kMostExpressions});
  s.shadow.begin({place.slots, place.addresses, place.cells, &place.shadow_generation, kMostBlocks});
  s.noted_by = place.noted_by;
  s.notes = region<TreadleNote>(shared.notes_at, shared.notes_used);
  s.note_capacity = shared.note_capacity - shared.notes_used;
  w.symbolic = g_symbolic = &s;
  __treadle_sym_recording = 1;
}

void symbolic_execution_end() noexcept {
  const World& w = world();
  const TreadleSharedBlock& shared = *process().shared;
  g_symbolic = nullptr;
  __treadle_sym_recording = 0;
  if (w.symbolic == nullptr) return;
  w.result->first_expression = shared.expressions_used;
  w.result->expression_count = w.symbolic->table.size();
  w.result->first_note = shared.notes_used;
  w.result->note_count = w.symbolic->note_count;
}

Expr handed_out(SymbolicState& s, Expr e, std::uint64_t pc) noexcept {
  if (__builtin_expect(s.table.is_full(), 0)) {
    pin_leaves(s, pc);
    g_symbolic = nullptr;
    return 0;
  }
  return s.table.is(e, TREADLE_OP_CONSTANT) ? 0 : e;
}

Expr fitted(SymbolicState& s, Expr e, unsigned bits) noexcept {
  if (e == 0) return 0;
  const unsigned has = s.table.bits(e);
  return has > bits ? s.table.extract(e, 0, bits) : s.table.extend(TREADLE_OP_ZEXT, e, bits);
}

Expr or_constant(SymbolicState& s, Expr e, std::uint64_t value, unsigned bits) noexcept {
  return e == 0 ? s.table.constant(value, bits) : fitted(s, e, bits);
}

ThreadSymbolic& thread_symbolic(SymbolicState& s) noexcept {
  ThreadSymbolic*& mine = s.threads[world().current->id];
  if (mine == nullptr) mine = arena_new<ThreadSymbolic>();
  return *mine;
}

}  // namespace treadle

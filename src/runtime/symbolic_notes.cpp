// SPDX-License-Identifier: Apache-2.0
// What ties expressions to events and to the way a thread went.
#include "abi/symbolic_hooks.h"
#include "runtime/heap.h"
#include "runtime/scheduler.h"
#include "runtime/sources.h"
#include "runtime/symbolic.h"

namespace treadle {

namespace {

constexpr std::uint64_t kLowestAddress = 4096;  // the page of null is never mapped
constexpr std::uint32_t kMostCases = 64;

/// The block that the constant part of an address points into, or null.
const Block* block_meant(const SymbolicState& s, Expr e) noexcept {
  while (s.table.is(e, TREADLE_OP_ADD)) {
    if (s.table.is(s.table[e].b, TREADLE_OP_CONSTANT)) {
      const std::uint64_t base = s.table.value(s.table[e].b);
      const Block* block = heap_find(base);
      if (block != nullptr && base - block->address() < block->size) return block;
    }
    e = s.table[e].a;
  }
  return nullptr;
}

void check_address(SymbolicState& s, Expr e, std::uint64_t address, std::uint64_t bytes, std::uint64_t pc) noexcept {
  const Block* block = block_meant(s, e);
  if (block == nullptr) {
    if (address >= kLowestAddress)
      note_condition(s, TREADLE_NOTE_CHECK, s.table.binary(TREADLE_OP_ULE, s.table.constant(kLowestAddress, 64), e),
                     TREADLE_GUARDS_NULL_POINTER, pc);
    return;
  }
  if (bytes > block->size || address - block->address() > block->size - bytes) return;
  const Expr offset = s.table.binary(TREADLE_OP_SUB, e, s.table.constant(block->address(), 64));
  const Expr most = s.table.constant(block->size - bytes, 64);
  note_condition(s, TREADLE_NOTE_CHECK, s.table.binary(TREADLE_OP_ULE, offset, most), TREADLE_GUARDS_BOUNDS, pc);
}

/// Of one bit, as it turned out. A wider condition is one that is not 0.
Expr held(SymbolicState& s, Expr condition, bool value) noexcept {
  const Expr bit = s.table.bits(condition) == 1 ? condition : s.table.negation(s.table.equal(condition, 0));
  return value ? bit : s.table.negation(bit);
}

/// One that does not hold is a turn, too: the last one of its thread.
void note_check(SymbolicState& s, Expr condition, bool holds, unsigned guards, std::uint64_t pc) noexcept {
  if (holds)
    note_condition(s, TREADLE_NOTE_CHECK, condition, guards, pc);
  else
    note_condition(s, TREADLE_NOTE_BRANCH, s.table.negation(condition), TREADLE_GUARDS_NOTHING, pc, TREADLE_WAY_TRUE);
}

}  // namespace

void note(SymbolicState& s, TreadleNoteKind kind, unsigned thread, std::uint64_t event, Expr e, unsigned part, unsigned reason,
          std::uint64_t pc) noexcept {
  if (e == 0) return;
  if (__builtin_expect(s.note_count == s.note_capacity, 0))
    end_execution(TREADLE_END_STEP_LIMIT, world().step, 0, 0, pc, "the trace of one execution is too long to keep");
  s.notes[s.note_count++] = {static_cast<std::uint8_t>(kind),
                             static_cast<std::uint8_t>(thread),
                             static_cast<std::uint8_t>(reason),
                             0,
                             static_cast<std::uint32_t>(event),
                             e,
                             part,
                             pc};
}

void note_condition(SymbolicState& s, TreadleNoteKind kind, Expr condition, unsigned reason, std::uint64_t pc, TreadleWay way) noexcept {
  if (condition == 0 || s.table.is_constant(condition, 1)) return;
  if (__builtin_expect(g_sources_are_read, 0)) sources_catch_up(pc);
  const std::uint8_t self = world().current->id;
  const std::uint64_t tag = process().execution << 8 | (self + 1u);
  const bool known = s.noted_by[condition] == tag;
  s.noted_by[condition] = tag;
  if (known && !(kind == TREADLE_NOTE_BRANCH && reason != TREADLE_GUARDS_NOTHING)) return;
  note(s, kind, self, world().events, condition, way, reason, pc);
}

void pin(SymbolicState& s, Expr e, std::uint64_t value, unsigned reason, std::uint64_t pc) noexcept {
  if (e != 0) note_condition(s, TREADLE_NOTE_PIN, s.table.equal(e, value), reason, pc);
}

}  // namespace treadle

using namespace treadle;

extern "C" {

void __treadle_sym_branch(TreadleExpr condition, uint32_t value, uint32_t guarded) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr || condition == 0) return;
  note_condition(*s, TREADLE_NOTE_BRANCH, held(*s, condition, value != 0), guarded, TREADLE_PC(),
                 value != 0 ? TREADLE_WAY_TRUE : TREADLE_WAY_FALSE);
  handed_out(*s, 0, TREADLE_PC());
}

void __treadle_sym_switch(TreadleExpr expression, uint64_t value, uint32_t bits, const uint64_t* cases, uint32_t count) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr || expression == 0) return;
  const Expr e = fitted(*s, expression, bits);
  bool matches = count > kMostCases;
  for (uint32_t i = 0; i < count && !matches; ++i) matches = cases[i] == value;
  if (matches)
    note_condition(*s, TREADLE_NOTE_BRANCH, s->table.equal(e, value), TREADLE_GUARDS_NOTHING, TREADLE_PC(), TREADLE_WAY_CASE);
  else
    for (uint32_t i = 0; i < count; ++i)
      note_condition(*s, TREADLE_NOTE_BRANCH, s->table.negation(s->table.equal(e, cases[i])), TREADLE_GUARDS_NOTHING, TREADLE_PC(),
                     TREADLE_WAY_DEFAULT);
  handed_out(*s, 0, TREADLE_PC());
}

void __treadle_sym_pin(TreadleExpr expression, uint64_t value, uint32_t bits, uint32_t reason) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr || expression == 0) return;
  pin(*s, fitted(*s, expression, bits), value, reason, TREADLE_PC());
  handed_out(*s, 0, TREADLE_PC());
}

void __treadle_sym_address(TreadleExpr expression, const volatile void* address, size_t bytes) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr || expression == 0) return;
  const auto number = reinterpret_cast<std::uint64_t>(address);
  const Expr e = fitted(*s, expression, 64);
  if (e != 0) check_address(*s, e, number, bytes, TREADLE_PC());
  pin(*s, e, number, TREADLE_PIN_ADDRESS, TREADLE_PC());
  handed_out(*s, 0, TREADLE_PC());
}

void __treadle_sym_looked_at(TreadleExpr expression, const volatile void* address) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr || expression == 0) return;
  const auto number = reinterpret_cast<std::uint64_t>(address);
  const Expr e = fitted(*s, expression, 64);
  const Block* block = e == 0 ? nullptr : block_meant(*s, e);
  if (block != nullptr && number - block->address() < block->size) return;
  if (e != 0) check_address(*s, e, number, 1, TREADLE_PC());
  pin(*s, e, number, TREADLE_PIN_ADDRESS, TREADLE_PC());
  handed_out(*s, 0, TREADLE_PC());
}

void __treadle_sym_divisor(TreadleExpr expression, uint64_t value, uint32_t bits) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr || expression == 0) return;
  const Expr zero = s->table.equal(fitted(*s, expression, bits), 0);
  note_check(*s, s->table.negation(zero), value != 0, TREADLE_GUARDS_DIVISION, TREADLE_PC());
  handed_out(*s, 0, TREADLE_PC());
}

void __treadle_sym_quotient(TreadleExpr dividend, uint64_t dividend_value, TreadleExpr divisor, uint64_t divisor_value,
                            uint32_t bits) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr || (dividend == 0 && divisor == 0) || bits > 64) return;
  ExpressionTable& t = s->table;
  const std::uint64_t lowest = 1ull << (bits - 1), minus_one = ~0ull >> (64 - bits);
  const Expr number = or_constant(*s, dividend, dividend_value, bits), by = or_constant(*s, divisor, divisor_value, bits);
  const bool faults = (dividend_value & minus_one) == lowest && (divisor_value & minus_one) == minus_one;
  const Expr fits = t.binary(TREADLE_OP_OR, t.negation(t.equal(number, lowest)), t.negation(t.equal(by, minus_one)));
  note_check(*s, fits, !faults, TREADLE_GUARDS_DIVISION, TREADLE_PC());
  handed_out(*s, 0, TREADLE_PC());
}

void __treadle_sym_assume(TreadleExpr condition, uint32_t value) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr || condition == 0) return;
  note_condition(*s, value != 0 ? TREADLE_NOTE_ASSUME : TREADLE_NOTE_BRANCH, held(*s, condition, value != 0), TREADLE_GUARDS_NOTHING,
                 TREADLE_PC());
  handed_out(*s, 0, TREADLE_PC());
}
}

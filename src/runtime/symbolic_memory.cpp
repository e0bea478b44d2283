// SPDX-License-Identifier: Apache-2.0
// Accesses. A read that was recorded has a symbol of its own; what memory holds counts for all others, as long as it has the value that
// was stored there.
#include "abi/symbolic_hooks.h"
#include "runtime/symbolic.h"

namespace treadle {

namespace {

std::uint64_t number(const volatile void* p) noexcept { return reinterpret_cast<std::uint64_t>(p); }

constexpr std::uint8_t byte_of(std::uint64_t value, unsigned i) noexcept { return static_cast<std::uint8_t>(value >> (8 * i)); }

bool is_read(unsigned kind) noexcept {
  return kind == TREADLE_EV_READ || kind == TREADLE_EV_ATOMIC_READ || kind == TREADLE_EV_RMW || kind == TREADLE_EV_CAS_OK ||
         kind == TREADLE_EV_CAS_FAIL || kind == TREADLE_EV_RANGE_READ;
}

bool is_store(unsigned kind) noexcept {
  return kind == TREADLE_EV_WRITE || kind == TREADLE_EV_ATOMIC_WRITE || kind == TREADLE_EV_RANGE_WRITE;
}

bool is_range(unsigned kind) noexcept { return kind == TREADLE_EV_RANGE_READ || kind == TREADLE_EV_RANGE_WRITE; }

/// The event of the access that the running thread has just made, if it was recorded: nothing comes between the two. The access is the
/// whole of it, or, of ranges and 16 bytes, a piece.
std::uint64_t just_recorded(std::uint64_t address, unsigned bytes, std::uint64_t value, bool (*is_kind)(unsigned)) noexcept {
  const World& w = world();
  if (w.events == 0) return kNoEvent;
  const TreadleEvent& event = event_at(w.events - 1);
  if (event.thread != w.current->id || !is_kind(event.kind)) return kNoEvent;
  if (event.size == bytes && !is_range(event.kind)) return event.address == address && event.value == value ? w.events - 1 : kNoEvent;
  const std::uint64_t size = is_range(event.kind) ? event.extra : event.size;
  const bool within = address >= event.address && address + bytes <= event.address + size && address - event.address <= UINT16_MAX;
  return within && (size > 8 || is_range(event.kind)) ? w.events - 1 : kNoEvent;
}

Expr symbol_of(SymbolicState& s, std::uint64_t event, std::uint64_t address, unsigned bytes, std::uint64_t value) noexcept {
  const TreadleEvent& read = event_at(event);
  const auto part = static_cast<unsigned>(address - read.address);
  if (is_range(read.kind)) return s.table.leaf(TREADLE_OP_READ, static_cast<std::uint32_t>(event), part, bytes * 8, value);
  return s.table.fresh_read(static_cast<std::uint32_t>(event), part, bytes * 8, value);
}

Expr piece(SymbolicState& s, const ByteCell* cell, std::uint8_t value) noexcept {
  if (cell == nullptr || cell->expression == 0 || cell->value != value) return s.table.constant(value, 8);
  return s.table.extract(cell->expression, cell->part * 8u, 8);
}

/// Does a whole expression of this many bytes begin in the first cell?
bool is_whole(const SymbolicState& s, const ByteCell* const* cells, unsigned bytes, std::uint64_t value) noexcept {
  if (cells[0] == nullptr || s.table.bits(cells[0]->expression) != bytes * 8) return false;
  for (unsigned i = 0; i < bytes; ++i)
    if (cells[i] == nullptr || cells[i]->expression != cells[0]->expression || cells[i]->part != i || cells[i]->value != byte_of(value, i))
      return false;
  return true;
}

Expr left_behind(SymbolicState& s, uint32_t rmw, Expr old, Expr operand) noexcept {
  ExpressionTable& t = s.table;
  switch (rmw) {
    case TREADLE_RMW_ADD:
      return t.binary(TREADLE_OP_ADD, old, operand);
    case TREADLE_RMW_SUB:
      return t.binary(TREADLE_OP_SUB, old, operand);
    case TREADLE_RMW_AND:
      return t.binary(TREADLE_OP_AND, old, operand);
    case TREADLE_RMW_NAND:
      return t.unary(TREADLE_OP_NOT, t.binary(TREADLE_OP_AND, old, operand));
    case TREADLE_RMW_OR:
      return t.binary(TREADLE_OP_OR, old, operand);
    case TREADLE_RMW_XOR:
      return t.binary(TREADLE_OP_XOR, old, operand);
    case TREADLE_RMW_MAX:
      return t.select(t.binary(TREADLE_OP_SLT, old, operand), operand, old);
    case TREADLE_RMW_MIN:
      return t.select(t.binary(TREADLE_OP_SLT, old, operand), old, operand);
    case TREADLE_RMW_UMAX:
      return t.select(t.binary(TREADLE_OP_ULT, old, operand), operand, old);
    case TREADLE_RMW_UMIN:
      return t.select(t.binary(TREADLE_OP_ULT, old, operand), old, operand);
    default:
      return operand;
  }
}

/// The event left this, and so memory holds it. Events of ranges do not say what they left: they are told in any case.
void leaves(SymbolicState& s, std::uint64_t event, std::uint64_t address, unsigned bytes, Expr e, std::uint64_t value,
            std::uint64_t pc) noexcept {
  const bool symbolic = e != 0 && !s.table.is(e, TREADLE_OP_CONSTANT);
  memory_holds(s, address, bytes, symbolic ? e : 0, value, pc);
  if (event == kNoEvent || (!symbolic && !is_range(event_at(event).kind))) return;
  const auto part = static_cast<unsigned>(address - event_at(event).address);
  note(s, TREADLE_NOTE_WRITE, world().current->id, event, or_constant(s, e, value, bytes * 8), part, 0, pc);
}

}  // namespace

const TreadleEvent& event_at(std::uint64_t number) noexcept {
  const TreadleSharedBlock& shared = *process().shared;
  const auto* events = reinterpret_cast<const TreadleEvent*>(reinterpret_cast<const char*>(&shared) + shared.events_at);
  return events[shared.events_used + number];
}

Expr held_by_memory(SymbolicState& s, std::uint64_t address, unsigned bytes, std::uint64_t value) noexcept {
  if (s.shadow.is_empty()) return 0;
  const ByteCell* cells[8];
  bool any = false;
  for (unsigned i = 0; i < bytes; ++i) {
    cells[i] =
        i > 0 && (address + i) % kShadowBlock != 0 ? (cells[i - 1] == nullptr ? nullptr : cells[i - 1] + 1) : s.shadow.find(address + i);
    any |= cells[i] != nullptr && cells[i]->expression != 0 && cells[i]->value == byte_of(value, i);
  }
  if (!any) return 0;
  if (is_whole(s, cells, bytes, value)) return cells[0]->expression;
  Expr e = piece(s, cells[0], byte_of(value, 0));
  for (unsigned i = 1; i < bytes; ++i) e = s.table.concat(piece(s, cells[i], byte_of(value, i)), e);
  return e;
}

void memory_holds(SymbolicState& s, std::uint64_t address, unsigned bytes, Expr e, std::uint64_t value, std::uint64_t pc) noexcept {
  if (e == 0 && s.shadow.is_empty()) return;
  ByteCell* cell = nullptr;
  for (unsigned i = 0; i < bytes; ++i) {
    if (i == 0 || (address + i) % kShadowBlock == 0)
      cell = e == 0 ? s.shadow.find(address + i) : s.shadow.make(address + i);
    else if (cell != nullptr)
      ++cell;
    if (cell == nullptr && e != 0) return pin(s, e, value, TREADLE_PIN_FULL, pc);
    if (cell != nullptr) *cell = {e, static_cast<std::uint8_t>(i), byte_of(value, i), 0};
  }
}

void symbolic_moved(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr || s->shadow.is_empty()) return;
  for (std::uint64_t i = 0; i < bytes; ++i) {
    const ByteCell* cell = s->shadow.find(from + i);
    if (cell == nullptr || cell->expression == 0) continue;
    const ByteCell copy = *cell;  // making one may move the other
    ByteCell* there = s->shadow.make(to + i);
    if (there != nullptr)
      *there = copy;
    else
      pin(*s, s->table.extract(copy.expression, copy.part * 8u, 8), copy.value, TREADLE_PIN_FULL, TREADLE_PC());
  }
}

void symbolic_compared(Expr expected, std::uint64_t value, std::uint64_t pc) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr || world().events == 0) return;
  const std::uint64_t event = world().events - 1;
  const TreadleEvent& read = event_at(event);
  const Expr found = symbol_of(*s, event, read.address, read.size, read.value);
  const Expr as_expected = s->table.binary(TREADLE_OP_EQ, found, or_constant(*s, expected, value, read.size * 8u));
  const bool is_equal = read.value == value;
  note_condition(*s, TREADLE_NOTE_BRANCH, is_equal ? as_expected : s->table.negation(as_expected), TREADLE_GUARDS_NOTHING, pc,
                 is_equal ? TREADLE_WAY_TRUE : TREADLE_WAY_FALSE);
  handed_out(*s, 0, pc);
}

}  // namespace treadle

using namespace treadle;

extern "C" {

TreadleExpr __treadle_sym_loaded(const volatile void* address, uint32_t bytes, uint64_t value) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr || bytes > 8) return 0;
  const std::uint64_t event = just_recorded(number(address), bytes, value, is_read);
  const Expr e =
      event != kNoEvent ? symbol_of(*s, event, number(address), bytes, value) : held_by_memory(*s, number(address), bytes, value);
  return handed_out(*s, e, TREADLE_PC());
}

void __treadle_sym_stored(volatile void* address, uint32_t bytes, TreadleExpr expression, uint64_t value) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr || bytes > 8) return;
  const std::uint64_t event = just_recorded(number(address), bytes, value, is_store);
  leaves(*s, event, number(address), bytes, fitted(*s, expression, bytes * 8), value, TREADLE_PC());
  handed_out(*s, 0, TREADLE_PC());
}

TreadleExpr __treadle_sym_private_load(const volatile void* address, uint32_t bytes, uint64_t value) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr || bytes > 8) return 0;
  return handed_out(*s, held_by_memory(*s, number(address), bytes, value), TREADLE_PC());
}

void __treadle_sym_private_store(volatile void* address, uint32_t bytes, TreadleExpr expression, uint64_t value) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr || bytes > 8) return;
  memory_holds(*s, number(address), bytes, fitted(*s, expression, bytes * 8), value, TREADLE_PC());
  handed_out(*s, 0, TREADLE_PC());
}

TreadleExpr __treadle_sym_rmw(volatile void* address, uint32_t bytes, uint32_t rmw, TreadleExpr operand, uint64_t operand_value,
                              uint64_t found) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr || bytes > 8) return 0;
  const std::uint64_t event = just_recorded(number(address), bytes, found, is_read);
  if (event == kNoEvent) return 0;
  const Expr old = symbol_of(*s, event, number(address), bytes, found);
  const Expr with = or_constant(*s, operand, operand_value, bytes * 8);
  const Expr left = left_behind(*s, rmw, old, with);
  leaves(*s, event, number(address), bytes, left, event_at(event).extra, TREADLE_PC());
  return handed_out(*s, old, TREADLE_PC());
}

TreadleExpr __treadle_sym_cas(volatile void* address, uint32_t bytes, TreadleExpr expected, uint64_t expected_value, TreadleExpr desired,
                              uint64_t desired_value, uint64_t found) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr || bytes > 8) return 0;
  const std::uint64_t event = just_recorded(number(address), bytes, found, is_read);
  if (event == kNoEvent) return 0;
  const Expr old = symbol_of(*s, event, number(address), bytes, found);
  const Expr as_expected = s->table.binary(TREADLE_OP_EQ, old, or_constant(*s, expected, expected_value, bytes * 8));
  const bool succeeds = event_at(event).kind == TREADLE_EV_CAS_OK;
  note_condition(*s, TREADLE_NOTE_BRANCH, succeeds ? as_expected : s->table.negation(as_expected), TREADLE_GUARDS_NOTHING, TREADLE_PC(),
                 succeeds ? TREADLE_WAY_TRUE : TREADLE_WAY_FALSE);
  if (succeeds) leaves(*s, event, number(address), bytes, fitted(*s, desired, bytes * 8), desired_value, TREADLE_PC());
  return handed_out(*s, old, TREADLE_PC());
}
}

// SPDX-License-Identifier: Apache-2.0
// Inputs are symbols like reads. They come out of functions of ours, which hand them over as instrumented functions do.
#include "runtime/code.h"
#include "runtime/symbolic.h"

namespace treadle {

Expr symbolic_input(SymbolicState& s) noexcept {
  const World& w = world();
  if (w.events == 0) return 0;
  const TreadleEvent& event = event_at(w.events - 1);
  if (event.kind != TREADLE_EV_INPUT || event.thread != w.current->id) return 0;
  return s.table.leaf(TREADLE_OP_INPUT, static_cast<std::uint32_t>(w.events - 1), 0, event.size * 8u, event.value);
}

void symbolic_input_returned(unsigned bits, std::uint64_t pc) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr) return;
  const Expr e = handed_out(*s, fitted(*s, symbolic_input(*s), bits), pc);
  if (e == 0) return;
  if (has_hooks(pc))
    symbolic_returns(*s, nullptr, 0, {e, s->table.value(e)}, pc);
  else
    pin(*s, e, s->table.value(e), TREADLE_PIN_CALL, pc);
}

void symbolic_input_pinned(std::uint64_t pc) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr) return;
  if (const Expr e = symbolic_input(*s); e != 0) pin(*s, e, s->table.value(e), TREADLE_PIN_CALL, pc);
}

void symbolic_input_between(std::int64_t lowest, std::int64_t highest, std::uint64_t pc) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr) return;
  const Expr e = symbolic_input(*s);
  ExpressionTable& t = s->table;
  if (e == 0) return;
  const Expr low = t.constant(static_cast<std::uint64_t>(lowest), 64), high = t.constant(static_cast<std::uint64_t>(highest), 64);
  note_condition(*s, TREADLE_NOTE_ASSUME, t.binary(TREADLE_OP_SLE, low, e), TREADLE_GUARDS_NOTHING, pc);
  note_condition(*s, TREADLE_NOTE_ASSUME, t.binary(TREADLE_OP_SLE, e, high), TREADLE_GUARDS_NOTHING, pc);
}

void symbolic_input_written(void* to, unsigned bytes, std::uint64_t range, std::uint64_t offset, std::uint64_t pc) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr) return;
  const Expr e = symbolic_input(*s);
  if (e == 0) return;
  memory_holds(*s, reinterpret_cast<std::uint64_t>(to), bytes, e, s->table.value(e), pc);
  if (range != kNoEvent) note(*s, TREADLE_NOTE_WRITE, world().current->id, range, e, static_cast<unsigned>(offset), 0, pc);
}

void symbolic_bytes_written(void* to, const Expr* expressions, std::size_t bytes, std::uint64_t range, std::uint64_t pc) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr) return;
  for (std::size_t i = 0; i < bytes; ++i) {
    if (expressions[i] == 0) continue;
    memory_holds(*s, reinterpret_cast<std::uint64_t>(to) + i, 1, expressions[i], s->table.value(expressions[i]), pc);
    if (range != kNoEvent) note(*s, TREADLE_NOTE_WRITE, world().current->id, range, expressions[i], static_cast<unsigned>(i), 0, pc);
  }
}

void symbolic_byte_returned(Expr byte, std::uint64_t pc) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr || byte == 0) return;
  const Expr e = handed_out(*s, fitted(*s, byte, 32), pc);
  if (e != 0) symbolic_returns(*s, nullptr, 0, {e, s->table.value(e)}, pc);
}

void symbolic_line_ended(const Expr* expressions, std::size_t bytes, std::uint64_t pc) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr) return;
  for (std::size_t i = 0; i < bytes; ++i) {
    if (expressions[i] == 0) continue;
    const Expr ends = s->table.equal(expressions[i], '\n');
    const bool is_end = s->table.value(expressions[i]) == '\n';
    note_condition(*s, TREADLE_NOTE_BRANCH, is_end ? ends : s->table.negation(ends), TREADLE_GUARDS_NOTHING, pc,
                   is_end ? TREADLE_WAY_TRUE : TREADLE_WAY_FALSE);
  }
}

}  // namespace treadle

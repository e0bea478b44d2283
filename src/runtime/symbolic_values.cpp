// SPDX-License-Identifier: Apache-2.0
// Operations on values in registers.
#include "abi/symbolic_hooks.h"
#include "runtime/symbolic.h"

using namespace treadle;

extern "C" {

TreadleExpr __treadle_sym_unary(uint32_t op, TreadleExpr a, uint32_t bits) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr || a == 0) return 0;
  return handed_out(*s, s->table.unary(static_cast<TreadleExpressionOp>(op), fitted(*s, a, bits)), TREADLE_PC());
}

TreadleExpr __treadle_sym_binary(uint32_t op, TreadleExpr a, uint64_t a_value, TreadleExpr b, uint64_t b_value, uint32_t bits) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr || (a | b) == 0) return 0;
  const Expr left = or_constant(*s, a, a_value, bits), right = or_constant(*s, b, b_value, bits);
  return handed_out(*s, s->table.binary(static_cast<TreadleExpressionOp>(op), left, right), TREADLE_PC());
}

TreadleExpr __treadle_sym_cast(uint32_t op, TreadleExpr a, uint32_t to_bits, uint32_t part) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr || a == 0) return 0;
  Expr e = 0;
  if (op == TREADLE_OP_EXTRACT)
    e = s->table.bits(a) >= part + to_bits ? s->table.extract(a, part, to_bits) : fitted(*s, a, to_bits);
  else if (s->table.bits(a) <= to_bits)
    e = s->table.extend(static_cast<TreadleExpressionOp>(op), a, to_bits);
  else
    e = fitted(*s, a, to_bits);
  return handed_out(*s, e, TREADLE_PC());
}

TreadleExpr __treadle_sym_select(TreadleExpr condition, uint64_t condition_value, TreadleExpr a, uint64_t a_value, TreadleExpr b,
                                 uint64_t b_value, uint32_t bits) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr || (condition | a | b) == 0) return 0;
  const Expr which = or_constant(*s, condition, condition_value, 1);
  return handed_out(*s, s->table.select(which, or_constant(*s, a, a_value, bits), or_constant(*s, b, b_value, bits)), TREADLE_PC());
}
}

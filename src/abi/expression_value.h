/* SPDX-License-Identifier: Apache-2.0 */
/* What the operations of abi/symbolic.h compute: once, for the runtime that folds constants and for the host that evaluates. C semantics
 * where C has one, SMT-LIB's elsewhere. */
#ifndef TREADLE_ABI_EXPRESSION_VALUE_H
#define TREADLE_ABI_EXPRESSION_VALUE_H

#include "abi/symbolic.h"

static inline uint64_t treadle_masked(uint64_t value, unsigned bits) { return bits >= 64 ? value : value & ((1ull << bits) - 1); }

static inline int64_t treadle_signed(uint64_t value, unsigned bits) {
  const unsigned unused = 64 - bits;
  return (int64_t)(value << unused) >> unused;
}

static inline int treadle_is_comparison(unsigned op) { return op >= TREADLE_OP_EQ && op <= TREADLE_OP_SLE; }

static inline uint64_t treadle_shifted(unsigned op, uint64_t a, uint64_t by, unsigned bits) {
  if (op == TREADLE_OP_ASHR) return (uint64_t)(treadle_signed(a, bits) >> (by >= bits ? bits - 1 : by));
  if (by >= bits) return 0;
  return op == TREADLE_OP_SHL ? a << by : a >> by;
}

/* As SMT-LIB has it. The one quotient that does not fit, lowest / -1, wraps. */
static inline uint64_t treadle_divided(unsigned op, uint64_t a, uint64_t b, unsigned bits) {
  const int64_t sa = treadle_signed(a, bits), sb = treadle_signed(b, bits);
  switch (op) {
    case TREADLE_OP_UDIV:
      return b == 0 ? ~0ull : a / b;
    case TREADLE_OP_UREM:
      return b == 0 ? a : a % b;
    case TREADLE_OP_SDIV:
      if (b == 0) return sa < 0 ? 1 : ~0ull;
      return sb == -1 ? 0 - a : (uint64_t)(sa / sb);
    default:
      if (b == 0) return a;
      return sb == -1 ? 0 : (uint64_t)(sa % sb);
  }
}

static inline uint64_t treadle_compared(unsigned op, uint64_t a, uint64_t b, unsigned bits) {
  const int64_t sa = treadle_signed(a, bits), sb = treadle_signed(b, bits);
  switch (op) {
    case TREADLE_OP_EQ:
      return a == b;
    case TREADLE_OP_NE:
      return a != b;
    case TREADLE_OP_ULT:
      return a < b;
    case TREADLE_OP_ULE:
      return a <= b;
    case TREADLE_OP_SLT:
      return sa < sb;
    default:
      return sa <= sb;
  }
}

/* One operation with operands of one width, `bits`. */
static inline uint64_t treadle_applied(unsigned op, uint64_t a, uint64_t b, unsigned bits) {
  switch (op) {
    case TREADLE_OP_NOT:
      return treadle_masked(~a, bits);
    case TREADLE_OP_NEG:
      return treadle_masked(0 - a, bits);
    case TREADLE_OP_ADD:
      return treadle_masked(a + b, bits);
    case TREADLE_OP_SUB:
      return treadle_masked(a - b, bits);
    case TREADLE_OP_MUL:
      return treadle_masked(a * b, bits);
    case TREADLE_OP_UDIV:
    case TREADLE_OP_SDIV:
    case TREADLE_OP_UREM:
    case TREADLE_OP_SREM:
      return treadle_masked(treadle_divided(op, a, b, bits), bits);
    case TREADLE_OP_AND:
      return a & b;
    case TREADLE_OP_OR:
      return a | b;
    case TREADLE_OP_XOR:
      return a ^ b;
    case TREADLE_OP_SHL:
    case TREADLE_OP_LSHR:
    case TREADLE_OP_ASHR:
      return treadle_masked(treadle_shifted(op, a, b, bits), bits);
    default:
      return treadle_compared(op, a, b, bits);
  }
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What a symbolic build leaves behind besides events: expressions over what was read, and notes that tie them to events, branches and
 * checks. Part of the fence, as events.h is; the host trusts nothing of it.
 *
 * An expression is a number: its place in the expression region of its execution. 0 stands for "no expression": the value is whatever it
 * was, whoever reads what. Operands have smaller numbers than what is made of them. Equal expressions have equal numbers (hash-consed),
 * what can be computed is computed. Widths are 1 to 64 bits; wider values are pinned.
 *
 *   X(NAME, "text", OPERANDS)
 */
#ifndef TREADLE_ABI_SYMBOLIC_H
#define TREADLE_ABI_SYMBOLIC_H

#include <stdint.h>

/* By this section of its binary the host tells a symbolic build. It holds the version, 32 bits, once per file. */
#define TREADLE_SYMBOLIC_SECTION "treadle_symbolic"
#define TREADLE_SYMBOLIC_VERSION 1u

/* A file that asks for inputs, by whatever names, leaves this one, of whatever build it is. */
#define TREADLE_INPUTS_SECTION "treadle_inputs"

#define TREADLE_EXPRESSION_OPS(X)                                                                \
  X(NONE, "none", 0)                                                                             \
  X(CONSTANT, "constant", 0) /* b, c: its value, low and high half */                            \
  X(READ, "read", 0)         /* a: the event that read it, part: first byte; b, c: value seen */ \
  X(INPUT, "input", 0)       /* a: the INPUT event, part: first byte; b, c: value seen */        \
  X(NOT, "~", 1)                                                                                 \
  X(NEG, "-", 1)                                                                                 \
  X(ZEXT, "zext", 1)                                                                             \
  X(SEXT, "sext", 1)                                                                             \
  X(EXTRACT, "extract", 1) /* part: lowest bit taken */                                          \
  X(ADD, "+", 2)                                                                                 \
  X(SUB, "-", 2)                                                                                 \
  X(MUL, "*", 2)                                                                                 \
  X(UDIV, "/u", 2) /* divisor 0: all ones, as in SMT-LIB; a check stands in front of it */       \
  X(SDIV, "/", 2)                                                                                \
  X(UREM, "%u", 2)                                                                               \
  X(SREM, "%", 2)                                                                                \
  X(AND, "&", 2)                                                                                 \
  X(OR, "|", 2)                                                                                  \
  X(XOR, "^", 2)                                                                                 \
  X(SHL, "<<", 2) /* by the width or more: 0 (ASHR: all sign), as in SMT-LIB */                  \
  X(LSHR, ">>u", 2)                                                                              \
  X(ASHR, ">>", 2)                                                                               \
  X(CONCAT, "concat", 2) /* a: the high half */                                                  \
  X(EQ, "==", 2)         /* comparisons have one bit */                                          \
  X(NE, "!=", 2)                                                                                 \
  X(ULT, "<u", 2)                                                                                \
  X(ULE, "<=u", 2)                                                                               \
  X(SLT, "<", 2)                                                                                 \
  X(SLE, "<=", 2)                                                                                \
  X(ITE, "?:", 3)

typedef enum {
#define X(name, text, operands) TREADLE_OP_##name,
  TREADLE_EXPRESSION_OPS(X)
#undef X
      TREADLE_OP_COUNT
} TreadleExpressionOp;

typedef struct {
  uint8_t op;    /* TreadleExpressionOp */
  uint8_t bits;  /* of the result */
  uint16_t part; /* see READ, INPUT, EXTRACT */
  uint32_t a, b, c;
} TreadleExpression;

/* Notes stand in the order in which they came about. `event` of one that is tied to no event is the number of events recorded before it:
 * it stands behind those of its thread, and before its thread's next. All expressions of conditions have one bit and were true.
 *
 *   X(NAME, "text")
 */
#define TREADLE_NOTE_KINDS(X)                                                                                                    \
  X(NONE, "none")                                                                                                                \
  X(WRITE, "write")   /* the event left this: expression, from byte `part` on; what has no such note left what the event says */ \
  X(BRANCH, "branch") /* the thread went this way because this holds; reason: TREADLE_GUARDS_* of the other way */               \
  X(PIN, "pin")       /* used in a way that has no model: holds, or nothing is known of what follows; reason: TREADLE_PIN_* */   \
  X(CHECK, "check")   /* if it did not hold, the program would fail right here; reason: TREADLE_GUARDS_* */                      \
  X(ASSUME, "assume") /* the program asked for executions in which this holds */

typedef enum {
#define X(name, text) TREADLE_NOTE_##name,
  TREADLE_NOTE_KINDS(X)
#undef X
      TREADLE_NOTE_COUNT
} TreadleNoteKind;

/* What lies beyond a branch not taken (it inevitably gets there), or a check that fails. */
#define TREADLE_GUARDED(X)            \
  X(NOTHING, "")                      \
  X(ASSERTION, "assertion")           \
  X(ABORT, "abort")                   \
  X(ERROR, "error")                   \
  X(NULL_POINTER, "null dereference") \
  X(BOUNDS, "access outside a block") \
  X(DIVISION, "division by zero")
typedef enum {
#define X(name, text) TREADLE_GUARDS_##name,
  TREADLE_GUARDED(X)
#undef X
      TREADLE_GUARDS_COUNT
} TreadleGuarded;

#define TREADLE_PINS(X)                                                \
  X(ADDRESS, "an address")                                             \
  X(FLOAT, "a floating-point number")                                  \
  X(CALL, "an argument of a function that was not built with Treadle") \
  X(ASM, "inline assembly")                                            \
  X(WIDE, "a value of more than 64 bits")                              \
  X(SIZE, "a number of bytes")                                         \
  X(FULL, "no more room for expressions")                              \
  X(OTHER, "an instruction without a model")
typedef enum {
#define X(name, text) TREADLE_PIN_##name,
  TREADLE_PINS(X)
#undef X
      TREADLE_PIN_COUNT
} TreadlePin;

typedef struct {
  uint8_t kind;   /* TreadleNoteKind */
  uint8_t thread; /* who */
  uint8_t reason;
  uint8_t unused;
  uint32_t event;
  uint32_t expression;
  uint32_t part;
  uint64_t pc; /* return address in the program */
} TreadleNote;

#ifdef __cplusplus
static_assert(sizeof(TreadleExpression) == 16 && sizeof(TreadleNote) == 24, "record layout is the fence");
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What code of a symbolic build calls besides hooks.h: compiled concolic execution. Next to each integer or pointer in a register goes a
 * number, its expression (abi/symbolic.h; 0: none). The native run supplies every value; these functions only keep the books. They never
 * change what the program does, are no scheduling points and record no events.
 *
 * The pass calls those that take operands only when one of what they were made of has an expression (a test and a jump in the program):
 * several in a row may share one test, so an operation on operands without expressions has none either. `value` is always the concrete
 * one, zero-extended to 64 bits; `bits` 1 … 64. A float that is only moved about has the expression of its bits. */
#ifndef TREADLE_ABI_SYMBOLIC_HOOKS_H
#define TREADLE_ABI_SYMBOLIC_HOOKS_H

#include <stddef.h>
#include <stdint.h>

#include "abi/hooks.h"
#include "abi/symbolic.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t TreadleExpr;

/* Not 0 while expressions are kept. The program asks before it calls what has no operands (loaded, stored, result, enter, …). While it is 0
 * no value has an expression and nothing of this file is called. While it is not 0 there is no short way (abi/short_way.h): each access
 * calls its hook, then the function here. Changes only where no instrumented function is running. */
extern uint8_t __treadle_sym_recording;

/* bits: of the operands. Comparisons have a result of one bit. */
TreadleExpr __treadle_sym_unary(uint32_t op, TreadleExpr a, uint32_t bits) TREADLE_NOEXCEPT;
TreadleExpr __treadle_sym_binary(uint32_t op, TreadleExpr a, uint64_t a_value, TreadleExpr b, uint64_t b_value,
                                 uint32_t bits) TREADLE_NOEXCEPT;
/* ZEXT, SEXT, EXTRACT (part: lowest bit) */
TreadleExpr __treadle_sym_cast(uint32_t op, TreadleExpr a, uint32_t to_bits, uint32_t part) TREADLE_NOEXCEPT;
TreadleExpr __treadle_sym_select(TreadleExpr condition, uint64_t condition_value, TreadleExpr a, uint64_t a_value, TreadleExpr b,
                                 uint64_t b_value, uint32_t bits) TREADLE_NOEXCEPT;

/* Right behind the hook of hooks.h that made the access (or behind the native access: `private_` when it needed no hook, else announced as
 * a range). Called for every access of up to 8 bytes; wider ones come in pieces (address, then address + 8, …), which are pinned. The
 * expression of a read that was recorded as an event is that event's symbol (or a part of it); else what was stored there last, as long as
 * the value is still the one that was stored. An access of 16 bytes that reads and writes at once: `loaded` for both pieces of what was
 * found, then `stored` (without expressions) for both pieces of what was left. */
TreadleExpr __treadle_sym_loaded(const volatile void* address, uint32_t bytes, uint64_t value) TREADLE_NOEXCEPT;
void __treadle_sym_stored(volatile void* address, uint32_t bytes, TreadleExpr expression, uint64_t value) TREADLE_NOEXCEPT;
TreadleExpr __treadle_sym_private_load(const volatile void* address, uint32_t bytes, uint64_t value) TREADLE_NOEXCEPT;
void __treadle_sym_private_store(volatile void* address, uint32_t bytes, TreadleExpr expression, uint64_t value) TREADLE_NOEXCEPT;
/* The symbol of what was there before. */
TreadleExpr __treadle_sym_rmw(volatile void* address, uint32_t bytes, uint32_t rmw, TreadleExpr operand, uint64_t operand_value,
                              uint64_t found) TREADLE_NOEXCEPT;
/* The symbol of what was found; whether that was what was expected is a branch. */
TreadleExpr __treadle_sym_cas(volatile void* address, uint32_t bytes, TreadleExpr expected, uint64_t expected_value, TreadleExpr desired,
                              uint64_t desired_value, uint64_t found) TREADLE_NOEXCEPT;
/* memcpy, memmove; memset (value: one byte). Behind the native operation; `private_` bit 0: the source needed no hook, bit 1: the target.
 */
void __treadle_sym_copied(void* to, const void* from, size_t bytes, uint32_t private_) TREADLE_NOEXCEPT;
void __treadle_sym_filled(void* to, TreadleExpr byte, uint8_t value, size_t bytes, uint32_t private_) TREADLE_NOEXCEPT;
/* Something without a model is going to look at these bytes (a library function, a call that passes them by value): what they hold is
 * pinned. Behind range_read, if there is one. `private_` bit 0: they needed no hook. */
void __treadle_sym_pin_memory(const void* from, size_t bytes, uint32_t private_, uint32_t reason) TREADLE_NOEXCEPT;
/* A function (null: of libc) is handed this address. If it has no hooks, what lies there may be looked at and written to: it is pinned. */
void __treadle_sym_lent(const void* object, const void* to) TREADLE_NOEXCEPT;

/* condition: one bit; value: the way taken; guarded: TREADLE_GUARDS_* of the other way. */
void __treadle_sym_branch(TreadleExpr condition, uint32_t value, uint32_t guarded) TREADLE_NOEXCEPT;
/* A way of a branch (abi/branches.h) is taken, whose byte is 0 still; also while nothing is recorded. */
void __treadle_sym_way(uint8_t* way) TREADLE_NOEXCEPT;
void __treadle_sym_switch(TreadleExpr expression, uint64_t value, uint32_t bits, const uint64_t* cases, uint32_t count) TREADLE_NOEXCEPT;
/* Of expression 0: nothing. */
void __treadle_sym_pin(TreadleExpr expression, uint64_t value, uint32_t bits, uint32_t reason) TREADLE_NOEXCEPT;
/* In front of an access whose address has an expression: a CHECK that it lies within its block and is not null, and a pin. */
void __treadle_sym_address(TreadleExpr expression, const volatile void* address, size_t bytes) TREADLE_NOEXCEPT;
/* In front of the question how far a library function will look: it may be that nothing can be looked at. The same, unless there is a
 * block, of which it is not known yet how much. */
void __treadle_sym_looked_at(TreadleExpr expression, const volatile void* address) TREADLE_NOEXCEPT;
/* In front of a division. */
void __treadle_sym_divisor(TreadleExpr expression, uint64_t value, uint32_t bits) TREADLE_NOEXCEPT;
/* In front of a signed one: the lowest number cannot be divided by -1. */
void __treadle_sym_quotient(TreadleExpr dividend, uint64_t dividend_value, TreadleExpr divisor, uint64_t divisor_value,
                            uint32_t bits) TREADLE_NOEXCEPT;
void __treadle_sym_assume(TreadleExpr condition, uint32_t value) TREADLE_NOEXCEPT;

/* Calls. Before it: the arguments that have expressions, then `call` with the function called (only when there was one). In the function:
 * `enter`, only if it has parameters; `parameter` gives the expression only if this very function was called with it and the value is the
 * same. `leave` before each return of what can have one, with 0 too (number: of the part of a structure, else 0; function 0: the runtime
 * itself, on behalf of whoever was called). `result` behind the call (0 when the function called had no hooks, or the value is another).
 * What was handed over and is not taken as intended is pinned (TREADLE_PIN_CALL), never dropped: arguments of a function without hooks,
 * or when another one enters; what the function of a thread, or one that was called back, returns. */
void __treadle_sym_argument(uint32_t number, TreadleExpr expression, uint64_t value) TREADLE_NOEXCEPT;
void __treadle_sym_call(const void* function) TREADLE_NOEXCEPT;
void __treadle_sym_enter(const void* function) TREADLE_NOEXCEPT; /* once, before `parameter` */
TreadleExpr __treadle_sym_parameter(uint32_t number, uint64_t value) TREADLE_NOEXCEPT;
void __treadle_sym_leave(const void* function, uint32_t number, TreadleExpr expression, uint64_t value) TREADLE_NOEXCEPT;
TreadleExpr __treadle_sym_result(const void* function, uint32_t number, uint64_t value) TREADLE_NOEXCEPT;
/* With its `number`: the function is known not to be one that asks for an input. One that nobody has taken is not its result. */
#define TREADLE_RESULT_IS_NO_INPUT 0x100u

#ifdef __cplusplus
}
#endif
#endif

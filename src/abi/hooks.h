/* SPDX-License-Identifier: Apache-2.0 */
/* What instrumented code calls. The pass emits exactly these; the runtime defines exactly these.
 *
 * Loads and stores are *made by* the hook (not merely announced), so that a store buffer can stand between
 * the program and memory. Floats and pointers travel as integers of their size. Accesses of other sizes are announced as
 * ranges and then made natively. */
#ifndef TREADLE_ABI_HOOKS_H
#define TREADLE_ABI_HOOKS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define TREADLE_NOEXCEPT noexcept
#else
#define TREADLE_NOEXCEPT
#endif

typedef unsigned __int128 treadle_u128;

#define TREADLE_WIDTHS(X) X(1, uint8_t) X(2, uint16_t) X(4, uint32_t) X(8, uint64_t)
#define TREADLE_ATOMIC_WIDTHS(X) TREADLE_WIDTHS(X) X(16, treadle_u128)

typedef enum {
  TREADLE_RMW_XCHG,
  TREADLE_RMW_ADD,
  TREADLE_RMW_SUB,
  TREADLE_RMW_AND,
  TREADLE_RMW_NAND,
  TREADLE_RMW_OR,
  TREADLE_RMW_XOR,
  TREADLE_RMW_MAX,
  TREADLE_RMW_MIN,
  TREADLE_RMW_UMAX,
  TREADLE_RMW_UMIN,
  TREADLE_RMW_OPERATIONS
} TreadleRmw;

#define X(n, t)                                                        \
  t __treadle_load##n(const void*) TREADLE_NOEXCEPT;                   \
  void __treadle_store##n(void*, t) TREADLE_NOEXCEPT;                  \
  t __treadle_volatile_load##n(const volatile void*) TREADLE_NOEXCEPT; \
  void __treadle_volatile_store##n(volatile void*, t) TREADLE_NOEXCEPT;
TREADLE_WIDTHS(X)
#undef X

/* order: C11 numbering, 0 relaxed … 5 seq_cst. `cas` returns the value found; success iff it equals `expected`
 * (weak ones never fail spuriously). */
#define X(n, t)                                                                              \
  t __treadle_atomic_load##n(const volatile void*, int order) TREADLE_NOEXCEPT;              \
  void __treadle_atomic_store##n(volatile void*, t, int order) TREADLE_NOEXCEPT;             \
  t __treadle_atomic_rmw##n(volatile void*, t operand, int rmw, int order) TREADLE_NOEXCEPT; \
  t __treadle_atomic_cas##n(volatile void*, t expected, t desired, int success, int failure) TREADLE_NOEXCEPT;
TREADLE_ATOMIC_WIDTHS(X)
#undef X

void __treadle_fence(int order) TREADLE_NOEXCEPT;
void __treadle_range_read(const void*, size_t bytes) TREADLE_NOEXCEPT;
void __treadle_range_write(void*, size_t bytes) TREADLE_NOEXCEPT;

/* How many bytes a string function is going to look at; the caller announces them as ranges. No scheduling points.
 * string_length: strnlen. compared_bytes: as far as strncmp looks into either string. found_bytes: as far as memchr looks. */
size_t __treadle_string_length(const char*, size_t at_most) TREADLE_NOEXCEPT;
size_t __treadle_compared_bytes(const char*, const char*, size_t at_most) TREADLE_NOEXCEPT;
size_t __treadle_found_bytes(const void*, int byte, size_t at_most) TREADLE_NOEXCEPT;

/* A text is about to be printed, at most so many bytes of it. Null is printed as a word. */
void __treadle_text(const char*, size_t at_most) TREADLE_NOEXCEPT;

/* A std::basic_ostream or basic_istream, or the buffer of one, is about to be used by the library. */
enum TreadleStreamUse {
  TREADLE_STREAM_PUTS = 0,
  TREADLE_STREAM_PUTS_FORMATTED = 1,
  TREADLE_STREAM_TAKES = 2,
  TREADLE_STREAM_SHOWS = 3, /* all that was put */
  TREADLE_STREAM_BUFFER_SHOWS = 4
};
void __treadle_stream(const void* stream, int use) TREADLE_NOEXCEPT;

/* A loop that may be spinning: `loop` names it (unique in the program, for example a hash of module, function and position), `state`
 * is a hash of all values it carries into its next iteration (its header's phis). `enter` stands in the preheader, with the values the
 * first iteration starts with; the other on every back edge. The loop has no effects but through hooks. Both are needed: without `enter`,
 * leaving a loop and coming back to it would look like one iteration, and the thread would be blocked wrongly (so then it never is).
 * `from_outside` is a hash of everything else that the loop uses and does not compute. Odd numbers: `state` and `from_outside` together
 * with what the hooks let it read determine what an iteration does. Even ones: there is more. The second bit is set in the numbers of
 * loops in which something may be read by an atomic access or an attempt to lock. */
void __treadle_loop_enter(uint64_t loop, uint64_t state, uint64_t from_outside) TREADLE_NOEXCEPT;
void __treadle_loop(uint64_t loop, uint64_t state) TREADLE_NOEXCEPT;
/* The same for a loop that counts and gives up in the end: not 0 when this iteration led nowhere, and all that are left would, too. */
uint32_t __treadle_loop_polls(uint64_t loop, uint64_t state) TREADLE_NOEXCEPT;

/* About to go to `code`, by a call or by returning; it may be code without hooks, or null: something without hooks happens here. Stores
 * under way have to be in memory then. */
void __treadle_call(const void* code) TREADLE_NOEXCEPT;
/* The life of a local ends. */
void __treadle_forget(void*, size_t bytes) TREADLE_NOEXCEPT;

/* Inline assembly that the pass does not understand is about to run. */
void __treadle_opaque_asm(void) TREADLE_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif

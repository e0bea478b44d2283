// SPDX-License-Identifier: Apache-2.0
// Calls the hooks itself, as the pass would, so that the runtime can be tested without it: compiled without the pass, and linked to main in
// two_threads.c. Each step states what it expects.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/symbolic_hooks.h"
#include "treadle/treadle.h"

int x = 5, y;
unsigned char bytes[16];
struct pair {
  int a;
  short b, c;
} shared_pair = {1, 2, 3};

static TreadleExpr load_x(int* value) {
  *value = __treadle_load4(&x);
  return __treadle_sym_loaded(&x, 4, (unsigned)*value);
}

static void store_y(TreadleExpr e, int value) {
  __treadle_store4(&y, (unsigned)value);
  __treadle_sym_stored(&y, 4, e, (unsigned)value);
}

static int callee(int a) {
  __treadle_sym_enter(callee);
  TreadleExpr e = __treadle_sym_parameter(0, (unsigned)a);
  TreadleExpr sum = e == 0 ? 0 : __treadle_sym_binary(TREADLE_OP_ADD, e, (unsigned)a, 0, 1, 32);
  __treadle_sym_leave(callee, 0, sum, (unsigned)(a + 1));
  return a + 1;
}

/* Only where reads are recorded: a read of x has a symbol then. */
static void expect(int holds, int line) {
  int unused;
  if (load_x(&unused) == 0 || holds) return;
  fprintf(stderr, "expectation of line %d does not hold\n", line);
  abort();
}
#define EXPECT(holds) expect(holds, __LINE__)

static void memory(void) {
  int value, private_;
  TreadleExpr e = load_x(&value);
  EXPECT(e != 0);
  private_ = value;
  __treadle_sym_private_store(&private_, 4, e, (unsigned)private_);
  EXPECT(__treadle_sym_private_load(&private_, 4, (unsigned)private_) == e);
  EXPECT(__treadle_sym_private_load(&private_, 2, (unsigned short)private_) != 0);
  EXPECT(__treadle_sym_private_load(&private_, 4, (unsigned)private_ + 0x01010101u) == 0);
  ((unsigned char*)&private_)[1] = 9;
  __treadle_sym_private_store((unsigned char*)&private_ + 1, 1, 0, 9);
  EXPECT(__treadle_sym_private_load((unsigned char*)&private_ + 1, 1, 9) == 0);
  TreadleExpr mixed = __treadle_sym_private_load(&private_, 4, (unsigned)private_);
  EXPECT(mixed != 0 && mixed != e);
  int moved;
  memmove(&moved, &private_, 4);
  __treadle_sym_copied(&moved, &private_, 4, 3);
  EXPECT(__treadle_sym_private_load(&moved, 4, (unsigned)moved) == mixed);
  __treadle_sym_filled(&moved, 0, 0, 4, 3);
  memset(&moved, 0, 4);
  EXPECT(__treadle_sym_private_load(&moved, 4, 0) == 0);
  store_y(mixed, private_);
}

static void blocks(void) {
  int value;
  TreadleExpr e = load_x(&value);
  int* block = malloc(8 * sizeof *block);
  block[1] = value;
  __treadle_sym_private_store(block + 1, 4, e, (unsigned)value);
  block = realloc(block, 4096);
  EXPECT(__treadle_sym_private_load(block + 1, 4, (unsigned)value) == e);
  TreadleExpr wide = __treadle_sym_cast(TREADLE_OP_SEXT, e, 64, 0);
  TreadleExpr scaled = __treadle_sym_binary(TREADLE_OP_MUL, wide, (unsigned long)value, 0, 4, 64);
  TreadleExpr place = __treadle_sym_binary(TREADLE_OP_ADD, 0, (unsigned long)block, scaled, (unsigned long)value * 4, 64);
  __treadle_sym_address(place, block + value, 4);
  __treadle_sym_pin_memory(block, 64, 1, TREADLE_PIN_CALL);
  free(block);
  struct pair copy;
  __treadle_range_read(&shared_pair, sizeof copy);
  memcpy(&copy, &shared_pair, sizeof copy);
  __treadle_sym_copied(&copy, &shared_pair, sizeof copy, 2);
  __treadle_range_read(&copy, sizeof copy);
  __treadle_range_write(&shared_pair, sizeof copy);
  memcpy(&shared_pair, &copy, sizeof copy);
  __treadle_sym_copied(&shared_pair, &copy, sizeof copy, 1);
  __treadle_range_write(bytes, sizeof bytes);
  memset(bytes, value, sizeof bytes);
  __treadle_sym_filled(bytes, __treadle_sym_cast(TREADLE_OP_EXTRACT, e, 8, 0), (unsigned char)value, sizeof bytes, 1);
}

static void values(void) {
  int value;
  TreadleExpr e = load_x(&value);
  TreadleExpr less = __treadle_sym_binary(TREADLE_OP_SLT, e, (unsigned)value, 0, 100, 32);
  __treadle_sym_branch(less, value < 100, TREADLE_GUARDS_ASSERTION);
  __treadle_sym_branch(less, value < 100, TREADLE_GUARDS_NOTHING); /* known: left out */
  __treadle_sym_divisor(e, (unsigned)value, 32);
  const uint64_t cases[] = {1, 2, 3};
  __treadle_sym_switch(e, (unsigned)value, 32, cases, 3);
  TreadleExpr picked = __treadle_sym_select(less, value < 100, e, (unsigned)value, 0, 7, 32);
  __treadle_sym_assume(__treadle_sym_binary(TREADLE_OP_NE, picked, value < 100 ? (unsigned)value : 7, 0, 55, 32), 1);
  EXPECT(__treadle_sym_unary(TREADLE_OP_NOT, __treadle_sym_unary(TREADLE_OP_NOT, e, 32), 32) == e);
  EXPECT(__treadle_sym_binary(TREADLE_OP_AND, e, (unsigned)value, 0, 0, 32) == 0);
  __treadle_sym_argument(0, e, (unsigned)value);
  __treadle_sym_call(callee);
  int result = callee(value);
  TreadleExpr sum = __treadle_sym_result(callee, 0, (unsigned)result);
  EXPECT(sum == __treadle_sym_binary(TREADLE_OP_ADD, e, (unsigned)value, 0, 1, 32));
  callee(value);
  EXPECT(__treadle_sym_result(callee, 0, (unsigned)value + 1) == 0);
  __treadle_sym_argument(0, e, (unsigned)value);
  __treadle_sym_call(abs); /* no hooks: pinned */
  __treadle_sym_argument(0, sum, (unsigned)result);
  __treadle_sym_call(values); /* somebody else enters: pinned */
  callee(value);
  store_y(sum, result);
}

static void atomics(void) {
  unsigned found = __treadle_atomic_rmw4(&x, 1, TREADLE_RMW_ADD, 5);
  TreadleExpr e = __treadle_sym_rmw(&x, 4, TREADLE_RMW_ADD, 0, 1, found);
  EXPECT(e != 0);
  unsigned was = __treadle_atomic_cas4(&x, found + 1, found + 2, 5, 5);
  TreadleExpr sum = __treadle_sym_binary(TREADLE_OP_ADD, e, found, 0, 1, 32),
              two = __treadle_sym_binary(TREADLE_OP_ADD, e, found, 0, 2, 32);
  __treadle_sym_cas(&x, 4, sum, found + 1, two, found + 2, was);
  found = __treadle_atomic_rmw4(&x, 3, TREADLE_RMW_UMAX, 5);
  __treadle_sym_rmw(&x, 4, TREADLE_RMW_UMAX, 0, 3, found);
}

static void inputs(void) {
  int value = treadle_input_int("i");
  TreadleExpr e = __treadle_sym_result((const void*)treadle_input_int, 0, (unsigned)value);
  EXPECT(e != 0);
  int small = treadle_input_range("r", 3, 9);
  TreadleExpr r = __treadle_sym_result((const void*)treadle_input_range, 0, (unsigned)small);
  EXPECT(r != 0);
  store_y(__treadle_sym_binary(TREADLE_OP_XOR, e, (unsigned)value, r, (unsigned)small, 32), value ^ small);
}

void work_by_hand(void) {
  atomics();
  memory();
  blocks();
  values();
  inputs();
}

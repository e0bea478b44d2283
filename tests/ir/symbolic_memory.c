// SPDX-License-Identifier: Apache-2.0
// Behind each access stands what keeps the books of it.
// RUN-FLAGS: -O0
// RUN-FLAGS: -O1
// RUN-FLAGS: -O2 -g
// SYMBOLIC: yes
#include <stdatomic.h>
#include <string.h>
atomic_int a;
_Atomic __int128 both;
volatile short v;
int x, y;
char block[100], other[100];

// CHECK-LABEL: @atomic_read(
// CHECK: call i32 @__treadle_atomic_load4(ptr {{.*}}@a, i32 5)
// CHECK: call i32 @__treadle_sym_loaded(ptr {{.*}}@a, i32 4, i64
int atomic_read(void) { return a; }

// CHECK-LABEL: @atomic_add(
// CHECK: call i32 @__treadle_atomic_rmw4(ptr {{.*}}@a, i32 {{.*}}, i32 1, i32 5)
// CHECK: call i32 @__treadle_sym_rmw(ptr {{.*}}@a, i32 4, i32 1, i32 {{.*}}, i64 {{.*}}, i64
int atomic_add(int n) { return a += n; }

// CHECK-LABEL: @exchange(
// CHECK: call i32 @__treadle_atomic_cas4(
// CHECK: call i32 @__treadle_sym_cas(ptr {{.*}}@a, i32 4, i32 {{.*}}, i64 {{.*}}, i32 {{.*}}, i64 {{.*}}, i64
int exchange(int *expected, int desired) { return atomic_compare_exchange_strong(&a, expected, desired); }

// CHECK-LABEL: @sixteen_bytes(
// CHECK: call i128 @__treadle_atomic_load16(
// CHECK: [[LOW:%.*]] = {{.*}}call i32 @__treadle_sym_loaded(ptr {{.*}}@both, i32 8,
// CHECK: call void @__treadle_sym_pin(i32 [[LOW]], i64 {{.*}}, i32 64, i32 4)
// CHECK: [[HIGH:%.*]] = {{.*}}call i32 @__treadle_sym_loaded(ptr {{.*}}@both, i64 8), i32 8,
// CHECK: call void @__treadle_sym_pin(i32 [[HIGH]], i64 {{.*}}, i32 64, i32 4)
__int128 sixteen_bytes(void) { return both; }

// CHECK-LABEL: @volatile_write(
// CHECK: call void @__treadle_volatile_store2(
// CHECK: call void @__treadle_sym_stored(ptr {{.*}}@v, i32 2,
void volatile_write(short n) { v = n; }

// A local array has no hooks, but its elements have expressions.
// CHECK-LABEL: @local_array(
// CHECK-NOT: __treadle_sym_stored
// CHECK: call void @__treadle_sym_private_store(ptr {{.*}}, i32 4,
// CHECK: call void @__treadle_sym_address(
// CHECK: call i32 @__treadle_sym_private_load(ptr {{.*}}, i32 4,
int local_array(int i) { volatile int local[2]; local[0] = x; local[1] = y; return local[i]; }

// CHECK-LABEL: @copies(
// CHECK: call void @llvm.memcpy
// CHECK: call void @__treadle_sym_copied(ptr {{.*}}, ptr {{.*}}, i64 100, i32 2)
// CHECK: call void @llvm.memcpy
// CHECK: call void @__treadle_sym_copied(ptr {{.*}}, ptr {{.*}}, i64 100, i32 1)
void copies(void) { memcpy(block, other, 100); }

// CHECK-LABEL: @fills(
// CHECK: call void @__treadle_sym_pin(i32 {{.*}}, i32 64, i32 5)
// CHECK: call void @llvm.memset
// CHECK: call void @__treadle_sym_filled(ptr {{.*}}, i32 {{.*}}, i8 {{.*}}, i64 {{.*}}, i32 0)
void fills(int byte, unsigned long n) { memset(block, byte, n); }
// CHECK-LABEL: @end_of_file(
void end_of_file(void) {}

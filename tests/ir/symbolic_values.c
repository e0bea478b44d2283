// SPDX-License-Identifier: Apache-2.0
// Next to a value goes its expression; what cannot have one costs nothing.
// RUN-FLAGS: -O0
// RUN-FLAGS: -O1
// SYMBOLIC: yes
int x, y;
unsigned char small;
int table[8];

// The mark by which the host knows.
// CHECK: @treadle_symbolic = private constant i32 1, section "treadle_symbolic"

// CHECK-LABEL: @adds(
// CHECK: [[READ:%.*]] = {{.*}}call i32 @__treadle_load4(ptr {{.*}}@x)
// CHECK: call i32 @__treadle_sym_loaded(ptr {{.*}}@x, i32 4, i64
// CHECK: [[OF_X:%.*]] = phi i32 [ 0, {{.*}} ]
// CHECK: call i32 @__treadle_sym_binary(i32 9, i32 [[OF_X]], i64 {{.*}}, i32 0, i64 1, i32 32)
// CHECK: [[SUM:%.*]] = phi i32 [ 0, {{.*}} ]
// CHECK: call void @__treadle_store4(ptr {{.*}}@y
// CHECK: call void @__treadle_sym_stored(ptr {{.*}}@y, i32 4, i32 [[SUM]], i64
void adds(void) { y = x + 1; }

// A whole expression behind one test.
// CHECK-LABEL: @several(
// CHECK: @__treadle_sym_loaded
// CHECK: icmp {{eq|ne}} i32
// CHECK-NOT: icmp {{eq|ne}} i32 {{.*}}, 0
// CHECK: call i32 @__treadle_sym_binary(i32 11,
// CHECK-NOT: br
// CHECK: call i32 @__treadle_sym_binary(i32 9,
// CHECK-NOT: br
// CHECK: call i32 @__treadle_sym_cast(i32 8, i32 {{.*}}, i32 8, i32 0)
// CHECK: call void @__treadle_store1(
void several(void) { small = 3 * x + 5; }

// An index becomes part of the address: checked and pinned in front of the access.
// CHECK-LABEL: @indexes(
// CHECK: call i32 @__treadle_sym_parameter(i32 0,
// CHECK: call i32 @__treadle_sym_cast(i32 7, i32 {{.*}}, i32 64, i32 0)
// CHECK: call i32 @__treadle_sym_binary(i32 11, i32 {{.*}}, i32 0, i64 4, i32 64)
// CHECK: call i32 @__treadle_sym_binary(i32 9, i32 {{.*}}, i32 64)
// CHECK: call void @__treadle_sym_address(i32 {{.*}}, ptr {{.*}}, i64 4)
// CHECK: call i32 @__treadle_load4(
int indexes(int i) { return table[i]; }

// CHECK-LABEL: @divides(
// CHECK: call void @__treadle_sym_divisor(i32 {{.*}}, i64 {{.*}}, i32 32)
// CHECK: sdiv i32
// CHECK: call i32 @__treadle_sym_binary(i32 13,
int divides(int a, int b) { return a / b; }

// CHECK-LABEL: @compares_pointers(
// CHECK: call i32 @__treadle_sym_binary(i32 23, i32 {{.*}}, i32 64)
int compares_pointers(int *p, int *q) { return p == q; }

// The counter of a loop comes from nowhere but itself.
// CHECK-LABEL: @counts_only(
// CHECK-NOT: __treadle_sym_binary
// CHECK: {{^}}}
void counts_only(void) { for (int i = 0; i < 8; i++) table[i] = i * i; }

// What a loop that may spin tells is no value of the program's.
// CHECK-LABEL: @spins(
// CHECK: call void @__treadle_loop_enter(
// CHECK: call i32 @__treadle_sym_loaded(
// CHECK-NOT: call i32 @__treadle_sym_binary(i32 11,
// CHECK-NOT: call i32 @__treadle_sym_binary(i32 18,
// CHECK: {{^}}}
int spins(int wanted) { int last = 0; while (x != wanted) last = y; return last; }

// A float that is moved keeps the expression of its bits; one that is calculated with is pinned.
// CHECK-LABEL: @moves(
// CHECK: [[BITS:%.*]] = phi i32 [ 0,
// CHECK-NOT: __treadle_sym_pin
// CHECK: call void @__treadle_sym_stored(ptr {{.*}}, i32 8, i32 [[BITS]], i64
double from, to;
void moves(void) { to = from; }
// CHECK-LABEL: @calculates(
// CHECK: call void @__treadle_sym_pin(i32 {{.*}}, i64 {{.*}}, i32 64, i32 1)
// CHECK: call void @__treadle_sym_stored(ptr {{.*}}, i32 8, i32 0, i64
void calculates(void) { to = from * 2; }

// CHECK-LABEL: @too_wide(
// CHECK: call void @__treadle_sym_pin(i32 {{.*}}, i64 {{.*}}, i32 64, i32 4)
__int128 wide;
void too_wide(long a) { wide = a; }

// CHECK-LABEL: @assembles(
// CHECK: call void @__treadle_sym_pin(i32 {{.*}}, i64 {{.*}}, i32 32, i32 3)
int assembles(int a) { __asm__("incl %0" : "+r"(a)); return a; }
// CHECK-LABEL: @end_of_file(
void end_of_file(void) {}

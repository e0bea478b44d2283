// SPDX-License-Identifier: Apache-2.0
// A branch says where it went and what the other way inevitably leads to.
// RUN-FLAGS: -O0
// RUN-FLAGS: -O1
// SYMBOLIC: yes
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
void reach_error(void);
int x, y;
pthread_mutex_t m;

// CHECK-LABEL: @leads_on(
// CHECK: call void @__treadle_sym_branch(i32 {{.*}}, i32 {{.*}}, i32 0)
void leads_on(void) { if (x) y = 1; else y = 2; }

// ASSERTION is 1, when the condition holds.
// CHECK-LABEL: @asserts(
// CHECK: [[TAKEN:%.*]] = zext i1 [[C:%.*]] to i32
// CHECK: call void @__treadle_sym_branch(i32 {{.*}}, i32 [[TAKEN]], i32 {{.*}})
// CHECK: call void @__assert_fail(
void asserts(void) { assert(x > 0); }

__attribute__((noinline)) static void fails(const char *why) { fprintf(stderr, "%s\n", why); abort(); }
// ABORT is 2.
// CHECK-LABEL: @by_function(
// CHECK: [[GUARDED:%.*]] = select i1 {{.*}}, i32 {{0, i32 2|2, i32 0}}
// CHECK: call void @__treadle_sym_branch(i32 {{.*}}, i32 {{.*}}, i32 [[GUARDED]])
void by_function(void) { if (x == 3) fails("three"); y = 1; }

// ERROR is 3; both conditions guard it.
// CHECK-LABEL: @either(
// CHECK: call void @__treadle_sym_branch(i32 {{.*}}, i32 {{.*}}, i32 %
// CHECK: call void @__treadle_sym_branch(i32 {{.*}}, i32 {{.*}}, i32 %
// CHECK: call void @reach_error()
void either(void) { if (x < 0 || x > 9) reach_error(); }

// There is a way round, or something on the way that may block.
// CHECK-LABEL: @perhaps(
// CHECK: call void @__treadle_sym_branch(i32 {{.*}}, i32 {{.*}}, i32 0)
void perhaps(void) { if (x) { pthread_mutex_lock(&m); abort(); } }

// CHECK-LABEL: @chooses(
// CHECK: call void @__treadle_sym_switch(i32 {{.*}}, i64 {{.*}}, i32 32, ptr {{.*}}@treadle.cases{{.*}}, i32 3)
// CHECK: switch i32
void chooses(void) { switch (x) { case 1: y = 4; break; case -2: y = 9; break; case 7: y = 16; break; default: y = 0; } }
// CHECK-LABEL: @end_of_file(
void end_of_file(void) {}

// SPDX-License-Identifier: Apache-2.0
// Expressions go with arguments and come back with results; library functions pin what they are handed.
// RUN-FLAGS: -O0
// RUN-FLAGS: -O1
// RUN-FLAGS: -O2 -g
// SYMBOLIC: yes
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void __VERIFIER_assume(int);
int __VERIFIER_nondet_int(void);
void treadle_observe(const char *, long);
int elsewhere(int, int);
int x;

// CHECK-LABEL: @callee(
// CHECK: load i8, ptr @__treadle_sym_recording
// CHECK: call void @__treadle_sym_enter(ptr {{.*}}@callee)
// CHECK: call i32 @__treadle_sym_parameter(i32 0, i64
// CHECK: call i32 @__treadle_sym_parameter(i32 1, i64
// CHECK: call void @__treadle_sym_leave(ptr {{.*}}@callee, i32 0, i32 {{.*}}, i64
// CHECK: ret i32
__attribute__((noinline)) int callee(int a, int b) { return a - b; }

// CHECK-LABEL: @caller(
// CHECK: call void @__treadle_sym_argument(i32 0, i32 {{.*}}, i64
// CHECK: call void @__treadle_sym_call(ptr {{.*}}@callee)
// CHECK: call i32 @callee(
// CHECK: call i32 @__treadle_sym_result(ptr {{.*}}@callee, i32 0, i64
int caller(void) { return callee(x, 7); }

// Whether it has hooks, the runtime finds out.
// CHECK-LABEL: @unknown(
// CHECK: call void @__treadle_sym_argument(i32 1,
// CHECK: call void @__treadle_sym_call(ptr {{.*}}@elsewhere)
// CHECK: call i32 @elsewhere(
// CHECK: call i32 @__treadle_sym_result(ptr {{.*}}@elsewhere,
int unknown(void) { return elsewhere(1, x); }

// CHECK-LABEL: @through_pointer(
// CHECK: call void @__treadle_sym_pin(i32 {{.*}}, i64 {{.*}}, i32 64, i32 0)
// CHECK: call void @__treadle_sym_call(ptr %
int through_pointer(int (*f)(int)) { return f(x); }

// CHECK-LABEL: @assumes(
// CHECK: call i32 @__treadle_sym_binary(i32 24,
// CHECK: call void @__treadle_sym_assume(i32
// CHECK-NOT: __treadle_sym_pin
// CHECK: call void @__VERIFIER_assume(
void assumes(void) { __VERIFIER_assume(x); }

// CHECK-LABEL: @asks(
// CHECK: call i32 @__VERIFIER_nondet_int()
// CHECK: call i32 @__treadle_sym_result(ptr {{.*}}@__VERIFIER_nondet_int, i32 0,
int asks(void) { return __VERIFIER_nondet_int(); }

// An outcome is data, and so is what is printed.
// CHECK-LABEL: @observes(
// CHECK-NOT: __treadle_sym_pin
// CHECK: {{^}}}
void observes(void) { treadle_observe("x", x); printf("%d\n", x); }

// CHECK-LABEL: @counts_what_it_prints(
// CHECK: call void @__treadle_sym_pin(i32 {{.*}}, i32 32, i32 2)
// CHECK: {{^}}}
int counts_what_it_prints(void) { return printf("%d\n", x); }

// CHECK-LABEL: @allocates(
// CHECK: call void @__treadle_sym_pin(i32 {{.*}}, i32 64, i32 5)
// CHECK: call {{.*}}@malloc(
// CHECK-NOT: __treadle_sym_result
// CHECK: {{^}}}
void *allocates(size_t n) { return malloc(n); }

// CHECK-LABEL: @locks(
// CHECK: call void @__treadle_sym_pin(i32 {{.*}}, i32 64, i32 0)
// CHECK: call i32 @pthread_mutex_lock(
void locks(pthread_mutex_t *m) { pthread_mutex_lock(m); }

// What strlen looks at counts, not only where.
// CHECK-LABEL: @looks(
// CHECK: call void @__treadle_sym_looked_at(i32 {{.*}}, ptr {{.*}})
// CHECK: call i64 @__treadle_string_length(
// CHECK: call void @__treadle_range_read(
// CHECK: call void @__treadle_sym_pin_memory(ptr {{.*}}, i64 {{.*}}, i32 0, i32 2)
// CHECK: call i64 @strlen(
size_t looks(const char *s) { return strlen(s); }

// What strcpy leaves is known when it is over.
// CHECK-LABEL: @writes(
// CHECK: call void @__treadle_range_write(
// CHECK: call ptr @strcpy(
// CHECK: call void @__treadle_sym_filled(ptr {{.*}}, i32 0, i8 {{.*}}0, i64 {{.*}}, i32 0)
void writes(char *to, const char *from) { strcpy(to, from); }

struct Large { long parts[5]; };
// CHECK-LABEL: @by_value(
// CHECK: call void @__treadle_sym_filled(ptr {{.*}}, i32 0, i8 {{.*}}0, i64 40, i32 2)
__attribute__((noinline)) long by_value(struct Large l) { return l.parts[x & 3]; }
// CHECK-LABEL: @passes_by_value(
// CHECK: call void @__treadle_range_read(ptr
// CHECK: call void @__treadle_sym_pin_memory(ptr {{.*}}, i64 40, i32 0, i32 2)
// CHECK: call i64 @by_value(
long passes_by_value(struct Large *l) { return by_value(*l); }

// CHECK-LABEL: @variadic(
// CHECK: call void @llvm.va_start
// CHECK: call void @__treadle_sym_filled(ptr {{.*}}, i32 0, i8 {{.*}}0, i64 24, i32 2)
// CHECK: call i32 @__treadle_sym_private_load(ptr {{.*}}, i32 4,
int variadic(int n, ...) { va_list list; va_start(list, n); int v = va_arg(list, int); va_end(list); return v; }
// CHECK-LABEL: @calls_variadic(
// CHECK: call void @__treadle_sym_pin(i32 {{.*}}, i32 32, i32 2)
// CHECK: call i32 (i32, ...) @variadic(
int calls_variadic(void) { return variadic(1, x); }

struct Pair { long a, b; };
// CHECK-LABEL: @returns_two(
// CHECK: call void @__treadle_sym_leave(ptr {{.*}}@returns_two, i32 0,
// CHECK: call void @__treadle_sym_leave(ptr {{.*}}@returns_two, i32 1,
__attribute__((noinline)) struct Pair returns_two(long a) { return (struct Pair){a, a + 1}; }
// CHECK-LABEL: @takes_two(
// CHECK: call i32 @__treadle_sym_result(ptr {{.*}}@returns_two, i32 0,
// CHECK: call i32 @__treadle_sym_result(ptr {{.*}}@returns_two, i32 1,
long takes_two(long a) { struct Pair p = returns_two(a); return p.a * p.b; }
// CHECK-LABEL: @end_of_file(
void end_of_file(void) {}

// Functions that must not be touched are not; promises that hooks would break are withdrawn.
// RUN-FLAGS: -O0
// RUN-FLAGS: -O2
int x;

// CHECK-LABEL: define{{.*}} @excluded(
// CHECK-NOT: __treadle
// CHECK: {{^}}}
__attribute__((disable_sanitizer_instrumentation)) int excluded(void) { return x; }

// CHECK-LABEL: define{{.*}} @naked(
// CHECK-NOT: __treadle
// CHECK: {{^}}}
__attribute__((naked)) int naked(void) { __asm__("ret"); }

// A resolver runs before the program is relocated.
// CHECK-LABEL: define{{.*}} @resolver(
// CHECK-NOT: __treadle
// CHECK: {{^}}}
int implementation(void) { return 1; }
int (*resolver(void))(void) { return x ? implementation : implementation; }
int indirect(void) __attribute__((ifunc("resolver")));

// CHECK-LABEL: define{{.*}} @calls_pure(
// CHECK: call i32 @pure(
// CHECK: call i32 @pure(
__attribute__((pure, noinline)) int pure(void) { return x; }
int calls_pure(void) { return pure() + pure(); }

// CHECK-LABEL: define{{.*}} @calls_other_file(
// CHECK: call i32 @other_file(
// CHECK: call i32 @other_file(
__attribute__((pure)) int other_file(void);
int calls_other_file(void) { return other_file() + other_file(); }

// CHECK: declare{{.*}} @__treadle_load4(ptr) {{.*}}[[HOOK:#[0-9]+]]
// CHECK: attributes [[HOOK]] = { nounwind }

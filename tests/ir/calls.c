// Hooks stay calls (their return address is the place in the program), and never stand where a call may not.
// RUN-FLAGS: -O2
int x;
int target(int, int);

// CHECK-LABEL: @returned
// CHECK: notail call i32 @__treadle_load4
int returned(int* p) { return *p; }

// CHECK-LABEL: @must_tail
// CHECK: call void @__treadle_store4(ptr{{.*}} @x, i32 1)
// CHECK: musttail call i32 @target
// CHECK-NEXT: ret i32
int must_tail(int a, int b) { x = 1; __attribute__((musttail)) return target(b, a); }

// CHECK-LABEL: @sums
// CHECK: call void @llvm.va_start
// CHECK-NOT: __treadle
// CHECK: {{^}}}
int sums(int n, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, n);
  int a = __builtin_va_arg(list, int);
  __builtin_va_end(list);
  return a + n;
}

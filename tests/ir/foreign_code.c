// Code without hooks looks at memory itself, and must not be overtaken by stores that are still under way; locals take theirs with them.
// RUN-FLAGS: -O0
// RUN-FLAGS: -O2
void other_file(int*);
int time_of_day(void) __asm__("time");
int pure(int) __attribute__((const));
int global;
int (*volatile callback)(int);

// Which code that is only the runtime can tell.
// CHECK-LABEL: @calls(
// CHECK: call void @__treadle_call(ptr {{(nonnull )?}}@other_file)
// CHECK-NEXT: call void @other_file
void calls(void) { other_file(&global); }

// CHECK-LABEL: @calls_indirectly(
// CHECK: call void @__treadle_call(ptr {{.*}}[[CODE:%[^ )]+]])
// CHECK: call i32 [[CODE]](
int calls_indirectly(void) { return callback(1); }

// The runtime's own: it writes at once.
// CHECK-LABEL: @calls_runtime(
// CHECK: call void @__treadle_call(ptr null)
int calls_runtime(void) { return time_of_day(); }

// CHECK-LABEL: @calls_pure(
// CHECK-NOT: __treadle_call
// CHECK: {{^}}}
int calls_pure(int n) { return pure(n); }

// CHECK-LABEL: @leaves_frame(
// CHECK: call void @other_file
// CHECK: call void @__treadle_forget(ptr {{.*}}, i64 4)
void leaves_frame(void) { int local = 1; other_file(&local); local = 2; }

// A local that nobody else sees needs nothing.
// CHECK-LABEL: @keeps_to_itself(
// CHECK-NOT: __treadle_forget
// CHECK: {{^}}}
int keeps_to_itself(int k) { int seen[8] = {1}; seen[k & 7] = 3; return seen[(k + 1) & 7]; }

// Returning to a library that called back is like calling it.
// CHECK-LABEL: @called_back(
// CHECK: call ptr @llvm.returnaddress(i32 0)
// CHECK: call void @__treadle_call(ptr
int called_back(int n) { return global = n; }
void sets(void) { callback = called_back; }

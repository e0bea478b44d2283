// No access to shared memory is lost, merged, moved or invented, at any level.
// RUN-FLAGS: -O0
// RUN-FLAGS: -O1
// RUN-FLAGS: -O2
// RUN-FLAGS: -O3
// RUN-FLAGS: -Os -g
int flag, x, y;
struct Five { int a, b, c, d, e; } five;

// CHECK-LABEL: @wait
// CHECK: [[V:%.*]] = {{.*}}call i32 @__treadle_load4(ptr{{.*}} @flag)
// CHECK: br i1
void wait(void) { while (!flag); }

// CHECK-LABEL: @twice
// CHECK: call i32 @__treadle_load4(ptr{{.*}} @x)
// CHECK: call i32 @__treadle_load4(ptr{{.*}} @x)
int twice(void) { int a = x; int b = x; return a + b; }

// CHECK-LABEL: @unused
// CHECK: call i32 @__treadle_load4(ptr{{.*}} @x)
// CHECK: call i32 @__treadle_load4(ptr{{.*}} @y)
// CHECK: ret void
void unused(void) { int a = x; (void)y; }

// CHECK-LABEL: @overwritten
// CHECK: call void @__treadle_store4(ptr{{.*}} @x, i32 1)
// CHECK: call void @__treadle_store4(ptr{{.*}} @x, i32 2)
void overwritten(void) { x = 1; x = 2; }

// CHECK-LABEL: @conditional_store
// CHECK: call void @__treadle_store4(ptr{{.*}} @x, i32 1)
// CHECK: br i1
// CHECK: call void @__treadle_store4(ptr{{.*}} @x, i32 2)
// CHECK-NOT: __treadle_store4
// CHECK: ret void
void conditional_store(int c) { x = 1; if (c) x = 2; }

// CHECK-LABEL: @conditional_load
// CHECK: br i1
// CHECK: call i32 @__treadle_load4(ptr{{.*}} @x)
// CHECK-NOT: __treadle_load4
// CHECK: {{^}}}
int conditional_load(int c) { return c ? x : 0; }

// A pointer to a local or to something shared: the shared side is read only when it is the one.
// CHECK-LABEL: @either
// CHECK: [[P:%.*]] = {{phi|select}}
// CHECK: call i32 @__treadle_load4(ptr{{.*}} [[P]])
// CHECK-NOT: __treadle_load4
// CHECK: {{^}}}
int either(int c) { int local = 5; int* p = c ? &local : &x; return *p; }

// The same after inlining.
static inline __attribute__((always_inline)) const int* larger(const int* a, const int* b) { return *a < *b ? b : a; }
// CHECK-LABEL: @largest
// CHECK: call i32 @__treadle_load4(ptr{{.*}} @x)
// CHECK: [[P:%.*]] = {{phi|select}}
// CHECK: call i32 @__treadle_load4(ptr{{.*}} [[P]])
// CHECK-NOT: __treadle_load4
// CHECK: {{^}}}
int largest(int local) { return *larger(&local, &x); }

static inline __attribute__((always_inline)) void glance(int* at) { int seen = *at; }
// CHECK-LABEL: @unused_inlined
// CHECK: call i32 @__treadle_load4(ptr{{.*}} @x)
void unused_inlined(void) { glance(&x); }

// All of a struct is read by its copy, also what nobody looks at afterwards.
// CHECK-LABEL: @copy_of_struct
// CHECK: @__treadle_load4(ptr{{.*}} @five)
// CHECK: @__treadle_load4(ptr{{.*}} getelementptr inbounds (i8, ptr @five, i64 4))
// CHECK: @__treadle_load4(ptr{{.*}} getelementptr inbounds (i8, ptr @five, i64 8))
// CHECK: @__treadle_load8(ptr{{.*}} getelementptr inbounds (i8, ptr @five, i64 12))
int copy_of_struct(void) { struct Five copy = five; return copy.a + copy.c; }

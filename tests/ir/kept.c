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

// What is read into a local that nobody reads is read all the same.
// CHECK-LABEL: @into_array
// CHECK: call i32 @__treadle_load4(ptr{{.*}} @x)
void into_array(void) { int a[2]; a[0] = x; }

// CHECK-LABEL: @into_any_element
// CHECK: call i32 @__treadle_load4(ptr{{.*}} @x)
// CHECK: call i32 @__treadle_load4(ptr{{.*}} @x)
void into_any_element(void) { int a[8]; a[x & 7] = x; }

// CHECK-LABEL: @into_struct
// CHECK: @__treadle_range_read(ptr{{.*}} @five, i64 20)
void into_struct(void) { struct Five copy = five; }

// CHECK-LABEL: @replaced
// CHECK: call i32 @__treadle_load4(ptr{{.*}} @x)
int replaced(void) { int a = x; a = 3; return a; }

// CHECK-LABEL: @converted
// CHECK: call i32 @__treadle_load4(ptr{{.*}} @x)
// CHECK: call i32 @__treadle_load4(ptr{{.*}} @x)
void converted(void) { long a = x; double b = x; }

static inline __attribute__((always_inline)) void ignores(int v) {}
static inline __attribute__((always_inline)) int chooses(int* p, int k) { int v = *p; return k == 0 ? 0 : v; }
static inline __attribute__((always_inline)) int multiplies(int* p, int k) { return *p * k; }
static inline __attribute__((always_inline)) int compares(int* p) { return *p == *p; }
// CHECK-LABEL: @inlined_away
// CHECK: call i32 @__treadle_load4(ptr{{.*}} @x)
// CHECK: call i32 @__treadle_load4(ptr{{.*}} @x)
// CHECK: call i32 @__treadle_load4(ptr{{.*}} @x)
// CHECK: call i32 @__treadle_load4(ptr{{.*}} @x)
// CHECK: call i32 @__treadle_load4(ptr{{.*}} @x)
// CHECK: {{^}}}
int inlined_away(void) { ignores(x); return chooses(&x, 0) + multiplies(&x, 0) + compares(&x); }

// What no other thread can see gets no hook.
// RUN-FLAGS: -O0
// RUN-FLAGS: -O2
static const int table[4] = {1, 2, 3, 5};
extern const char text[];
static _Thread_local int mine;
static _Thread_local int leaked;
_Thread_local int named;
int shared;
int* where(void);
int* __errno_location(void);
void take(int*);
struct Large { int a[20]; };

// CHECK-LABEL: @locals
// CHECK-NOT: __treadle
// CHECK: {{^}}}
int locals(int i) { int a[4] = {0}; a[i & 3] = 3; return a[i & 1]; }

// CHECK-LABEL: @constants
// CHECK-NOT: __treadle
// CHECK: {{^}}}
int constants(int i) { return table[i] + text[i] + "string"[i]; }

// CHECK-LABEL: @by_value
// CHECK-NOT: __treadle
// CHECK: {{^}}}
int by_value(struct Large large) { large.a[3]++; return large.a[large.a[1] & 15]; }

// CHECK-LABEL: @thread_local_of_this_file
// CHECK-NOT: __treadle
// CHECK: {{^}}}
int thread_local_of_this_file(void) { return ++mine; }

// CHECK-LABEL: @thread_local_with_a_name
// CHECK: call i32 @__treadle_load4
// CHECK: call void @__treadle_store4
int thread_local_with_a_name(void) { return ++named; }

// CHECK-LABEL: @thread_local_that_leaks
// CHECK: call i32 @__treadle_load4
// CHECK: call void @__treadle_store4
int* thread_local_that_leaks(void) { leaked++; return &leaked; }

// The C library writes errno natively.
// CHECK-LABEL: @errors
// CHECK-NOT: __treadle
// CHECK: {{^}}}
int errors(void) { *__errno_location() = 0; return *__errno_location(); }

// CHECK-LABEL: @escapes
// CHECK: call void @__treadle_store4
// CHECK: call void @take
// CHECK: call i32 @__treadle_load4
int escapes(void) { int local = 1; take(&local); return local; }

// Accesses before the address gets out count too: the initialisation of an object is half of a race on it.
// CHECK-LABEL: @escapes_later
// CHECK: call void @__treadle_store4(ptr{{.*}}, i32 7)
// CHECK: call void @take
void escapes_later(void) { int local; local = 7; take(&local); }

// CHECK-LABEL: @published
// CHECK: call void @__treadle_store4(ptr{{.*}}, i32 7)
// CHECK: call void @__treadle_store8
// CHECK: call i32 @__treadle_load4
int* volatile place;
int published(void) { int local = 7; *(int**)&place = &local; return local; }

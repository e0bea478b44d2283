// RUN-FLAGS: -O0 -fexceptions
// RUN-FLAGS: -O2 -fexceptions
int x;
void may_throw(int);
extern "C" char* strcpy(char*, const char*);

// CHECK-LABEL: @_Z7catchesv
// CHECK: [[A:%.*]] = {{.*}}call i32 @__treadle_load4(ptr{{.*}} @x)
// CHECK: invoke void @_Z9may_throwi(i32 {{.*}}[[A]])
// CHECK: landingpad
// CHECK: call void @__treadle_store4(ptr{{.*}} @x, i32 1)
// CHECK: call void @__cxa_end_catch
void catches() { try { may_throw(x); } catch (...) { x = 1; } }

struct Guard { int* p; ~Guard() { *p = 0; } };
// CHECK-LABEL: @_Z7unwindsPi
// CHECK: call void @__treadle_store4(ptr{{.*}} @x, i32 1)
// CHECK: invoke void @_Z9may_throwi
// CHECK: resume
void unwinds(int* p) { Guard guard{p}; x = 1; may_throw(2); }

// Hooks do not throw: they are calls also where a function of the program would be invoked.
// CHECK-NOT: invoke{{.*}}__treadle
// CHECK: declare{{.*}} @__treadle_load4

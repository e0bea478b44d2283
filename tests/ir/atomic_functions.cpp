// A function marked TREADLE_ATOMIC is a region, however it is left; others are not.
// RUN-FLAGS: -O0
// RUN-FLAGS: -O1
// RUN-FLAGS: -O2 -g
#define TREADLE_ATOMIC __attribute__((annotate("treadle_atomic")))
int x;
void may_throw();

// CHECK-LABEL: define{{.*}} @increment(
// CHECK: call void @treadle_atomic_begin()
// CHECK: call i32 @__treadle_load4(ptr{{.*}} @x)
// CHECK: call void @__treadle_store4(ptr{{.*}} @x
// CHECK: call void @treadle_atomic_end()
// CHECK: ret void
extern "C" TREADLE_ATOMIC void increment() { x++; }

// CHECK-LABEL: define{{.*}} @one_of_two(
// CHECK: call void @treadle_atomic_begin()
// CHECK: call void @treadle_atomic_end()
// CHECK: ret i32
extern "C" TREADLE_ATOMIC int one_of_two(int c) {
  if (c) return x;
  x = 1;
  return 0;
}

// CHECK-LABEL: define{{.*}} @throws(
// CHECK: call void @treadle_atomic_begin()
// CHECK: invoke void @_Z9may_throwv
// CHECK: call void @treadle_atomic_end()
// CHECK: landingpad
// CHECK: call void @treadle_atomic_end()
// CHECK: resume
extern "C" TREADLE_ATOMIC void throws() {
  x = 1;
  may_throw();
}

// CHECK-LABEL: define{{.*}} @not_marked(
// CHECK-NOT: treadle_atomic
// CHECK: ret void
extern "C" void not_marked() { x--; }

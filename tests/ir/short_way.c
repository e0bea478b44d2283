// SPDX-License-Identifier: Apache-2.0
// RUN-FLAGS: -O1
// RUN-FLAGS: -O2 -g
// SHORT-WAY: yes
// A plain access looks for itself whether it is a repeated one, and calls its hook only when it is not.
long x;
unsigned char small;
double real;
volatile int seen;

// CHECK-LABEL: @load_of_a_whole_granule(
// CHECK: [[NOW:%.*]] = load i64, ptr @__treadle_running
// CHECK: [[NONE:%.*]] = icmp eq i64 [[NOW]], 0
// CHECK: br i1 [[NONE]], label %[[HOOK:[^,]*]], label %[[LOOK:.*]], !prof [[RARELY:![0-9]+]]
// CHECK: [[LOOK]]:
// CHECK: [[WORD:%.*]] = load i64, ptr
// CHECK: xor i64 [[WORD]], [[NOW]]
// CHECK: lshr i64 {{.*}}, 24
// CHECK: br i1 {{.*}}, label %[[HOOK]], label %[[YES:.*]], !prof [[RARELY]]
// CHECK: [[YES]]:
// CHECK: store i8 1, ptr getelementptr inbounds (i8, ptr @__treadle_running, i64 8)
// CHECK: [[MADE:%.*]] = load i64, ptr @x, align 1
// CHECK: [[HOOK]]:
// CHECK: [[HOOKED:%.*]] = {{.*}}call i64 @__treadle_load8(ptr{{.*}} @x)
// CHECK: phi i64 [ [[MADE]], %[[YES]] ], [ [[HOOKED]], %[[HOOK]] ]
long load_of_a_whole_granule(void) { return x; }

// CHECK-LABEL: @store_of_a_byte(
// CHECK: shl {{.*}}i64 1,
// CHECK: or i64 {{.*}}, -256
// CHECK: store i8 %{{.*}}, ptr @small, align 1
// CHECK: call void @__treadle_store1(ptr{{.*}} @small
void store_of_a_byte(unsigned char value) { small = value; }

// CHECK-LABEL: @volatile_has_none(
// CHECK-NOT: @__treadle_running
// CHECK: call i32 @__treadle_volatile_load4
int volatile_has_none(void) { return seen; }

// CHECK-LABEL: @with_the_same_value_whichever_way(
// CHECK: load double, ptr @real, align 1
// CHECK: bitcast i64 {{.*}} to double
// CHECK: phi double
double with_the_same_value_whichever_way(void) { return real; }
// CHECK-LABEL: @end_of_file(
void end_of_file(void) {}

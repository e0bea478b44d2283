// RUN-FLAGS: -O0
// RUN-FLAGS: -O2
volatile unsigned char u8;
volatile short s16;
volatile int i32;
volatile double d;
volatile long double ld;

// CHECK-LABEL: @all
// CHECK: call zeroext i8 @__treadle_volatile_load1(ptr{{.*}} @u8)
// CHECK: call void @__treadle_volatile_store1(ptr{{.*}} @u8, i8 zeroext
// CHECK: call zeroext i16 @__treadle_volatile_load2(ptr{{.*}} @s16)
// CHECK: call void @__treadle_volatile_store2(ptr{{.*}} @s16, i16 zeroext
// CHECK: call i32 @__treadle_volatile_load4(ptr{{.*}} @i32)
// CHECK: call void @__treadle_volatile_store4(ptr{{.*}} @i32, i32
// CHECK: call i64 @__treadle_volatile_load8(ptr{{.*}} @d)
// CHECK: call void @__treadle_volatile_store8(ptr{{.*}} @d, i64
// CHECK: call void @__treadle_range_read(ptr{{.*}} @ld, i64 10)
// CHECK: load volatile x86_fp80
void all(void) { u8 = u8 + 1; s16 = s16 + 1; i32 = i32 + 1; d = d + 1; (void)ld; }

// Plain accesses are made by the hook of their size; other sizes and types are announced, then made natively.
// RUN-FLAGS: -O0
// RUN-FLAGS: -O2
typedef float Vector __attribute__((vector_size(16)));
typedef float Small __attribute__((vector_size(8)));
_Bool b;
unsigned char u8;
short s16;
int i32;
long i64;
float f;
double d;
_Float16 h;
void* p;
__int128 i128;
long double ld;
Vector v;
Small w;
struct { unsigned long a : 3, c : 40; } bits;
#pragma pack(push, 1)
struct { unsigned a : 3, c : 20; } odd;
#pragma pack(pop)

// CHECK-LABEL: @bytes
// CHECK: call zeroext i8 @__treadle_load1(ptr{{.*}} @u8)
// CHECK: call void @__treadle_store1(ptr{{.*}} @u8, i8 zeroext
void bytes(void) { u8++; }

// CHECK-LABEL: @booleans
// CHECK: call zeroext i8 @__treadle_load1(ptr{{.*}} @b)
// CHECK: call void @__treadle_store1(ptr{{.*}} @b
void booleans(void) { b = !b; }

// CHECK-LABEL: @shorts
// CHECK: call zeroext i16 @__treadle_load2(ptr{{.*}} @s16)
// CHECK: call void @__treadle_store2(ptr{{.*}} @s16, i16 zeroext
void shorts(void) { s16 = s16 + 3; }

// CHECK-LABEL: @ints
// CHECK: call i32 @__treadle_load4(ptr{{.*}} @i32)
// CHECK: call void @__treadle_store4(ptr{{.*}} @i32, i32
void ints(void) { i32 *= 3; }

// CHECK-LABEL: @longs
// CHECK: call i64 @__treadle_load8(ptr{{.*}} @i64)
// CHECK: call void @__treadle_store8(ptr{{.*}} @i64, i64
void longs(void) { i64 *= 3; }

// CHECK-LABEL: @halves
// CHECK: call zeroext i16 @__treadle_load2(ptr{{.*}} @h)
// CHECK: call void @__treadle_store2(ptr{{.*}} @h, i16 zeroext
void halves(void) { h = h + 1; }

// CHECK-LABEL: @floats
// CHECK: [[F:%.*]] = {{.*}}call i32 @__treadle_load4(ptr{{.*}} @f)
// CHECK: bitcast i32 [[F]] to float
// CHECK: call void @__treadle_store4(ptr{{.*}} @f, i32
// CHECK: call i64 @__treadle_load8(ptr{{.*}} @d)
// CHECK: call void @__treadle_store8(ptr{{.*}} @d, i64
void floats(void) { f = f * 2; d = d * 2; }

// CHECK-LABEL: @pointers
// CHECK: [[P:%.*]] = {{.*}}call i64 @__treadle_load8(ptr{{.*}} @p)
// CHECK: inttoptr i64 [[P]] to ptr
// CHECK: call void @__treadle_store8(ptr{{.*}} @p, i64 ptrtoint (ptr @i32 to i64))
void* pointers(void) { void* old = p; p = &i32; return old; }

// CHECK-LABEL: @small_vectors
// CHECK: call i64 @__treadle_load8(ptr{{.*}} @w)
// CHECK: call void @__treadle_store8(ptr{{.*}} @w
void small_vectors(void) { w = w + w; }

// CHECK-LABEL: @wide
// CHECK: call void @__treadle_range_read(ptr{{.*}} @i128, i64 16)
// CHECK-NEXT: load i128, ptr @i128
// CHECK: call void @__treadle_range_write(ptr{{.*}} @i128, i64 16)
// CHECK-NEXT: store i128 {{.*}}, ptr @i128
void wide(void) { i128++; }

// CHECK-LABEL: @long_doubles
// CHECK: call void @__treadle_range_read(ptr{{.*}} @ld, i64 10)
// CHECK: load x86_fp80
// CHECK: call void @__treadle_range_write(ptr{{.*}} @ld, i64 10)
// CHECK: store x86_fp80
void long_doubles(void) { ld = ld + 1; }

// CHECK-LABEL: @vectors
// CHECK: call void @__treadle_range_read(ptr{{.*}} @v, i64 16)
// CHECK: load <4 x float>
// CHECK: call void @__treadle_range_write(ptr{{.*}} @v, i64 16)
// CHECK: store <4 x float>
void vectors(void) { v = v + v; }

// CHECK-LABEL: @bit_fields
// CHECK: call i64 @__treadle_load8(ptr{{.*}} @bits)
// CHECK: call void @__treadle_store8(ptr{{.*}} @bits
void bit_fields(int x) { bits.c = x; }

// CHECK-LABEL: @odd_bit_fields
// CHECK: call void @__treadle_range_read(ptr{{.*}} @odd, i64 3)
// CHECK: load i24
// CHECK: call void @__treadle_range_write(ptr{{.*}} @odd, i64 3)
// CHECK: store i24
void odd_bit_fields(int x) { odd.c = x; }

// CHECK-LABEL: @through_pointer
// CHECK: call i32 @__treadle_load4(ptr{{.*}} %x)
int through_pointer(int* x) { return *x; }

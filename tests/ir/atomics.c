// Every width, order and operation of the language.
// RUN-FLAGS: -O0
// RUN-FLAGS: -O2
#include <stdatomic.h>
_Atomic unsigned char a1;
_Atomic short a2;
_Atomic int a4;
_Atomic long a8;
_Atomic __int128 a16;
_Atomic float af;
int* _Atomic ap;

// CHECK-LABEL: @loads
// CHECK: call zeroext i8 @__treadle_atomic_load1(ptr{{.*}} @a1, i32 0)
// CHECK: call zeroext i16 @__treadle_atomic_load2(ptr{{.*}} @a2, i32 2)
// CHECK: call i32 @__treadle_atomic_load4(ptr{{.*}} @a4, i32 5)
// CHECK: call i64 @__treadle_atomic_load8(ptr{{.*}} @a8, i32 2)
// CHECK: call i128 @__treadle_atomic_load16(ptr{{.*}} @a16, i32 5)
// CHECK: call i32 @__treadle_atomic_load4(ptr{{.*}} @af, i32 0)
// CHECK: call i64 @__treadle_atomic_load8(ptr{{.*}} @ap, i32 5)
void loads(void) {
  atomic_load_explicit(&a1, memory_order_relaxed);
  atomic_load_explicit(&a2, memory_order_acquire);
  atomic_load(&a4);
  atomic_load_explicit(&a8, memory_order_consume);
  atomic_load(&a16);
  atomic_load_explicit(&af, memory_order_relaxed);
  atomic_load(&ap);
}

// CHECK-LABEL: @stores
// CHECK: call void @__treadle_atomic_store1(ptr{{.*}} @a1, i8 zeroext 1, i32 0)
// CHECK: call void @__treadle_atomic_store2(ptr{{.*}} @a2, i16 zeroext 2, i32 3)
// CHECK: call void @__treadle_atomic_store4(ptr{{.*}} @a4, i32 3, i32 5)
// CHECK: call void @__treadle_atomic_store16(ptr{{.*}} @a16, i128 4, i32 5)
// CHECK: call void @__treadle_atomic_store4(ptr{{.*}} @af, i32 {{1065353216|%.*}}, i32 3)
void stores(void) {
  atomic_store_explicit(&a1, 1, memory_order_relaxed);
  atomic_store_explicit(&a2, 2, memory_order_release);
  atomic_store(&a4, 3);
  atomic_store(&a16, 4);
  atomic_store_explicit(&af, 1.0f, memory_order_release);
}

// xchg 0, add 1, sub 2, and 3, nand 4, or 5, xor 6, max 7, min 8, umax 9, umin 10
// CHECK-LABEL: @operations
// CHECK: call i32 @__treadle_atomic_rmw4(ptr{{.*}} @a4, i32 1, i32 0, i32 2)
// CHECK: call i32 @__treadle_atomic_rmw4(ptr{{.*}} @a4, i32 2, i32 1, i32 4)
// CHECK: call i32 @__treadle_atomic_rmw4(ptr{{.*}} @a4, i32 3, i32 2, i32 5)
// CHECK: call i32 @__treadle_atomic_rmw4(ptr{{.*}} @a4, i32 4, i32 3, i32 5)
// CHECK: call i32 @__treadle_atomic_rmw4(ptr{{.*}} @a4, i32 5, i32 4, i32 5)
// CHECK: call i32 @__treadle_atomic_rmw4(ptr{{.*}} @a4, i32 6, i32 5, i32 3)
// CHECK: call i32 @__treadle_atomic_rmw4(ptr{{.*}} @a4, i32 7, i32 6, i32 0)
// CHECK: call i32 @__treadle_atomic_rmw4(ptr{{.*}} @a4, i32 8, i32 7, i32 5)
// CHECK: call i32 @__treadle_atomic_rmw4(ptr{{.*}} @a4, i32 9, i32 8, i32 5)
// CHECK: call zeroext i8 @__treadle_atomic_rmw1(ptr{{.*}} @a1, i8 zeroext 9, i32 9, i32 5)
// CHECK: call zeroext i8 @__treadle_atomic_rmw1(ptr{{.*}} @a1, i8 zeroext 9, i32 10, i32 5)
// CHECK: call i128 @__treadle_atomic_rmw16(ptr{{.*}} @a16, i128 1, i32 1, i32 5)
// CHECK: call i64 @__treadle_atomic_rmw8(ptr{{.*}} @ap, i64 {{.*}}, i32 0, i32 5)
void operations(void) {
  atomic_exchange_explicit(&a4, 1, memory_order_acquire);
  atomic_fetch_add_explicit(&a4, 2, memory_order_acq_rel);
  atomic_fetch_sub(&a4, 3);
  atomic_fetch_and(&a4, 4);
  __atomic_fetch_nand((int*)&a4, 5, __ATOMIC_SEQ_CST);
  atomic_fetch_or_explicit(&a4, 6, memory_order_release);
  atomic_fetch_xor_explicit(&a4, 7, memory_order_relaxed);
  __atomic_fetch_max((int*)&a4, 8, __ATOMIC_SEQ_CST);
  __atomic_fetch_min((int*)&a4, 9, __ATOMIC_SEQ_CST);
  __atomic_fetch_max((unsigned char*)&a1, 9, __ATOMIC_SEQ_CST);
  __atomic_fetch_min((unsigned char*)&a1, 9, __ATOMIC_SEQ_CST);
  atomic_fetch_add(&a16, 1);
  atomic_exchange(&ap, 0);
}

// CHECK-LABEL: @compare_exchange
// CHECK: [[FOUND:%.*]] = {{.*}}call i32 @__treadle_atomic_cas4(ptr{{.*}} @a4, i32 [[EXPECTED:.*]], i32 7, i32 4, i32 2)
// CHECK: icmp eq i32 [[FOUND]], [[EXPECTED]]
_Bool compare_exchange(int expected) {
  return atomic_compare_exchange_strong_explicit(&a4, &expected, 7, memory_order_acq_rel, memory_order_acquire);
}

// CHECK-LABEL: @weak_wide
// CHECK: call i128 @__treadle_atomic_cas16(ptr{{.*}} @a16, i128 {{.*}}, i128 7, i32 5, i32 5)
_Bool weak_wide(__int128 expected) { return atomic_compare_exchange_weak(&a16, &expected, 7); }

// CHECK-LABEL: @fences
// CHECK: call void @__treadle_fence(i32 2)
// CHECK: call void @__treadle_fence(i32 3)
// CHECK: call void @__treadle_fence(i32 4)
// CHECK: call void @__treadle_fence(i32 5)
// CHECK-NOT: __treadle_fence
// CHECK: ret void
void fences(void) {
  atomic_thread_fence(memory_order_acquire);
  atomic_thread_fence(memory_order_release);
  atomic_thread_fence(memory_order_acq_rel);
  atomic_thread_fence(memory_order_seq_cst);
  atomic_signal_fence(memory_order_seq_cst);
}

// CHECK-LABEL: @not_shared
// CHECK-NOT: __treadle
// CHECK: {{^}}}
int not_shared(void) { _Atomic int local = 1; local++; return local; }
// CHECK-NOT: {{load|store}} atomic

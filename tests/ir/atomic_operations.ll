; Operations the runtime does not have become a loop of compare-and-swap; pointers and floats travel as integers.
; RUN-FLAGS: -O0
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: @add_float
; CHECK: [[FIRST:%.*]] = {{.*}}call i32 @__treadle_atomic_load4(ptr %p, i32 0)
; CHECK: [[OLD:%.*]] = phi i32
; CHECK: [[VALUE:%.*]] = bitcast i32 [[OLD]] to float
; CHECK: [[SUM:%.*]] = fadd float [[VALUE]], %v
; CHECK: [[NEW:%.*]] = bitcast float [[SUM]] to i32
; CHECK: [[FOUND:%.*]] = {{.*}}call i32 @__treadle_atomic_cas4(ptr %p, i32 [[OLD]], i32 [[NEW]], i32 4, i32 2)
; CHECK: [[DONE:%.*]] = icmp eq i32 [[FOUND]], [[OLD]]
; CHECK: br i1 [[DONE]]
; CHECK: ret float [[VALUE]]
define float @add_float(ptr %p, float %v) {
  %old = atomicrmw fadd ptr %p, float %v acq_rel
  ret float %old
}

; CHECK-LABEL: @others
; CHECK: fsub
; CHECK: call i64 @__treadle_atomic_cas8
; CHECK: llvm.maxnum
; CHECK: call i64 @__treadle_atomic_cas8
; CHECK: llvm.minnum
; CHECK: call i64 @__treadle_atomic_cas8
; CHECK: icmp uge i32
; CHECK: call i32 @__treadle_atomic_cas4
; CHECK: icmp ugt i32
; CHECK: call i32 @__treadle_atomic_cas4
define void @others(ptr %p, double %v, i32 %w) {
  %a = atomicrmw fsub ptr %p, double %v seq_cst
  %b = atomicrmw fmax ptr %p, double %v seq_cst
  %c = atomicrmw fmin ptr %p, double %v seq_cst
  %d = atomicrmw uinc_wrap ptr %p, i32 %w monotonic
  %e = atomicrmw udec_wrap ptr %p, i32 %w release
  ret void
}

; CHECK-LABEL: @exchange
; CHECK: [[V:%.*]] = bitcast double %v to i64
; CHECK: [[R:%.*]] = {{.*}}call i64 @__treadle_atomic_rmw8(ptr %p, i64 [[V]], i32 0, i32 5)
; CHECK: bitcast i64 [[R]] to double
define double @exchange(ptr %p, double %v) {
  %old = atomicrmw xchg ptr %p, double %v seq_cst
  ret double %old
}

; CHECK-LABEL: @pointers
; CHECK: [[E:%.*]] = ptrtoint ptr %e to i64
; CHECK: [[N:%.*]] = ptrtoint ptr %n to i64
; CHECK: [[F:%.*]] = {{.*}}call i64 @__treadle_atomic_cas8(ptr %p, i64 [[E]], i64 [[N]], i32 5, i32 0)
; CHECK: icmp eq i64 [[F]], [[E]]
define { ptr, i1 } @pointers(ptr %p, ptr %e, ptr %n) {
  %pair = cmpxchg weak ptr %p, ptr %e, ptr %n seq_cst monotonic
  ret { ptr, i1 } %pair
}

; CHECK-LABEL: @unordered
; CHECK: call i64 @__treadle_atomic_load8(ptr %p, i32 0)
define i64 @unordered(ptr %p) {
  %v = load atomic volatile i64, ptr %p unordered, align 8
  ret i64 %v
}

; CHECK-LABEL: @other_address_space
; CHECK-NOT: __treadle
; CHECK: {{^}}}
define i32 @other_address_space(ptr addrspace(257) %p) {
  %v = load i32, ptr addrspace(257) %p
  store i32 %v, ptr addrspace(257) %p
  ret i32 %v
}

; CHECK-LABEL: @element_atomic_copy
; CHECK: call void @__treadle_range_read(ptr %from, i64 %n)
; CHECK: call void @__treadle_range_write(ptr %to, i64 %n)
; CHECK: call void @llvm.memcpy.element.unordered.atomic
define void @element_atomic_copy(ptr %to, ptr %from, i64 %n) {
  call void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(ptr align 4 %to, ptr align 4 %from, i64 %n, i32 4)
  ret void
}

; CHECK-LABEL: @masked
; CHECK: call void @__treadle_range_read(ptr %p, i64 16)
; CHECK: call <4 x i32> @llvm.masked.load
; CHECK: call void @__treadle_range_write(ptr %p, i64 16)
; CHECK: call void @llvm.masked.store
define void @masked(ptr %p, <4 x i1> %m) {
  %v = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %p, i32 4, <4 x i1> %m, <4 x i32> zeroinitializer)
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %v, ptr %p, i32 4, <4 x i1> %m)
  ret void
}

; CHECK-LABEL: @aggregate
; CHECK: call void @__treadle_range_read(ptr %p, i64 8)
; CHECK: load { i32, i32 }
; CHECK: call void @__treadle_range_write(ptr %p, i64 8)
; CHECK: store { i32, i32 }
define void @aggregate(ptr %p) {
  %v = load { i32, i32 }, ptr %p
  store { i32, i32 } %v, ptr %p
  ret void
}

declare void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(ptr, ptr, i64, i32)
declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, i32, <4 x i1>, <4 x i32>)
declare void @llvm.masked.store.v4i32.p0(<4 x i32>, ptr, i32, <4 x i1>)

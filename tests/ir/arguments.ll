; Arguments passed by value are copied natively by the call: read when they are shared, not when they are local.
; RUN-FLAGS: -O0
target triple = "x86_64-pc-linux-gnu"
%big = type { [20 x i32] }
@shared = global %big zeroinitializer
@constant = constant %big zeroinitializer

; CHECK-LABEL: @passes
; CHECK-NOT: range_read
; CHECK: call void @__treadle_range_read(ptr @shared, i64 80)
; CHECK-NEXT: call void @__treadle_call(ptr @takes)
; CHECK-NEXT: call void @takes(ptr byval(%big) @shared)
; CHECK-NEXT: call void @__treadle_call(ptr @takes)
; CHECK-NEXT: call void @takes(ptr byval(%big) @constant)
; CHECK-NEXT: call void @__treadle_call(ptr @takes)
; CHECK-NEXT: call void @takes(ptr byval(%big) %local)
; CHECK-NEXT: ret void
define void @passes() {
  %local = alloca %big
  call void @takes(ptr byval(%big) @shared)
  call void @takes(ptr byval(%big) @constant)
  call void @takes(ptr byval(%big) %local)
  ret void
}

declare void @takes(ptr byval(%big))

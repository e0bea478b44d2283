; A resolver runs before the program is relocated, when no hook can be called; also one that clang did not mark.
; RUN-FLAGS: -O0
target triple = "x86_64-pc-linux-gnu"
@x = global i32 0
@indirect = ifunc void (), ptr @resolver

; CHECK-LABEL: define{{.*}} @resolver(
; CHECK-NOT: __treadle
; CHECK: {{^}}}
define ptr @resolver() {
  %v = load i32, ptr @x
  %c = icmp eq i32 %v, 0
  %f = select i1 %c, ptr @implementation, ptr null
  ret ptr %f
}

; CHECK-LABEL: define{{.*}} @implementation(
; CHECK: @__treadle_store4
define void @implementation() {
  store i32 1, ptr @x
  ret void
}

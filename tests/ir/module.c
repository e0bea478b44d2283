// Each object says with which version of the hooks it was made, in a section that no linker drops; it is not instrumented twice.
// RUN-FLAGS: -O0
// RUN-FLAGS: -O2
// CHECK: @treadle_instrumented = private constant i32 {{[0-9]+}}, section "treadle_abi", align 4
// CHECK: @llvm.used = {{.*}} @treadle_instrumented
// CHECK: !treadle.instrumented = !{}
int x;

// RUN-FLAGS: -O0
// RUN-FLAGS: -O2
int x;

// CHECK-LABEL: @harmless
// CHECK-NOT: __treadle
// CHECK: {{^}}}
int harmless(int v) {
  __asm__ volatile("" ::: "memory");
  __asm__ volatile("pause");
  __asm__ volatile("rep; nop" ::: "memory");
  __asm__ volatile("nop");
  int r;
  __asm__("bswap %0" : "=r"(r) : "0"(v));
  return r;
}

// CHECK-LABEL: @fences
// CHECK: call void @__treadle_fence(i32 5)
// CHECK-NEXT: asm sideeffect "mfence"
// CHECK: call void @__treadle_fence(i32 5)
// CHECK-NEXT: asm sideeffect "lock; addl
// CHECK: call void @__treadle_fence(i32 5)
// CHECK-NEXT: asm sideeffect "lock orq
// CHECK: call void @__treadle_fence(i32 3)
// CHECK-NEXT: asm sideeffect "sfence"
// CHECK: call void @__treadle_fence(i32 2)
// CHECK-NEXT: asm sideeffect "lfence"
// CHECK-NOT: opaque
// CHECK: call void @__treadle_fence(i32 5)
// CHECK-NEXT: call void @llvm.x86.sse2.mfence
// CHECK: ret void
void fences(void) {
  __asm__ volatile("mfence" ::: "memory");
  __asm__ volatile("lock; addl $0,0(%%rsp)" ::: "memory", "cc");
  __asm__ volatile("lock orq $0x0, (%%rsp)" ::: "memory", "cc");
  __asm__ volatile("sfence" ::: "memory");
  __asm__ volatile("lfence" ::: "memory");
  __builtin_ia32_mfence();
}

// CHECK-LABEL: @opaque
// CHECK: call void @__treadle_opaque_asm()
// CHECK-NEXT: asm sideeffect "xchgl
// CHECK: call void @__treadle_opaque_asm()
// CHECK: asm sideeffect "rdtsc"
// CHECK: call void @__treadle_opaque_asm()
// CHECK: asm "movl
// CHECK: call void @__treadle_opaque_asm()
// CHECK: asm sideeffect "mfence; incl
// CHECK: call void @__treadle_opaque_asm()
// CHECK: @llvm.x86.rdtsc
int opaque(int v) {
  __asm__ volatile("xchgl %0,%1" : "+r"(v), "+m"(x)::"memory");
  __asm__ volatile("rdtsc" ::: "eax", "edx");
  int r;
  __asm__("movl %1,%0" : "=r"(r) : "m"(x));
  __asm__ volatile("mfence; incl %0" : "+m"(x));
  return v + r + (int)__builtin_ia32_rdtsc();
}

// CHECK-LABEL: @jumps
// CHECK: call void @__treadle_opaque_asm()
// CHECK-NEXT: callbr void asm sideeffect
int jumps(int v) {
  __asm__ goto("test %0,%0; jz %l1" ::"r"(v)::zero);
  return 1;
zero:
  return 2;
}

// Loops that may wait for another thread tell the runtime so; loops that count, or have effects of their own, do not.
// RUN-FLAGS: -O0
// RUN-FLAGS: -O2 -g
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
int flag, other;
atomic_int lock, turn;
pthread_mutex_t mutex;
int unknown(void);

// CHECK-LABEL: @simple(
// CHECK: call void @__treadle_loop_enter(i64 [[ID:[-0-9]+]], i64 0, i64 0)
// CHECK: call void @__treadle_loop(i64 [[ID]], i64 0)
void simple(void) { while (!flag); }

// CHECK-LABEL: @yields(
// CHECK: call void @__treadle_loop(i64
void yields(void) { while (!atomic_load(&lock)) { sched_yield(); __asm__ volatile("pause"); __builtin_ia32_pause(); } }

// CHECK-LABEL: @spin_lock(
// CHECK: call void @__treadle_loop(i64
void spin_lock(void) { int expected = 0; while (!atomic_compare_exchange_weak(&lock, &expected, 1)) expected = 0; }

// CHECK-LABEL: @try_lock(
// CHECK: call void @__treadle_loop(i64
void try_lock(void) { while (pthread_mutex_trylock(&mutex)); }

// The value carried round is part of the state.
// CHECK-LABEL: @carries(
// CHECK: mul i64
// CHECK: call void @__treadle_loop(i64 {{[-0-9]+}}, i64 %
int carries(void) { int last = 0; while (!flag) last = other ^ last; return last; }

// So is what it uses from outside, said once.
// CHECK-LABEL: @uses(
// CHECK: ptrtoint
// CHECK: mul i64
// CHECK: call void @__treadle_loop_enter(i64 [[ID:[-0-9]*[13579]]], i64 0, i64 %
// CHECK: call void @__treadle_loop(i64 [[ID]], i64 0)
void uses(int* p, int wanted) { while (*(volatile int*)p != wanted); }

// Private memory is not covered: the number is even.
// CHECK-LABEL: @reads_private(
// CHECK: call void @__treadle_loop_enter(i64 {{[-0-9]*[02468]}}, i64 0
void reads_private(int k) { volatile int seen[8] = {0}; while (!flag) (void)seen[k & 7]; }

// A counter nobody reads carries nothing.
// CHECK-LABEL: @counts_for_nothing(
// CHECK: call void @__treadle_loop(i64 {{[-0-9]+}}, i64 0)
void counts_for_nothing(void) { int n = 0; while (!flag) n++; }

// CHECK-LABEL: @inner_pause(
// CHECK: call void @__treadle_loop(i64
void inner_pause(void) { while (!flag) for (int i = 0; i < 10; i++) __asm__ volatile("rep; nop"); }

// CHECK-LABEL: @by_function(
// CHECK: call void @__treadle_loop(i64
static __attribute__((noinline)) int ready(void) { int copy[2] = {flag, other}; return copy[other & 1]; }
void by_function(void) { while (!ready()); }

// CHECK-LABEL: @counts(
// CHECK-NOT: __treadle_loop
// CHECK: {{^}}}
int counts(void) { int n = 0; while (!flag && n < 100) n++; return n; }

// CHECK-LABEL: @sums(
// CHECK-NOT: __treadle_loop
// CHECK: {{^}}}
int sums(int* p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }

// CHECK-LABEL: @has_effects(
// CHECK-NOT: __treadle_loop
// CHECK: {{^}}}
void has_effects(void) { while (!flag) unknown(); }

// CHECK-LABEL: @writes_locals(
// CHECK-NOT: __treadle_loop
// CHECK: {{^}}}
int writes_locals(int k) { int seen[8] = {0}; while (!flag) seen[k & 7] ^= other; return seen[3]; }

static _Thread_local int rounds;
static __attribute__((noinline)) int ready_and_counts(void) { rounds++; return flag; }
// CHECK-LABEL: @hidden_state(
// CHECK-NOT: __treadle_loop
// CHECK: {{^}}}
int hidden_state(void) { while (!ready_and_counts()); return rounds; }

// CHECK-LABEL: @reads_nothing(
// CHECK-NOT: __treadle_loop
// CHECK: {{^}}}
unsigned reads_nothing(unsigned n) { while (n & 1) n = n >> 1; return n; }

// CHECK-LABEL: @looks_at_the_clock(
// CHECK-NOT: __treadle_loop
// CHECK: {{^}}}
struct timespec;
int clock_gettime(int, struct timespec*);
void looks_at_the_clock(void) { while (!flag) clock_gettime(0, 0); }

// CHECK-LABEL: @through_pointer(
// CHECK-NOT: __treadle_loop
// CHECK: {{^}}}
void through_pointer(int (*ready)(void)) { while (!ready() && !flag); }

// RUN-FLAGS: -O1
#include <memory>
struct Base { virtual int f(); int field; };

// The pointer to the table is an ordinary field of the object; the table never changes.
// CHECK-LABEL: @_Z5callsP4Base
// CHECK: [[T:%.*]] = {{.*}}call i64 @__treadle_load8(ptr {{.*}}%b)
// CHECK-NOT: __treadle_load
// CHECK: load ptr, ptr
// CHECK: call {{.*}}i32 %
int calls(Base* b) { return b->f(); }

// libstdc++ leaves out atomics as long as glibc says there is one thread only.
// CHECK-LABEL: @_Z6sharesRKSt10shared_ptrIiE
// CHECK-NOT: __libc_single_threaded
// CHECK: call i32 @__treadle_atomic_rmw4(ptr {{.*}}, i32 1, i32 1, i32 4)
// CHECK: {{^}}}
std::shared_ptr<int> shares(const std::shared_ptr<int>& p) { return p; }

// Locals whose methods were inlined are promoted; what remains is the shared object's.
struct Span { int* at; int* end; bool more() const { return at != end; } void next() { ++at; } };
// CHECK-LABEL: @_Z4sumsPii
// CHECK-NOT: __treadle_store
// CHECK: call i32 @__treadle_load4
// CHECK-NOT: __treadle
// CHECK: {{^}}}
int sums(int* p, int n) { int s = 0; for (Span i{p, p + n}; i.more(); i.next()) s += *i.at; return s; }

// Memory that nobody touches is allocated all the same: it may be a leak.
// CHECK-LABEL: @_Z5leaksv
// CHECK: call {{.*}}@_Znwm(i64 {{.*}}4)
// CHECK: {{^}}}
void leaks() { new int; }

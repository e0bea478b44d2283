// SPDX-License-Identifier: Apache-2.0
// An exception that travels between threads in a std::exception_ptr (promise, future, packaged_task) is counted by atomics inside
// libstdc++.so, which is not instrumented: the last thread to let go would seem to race with the others. These two functions are where the
// count goes up and down, so they get the order that the count really gives.
#include "runtime/clocks.h"
#include "runtime/real.h"
#include "runtime/store_buffer.h"

namespace treadle {

/// By address of the exception object. One that is thrown later at the same place inherits the clock, which orders too much rather than too
/// little.
struct ExceptionClock {
  ExceptionClock* next;
  const void* exception;
  Clock* clock;
};

namespace {

Clock*& clock_of(const void* exception) noexcept {
  for (ExceptionClock* at = world().exceptions; at != nullptr; at = at->next)
    if (at->exception == exception) return at->clock;
  auto* added = arena_new<ExceptionClock>();
  added->next = world().exceptions;
  added->exception = exception;
  world().exceptions = added;
  return added->clock;
}

using Count = void(void*);

/// What the counting reads must not be under way any more: the library would take an exception_ptr just made for an empty one.
void count(void* self, const char* name, std::uint64_t pc) noexcept {
  if (active() && stores_under_way(*world().current)) wait_for_own_stores(pc);
  auto* real = reinterpret_cast<Count*>(::dlsym(RTLD_NEXT, name));
  const void* exception = *static_cast<void**>(self);
  if (active() && exception != nullptr) {
    Clock*& clock = clock_of(exception);
    hb_acquire(clock);
    hb_release(clock);
  }
  real(self);
}

}  // namespace

}  // namespace treadle

extern "C" void _ZNSt15__exception_ptr13exception_ptr9_M_addrefEv(void* self) noexcept {
  treadle::count(self, "_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv", TREADLE_PC());
}

extern "C" void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void* self) noexcept {
  treadle::count(self, "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv", TREADLE_PC());
}

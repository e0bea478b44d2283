// SPDX-License-Identifier: Apache-2.0
// promise::set_value_at_thread_exit and packaged_task::make_ready_at_thread_exit: libstdc++.so makes the value ready when the thread has
// ended, by atomics that are not instrumented. Whoever waits for it is in headers, and would seem to race with the one who set it. So the
// callback that libstdc++ has registered is replaced by one that does the same, visibly. The layouts are libstdc++'s ABI since GCC 5.
#include <linux/futex.h>

#include <climits>

#include "abi/hooks.h"
#include "runtime/atomics.h"
#include "runtime/futex.h"
#include "runtime/real.h"
#include "runtime/scheduler.h"

namespace treadle {

namespace {

constexpr int kAcquireRelease = 4, kRelease = 3, kRelaxed = 0;

/// std::_Sp_counted_base.
struct Counted {
  struct Functions {
    void* destructors[2];
    void (*dispose)(Counted*);  // of what is counted
    void (*destroy)(Counted*);  // of the counts
  };
  const Functions* functions;
  std::uint32_t users;
  std::uint32_t observers;  // and one for all users
};

/// std::__future_base::_State_baseV2.
struct State {
  static constexpr std::uint32_t kReady = 1, kAwaited = 1u << 31;
  const void* functions;
  void* result;
  std::uint32_t status;
};

/// std::__future_base::_State_baseV2::_Make_ready: a link of libstdc++'s list of what is to be done, and a weak_ptr.
struct MakeReady {
  MakeReady* next;
  void (*call)(void*);
  State* state;
  Counted* counted;
};

/// weak_ptr::lock.
bool use(Counted& counted, std::uint64_t pc) noexcept {
  for (std::uint32_t users = atomic_load(&counted.users, kRelaxed, pc); users != 0;) {
    const std::uint32_t found = atomic_cas(&counted.users, users, users + 1, kAcquireRelease, kRelaxed, pc);
    if (found == users) return true;
    users = found;
  }
  return false;
}

bool was_last(std::uint32_t& count, std::uint64_t pc) noexcept { return atomic_rmw(&count, 1, TREADLE_RMW_SUB, kAcquireRelease, pc) == 1; }

void leave(Counted& counted, std::uint64_t pc) noexcept {
  if (was_last(counted.observers, pc)) counted.functions->destroy(&counted);
}

void leave_use(Counted& counted, std::uint64_t pc) noexcept {
  if (!was_last(counted.users, pc)) return;
  counted.functions->dispose(&counted);
  leave(counted, pc);
}

void make_ready(void* registered) noexcept {
  const MakeReady what = *static_cast<MakeReady*>(registered);
  const std::uint64_t pc = reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
  if (what.counted != nullptr) {
    if (use(*what.counted, pc)) {
      std::uint32_t& status = what.state->status;
      if ((atomic_rmw(&status, State::kReady, TREADLE_RMW_XCHG, kRelease, pc) & State::kAwaited) != 0)
        virtual_futex(&status, FUTEX_WAKE, INT_MAX, 0, nullptr, 0, Result::Unused, pc);
      leave_use(*what.counted, pc);
    }
    leave(*what.counted, pc);
  }
  using Delete = void(void*, std::size_t);
  reinterpret_cast<Delete*>(::dlsym(RTLD_DEFAULT, "_ZdlPvm"))(registered, sizeof what);
}

}  // namespace

}  // namespace treadle

/// std::__future_base::_State_baseV2::_Make_ready::_M_set.
extern "C" void _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv(void* self) {
  using namespace treadle;
  reinterpret_cast<void (*)(void*)>(::dlsym(RTLD_NEXT, "_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv"))(self);
  if (active()) static_cast<MakeReady*>(self)->call = make_ready;
}

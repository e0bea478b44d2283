// SPDX-License-Identifier: Apache-2.0
// SV-COMP's names.
//
// Functions that a program defines itself under a name starting with __VERIFIER_atomic_ are atomic by SV-COMP's rules. The runtime cannot
// see their calls; the pass brackets their bodies with __VERIFIER_atomic_begin and __VERIFIER_atomic_end, which nest.
#include <pthread.h>

#include "abi/verifier_inputs.h"
#include "runtime/api.h"
#include "runtime/clocks.h"
#include "runtime/real.h"
#include "runtime/scheduler.h"

using namespace treadle;

namespace treadle {

/// All regions together behave as one lock: nothing inside two of them races.
struct RegionState {
  Clock* clock;
};

namespace {

RegionState& regions() noexcept {
  World& w = world();
  if (w.regions == nullptr) w.regions = arena_new<RegionState>();
  return *w.regions;
}

/// Natively a real lock, which nests.
pthread_mutex_t native_region = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

}  // namespace

}  // namespace treadle

extern "C" {

TREADLE_WEAK void __VERIFIER_atomic_begin() {
  if (native()) {
    TREADLE_REAL(pthread_mutex_lock)(&native_region);
    return;
  }
  if (!active()) return;
  World& w = world();
  if (w.verifier_atomic == 0) step(TREADLE_EV_EXCLUSIVE_BEGIN, 0, TREADLE_PC());
  ++w.verifier_atomic;
  w.verifier_owner = w.current;
  hb_acquire(regions().clock);
  record(TREADLE_EV_EXCLUSIVE_BEGIN, 0, w.verifier_atomic, 0, TREADLE_PC());
}

TREADLE_WEAK void __VERIFIER_atomic_end() {
  if (native()) {
    TREADLE_REAL(pthread_mutex_unlock)(&native_region);
    return;
  }
  if (!active()) return;
  World& w = world();
  if (w.verifier_atomic == 0) return;
  if (w.verifier_atomic == 1) step(TREADLE_EV_EXCLUSIVE_END, 0, TREADLE_PC());
  hb_release(regions().clock);
  --w.verifier_atomic;
  record(TREADLE_EV_EXCLUSIVE_END, 0, w.verifier_atomic, 0, TREADLE_PC());
}

TREADLE_WEAK void __VERIFIER_assume(int condition) {
  if (condition == 0) assumption_fails(TREADLE_PC());
}

TREADLE_WEAK void __VERIFIER_error() { error_is_reached("__VERIFIER_error is called", TREADLE_PC()); }
TREADLE_WEAK void reach_error() { error_is_reached("reach_error is called", TREADLE_PC()); }

#define TREADLE_NONDET(name, type) \
  TREADLE_WEAK type __VERIFIER_nondet_##name() { return static_cast<type>(returned_input(#name, sizeof(type), TREADLE_PC())); }
TREADLE_VERIFIER_INTEGERS(TREADLE_NONDET)
#undef TREADLE_NONDET

TREADLE_WEAK bool __VERIFIER_nondet_bool() { return returned_input_between("bool", 0, 1, 1, TREADLE_PC()) != 0; }
TREADLE_WEAK bool __VERIFIER_nondet__Bool() { return returned_input_between("_Bool", 0, 1, 1, TREADLE_PC()) != 0; }

TREADLE_WEAK void* __VERIFIER_nondet_pointer() { return reinterpret_cast<void*>(returned_input("pointer", 8, TREADLE_PC())); }
TREADLE_WEAK char* __VERIFIER_nondet_pchar() { return reinterpret_cast<char*>(returned_input("pchar", 8, TREADLE_PC())); }

/// Any bit pattern is a value, also a NaN.
TREADLE_WEAK float __VERIFIER_nondet_float() {
  return __builtin_bit_cast(float, static_cast<std::uint32_t>(pinned_input("float", 4, TREADLE_PC())));
}
TREADLE_WEAK double __VERIFIER_nondet_double() { return __builtin_bit_cast(double, pinned_input("double", 8, TREADLE_PC())); }

TREADLE_WEAK __int128 __VERIFIER_nondet_int128() {
  const auto high = static_cast<unsigned __int128>(pinned_input("int128 high", 8, TREADLE_PC()));
  return static_cast<__int128>(high << 64 | pinned_input("int128 low", 8, TREADLE_PC()));
}

TREADLE_WEAK unsigned __int128 __VERIFIER_nondet_uint128() {
  const auto high = static_cast<unsigned __int128>(pinned_input("uint128 high", 8, TREADLE_PC()));
  return high << 64 | pinned_input("uint128 low", 8, TREADLE_PC());
}

}  // extern "C"

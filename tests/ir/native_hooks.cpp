// SPDX-License-Identifier: Apache-2.0
// The hooks without a runtime behind them: they make the access and nothing else.
#include <cstdint>
#include <cstring>

#include "abi/hooks.h"
#include "abi/short_way.h"

namespace {

template <class T>
T applied(int operation, T old, T operand) {
  switch (operation) {
    case TREADLE_RMW_XCHG:
      return operand;
    case TREADLE_RMW_ADD:
      return old + operand;
    case TREADLE_RMW_SUB:
      return old - operand;
    case TREADLE_RMW_AND:
      return old & operand;
    case TREADLE_RMW_NAND:
      return ~(old & operand);
    case TREADLE_RMW_OR:
      return old | operand;
    case TREADLE_RMW_XOR:
      return old ^ operand;
    case TREADLE_RMW_UMAX:
      return old > operand ? old : operand;
    case TREADLE_RMW_UMIN:
      return old < operand ? old : operand;
    default: {
      const T sign = T(1) << (8 * sizeof(T) - 1);
      const bool old_is_less = (old ^ sign) < (operand ^ sign);
      return old_is_less == (operation == TREADLE_RMW_MIN) ? old : operand;
    }
  }
}

}  // namespace

// What the string hooks, which are taken as they are, ask the runtime for.
namespace treadle {
void wait_for_own_stores(std::uint64_t) noexcept {}
}  // namespace treadle

extern "C" {

TreadleRunning __treadle_running;

#define X(n, t)                                                                                                \
  t __treadle_load##n(const void* p) noexcept {                                                                \
    t v;                                                                                                       \
    std::memcpy(&v, p, n);                                                                                     \
    return v;                                                                                                  \
  }                                                                                                            \
  void __treadle_store##n(void* p, t v) noexcept { std::memcpy(p, &v, n); }                                    \
  t __treadle_volatile_load##n(const volatile void* p) noexcept { return *static_cast<const volatile t*>(p); } \
  void __treadle_volatile_store##n(volatile void* p, t v) noexcept { *static_cast<volatile t*>(p) = v; }
TREADLE_WIDTHS(X)
#undef X

#define X(n, t)                                                                             \
  t __treadle_atomic_cas##n(volatile void* p, t expected, t desired, int, int) noexcept {   \
    return __sync_val_compare_and_swap(static_cast<volatile t*>(p), expected, desired);     \
  }                                                                                         \
  t __treadle_atomic_load##n(const volatile void* p, int) noexcept {                        \
    return __treadle_atomic_cas##n(const_cast<volatile void*>(p), 0, 0, 5, 5);              \
  }                                                                                         \
  t __treadle_atomic_rmw##n(volatile void* p, t operand, int operation, int) noexcept {     \
    for (t old = __treadle_atomic_load##n(p, 5);;) {                                        \
      t found = __treadle_atomic_cas##n(p, old, applied<t>(operation, old, operand), 5, 5); \
      if (found == old) return old;                                                         \
      old = found;                                                                          \
    }                                                                                       \
  }                                                                                         \
  void __treadle_atomic_store##n(volatile void* p, t v, int) noexcept { __treadle_atomic_rmw##n(p, v, TREADLE_RMW_XCHG, 5); }
TREADLE_ATOMIC_WIDTHS(X)
#undef X

void __treadle_fence(int) noexcept { __sync_synchronize(); }
void __treadle_range_read(const void*, size_t) noexcept {}
void __treadle_range_write(void*, size_t) noexcept {}
void __treadle_text(const char*, size_t) noexcept {}
void __treadle_stream(const void*, int) noexcept {}
void __treadle_call(const void*) noexcept {}
void __treadle_forget(void*, size_t) noexcept {}
void __treadle_loop_enter(uint64_t, uint64_t, uint64_t) noexcept {}
void __treadle_loop(uint64_t, uint64_t) noexcept {}
uint32_t __treadle_loop_polls(uint64_t, uint64_t) noexcept { return 0; }
void __treadle_opaque_asm() noexcept {}
}

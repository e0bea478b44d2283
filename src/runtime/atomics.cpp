// SPDX-License-Identifier: Apache-2.0
// Atomic accesses: always a scheduling point. Only one thread runs, so their effect is made with ordinary loads and stores. Without a host
// they are made for real, sequentially consistent whatever was asked for: that is allowed, and nobody measures native runs of an
// instrumented program.
//
// 16-byte values: an event holds the lower half as value; extra is the upper half of a load or store, and the lower half of what an RMW or
// CAS left.
#include "runtime/atomics.h"

#include <type_traits>

#include "abi/hooks.h"
#include "runtime/heap.h"
#include "runtime/memory.h"
#include "runtime/race.h"
#include "runtime/scheduler.h"
#include "runtime/spin.h"
#include "runtime/store_buffer.h"
#include "runtime/sys.h"

namespace treadle {

namespace {

constexpr int kRelease = 3, kAcquireRelease = 4, kSequential = 5;

std::uint64_t number(const volatile void* p) noexcept { return reinterpret_cast<std::uint64_t>(p); }

template <class T>
std::uint64_t low(T value) noexcept {
  return static_cast<std::uint64_t>(value);
}
template <class T>
std::uint64_t high(T value) noexcept {
  if constexpr (sizeof(T) == 16) return static_cast<std::uint64_t>(value >> 64);
  return 0;
}

template <class T>
T result_of(int rmw, T old, T operand) noexcept {
  using Signed = std::conditional_t<sizeof(T) == 16, __int128, std::make_signed_t<std::conditional_t<sizeof(T) == 16, long, T>>>;
  const auto a = static_cast<Signed>(old), b = static_cast<Signed>(operand);
  switch (rmw) {
    case TREADLE_RMW_XCHG:
      return operand;
    case TREADLE_RMW_ADD:
      return static_cast<T>(old + operand);
    case TREADLE_RMW_SUB:
      return static_cast<T>(old - operand);
    case TREADLE_RMW_AND:
      return old & operand;
    case TREADLE_RMW_NAND:
      return static_cast<T>(~(old & operand));
    case TREADLE_RMW_OR:
      return old | operand;
    case TREADLE_RMW_XOR:
      return old ^ operand;
    case TREADLE_RMW_MAX:
      return a > b ? old : operand;
    case TREADLE_RMW_MIN:
      return a < b ? old : operand;
    case TREADLE_RMW_UMAX:
      return old > operand ? old : operand;
    case TREADLE_RMW_UMIN:
      return old < operand ? old : operand;
  }
  return operand;
}

/// -> the value found.
template <class T>
T native_cas(volatile void* p, T expected, T desired) noexcept {
  if constexpr (sizeof(T) == 16) {
    auto found_low = low(expected), found_high = high(expected);
    __asm__ volatile("lock cmpxchg16b %0"
                     : "+m"(*static_cast<volatile T*>(p)), "+a"(found_low), "+d"(found_high)
                     : "b"(low(desired)), "c"(high(desired))
                     : "cc", "memory");
    return static_cast<T>(found_high) << 64 | found_low;
  } else {
    __atomic_compare_exchange_n(static_cast<volatile T*>(p), &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
  }
}

template <class T>
T native_load(const volatile void* p) noexcept {
  if constexpr (sizeof(T) == 16)
    return native_cas<T>(const_cast<volatile void*>(p), 0, 0);
  else
    return __atomic_load_n(static_cast<const volatile T*>(p), __ATOMIC_SEQ_CST);
}

template <class T>
T native_rmw(volatile void* p, int rmw, T operand) noexcept {
  T old = native_load<T>(p);
  for (;;) {
    const T found = native_cas<T>(p, old, result_of(rmw, old, operand));
    if (found == old) return old;
    old = found;
  }
}

template <class T>
Pending access(TreadleEventKind kind, const volatile void* p, Awaits awaits, std::uint64_t pc) noexcept {
  Pending what;
  what.kind = kind;
  what.address = number(p);
  what.size = sizeof(T);
  what.awaits = awaits;
  what.pc = pc;
  return what;
}

/// Everything that precedes an atomic effect.
template <class T>
std::uint64_t announce(const Pending& what, bool writes) noexcept {
  step(what);
  heap_check_range(what.address, sizeof(T), writes, what.pc);
  return what.address;
}

template <class T>
void tell_spin(const volatile void* p, bool changed) noexcept {
  if (changed)
    spin_wrote();
  else
    spin_read(const_cast<const void*>(p), sizeof(T));
}

constexpr unsigned recorded(int order, bool buffered) noexcept {
  return static_cast<unsigned>(order) | (buffered ? TREADLE_ORDER_BUFFERED : 0u);
}

template <class T>
TREADLE_TOUCHES T load(const volatile void* p, int order, std::uint64_t pc) noexcept {
  if (!active()) return native_load<T>(p);
  const std::uint64_t address = announce<T>(access<T>(TREADLE_EV_ATOMIC_READ, p, Awaits::Nothing, pc), false);
  bool own;  // a value that never was in memory: there is nothing to acquire with it
  const T value = read_as_seen(*world().current, p, memory_read<T>(p), own);
  if (world().check_races) race_atomic(address, sizeof(T), !own, false, order, pc);
  record(TREADLE_EV_ATOMIC_READ, address, low(value), high(value), pc, sizeof(T), recorded(order, own));
  tell_spin<T>(p, false);
  return value;
}

template <class T>
TREADLE_TOUCHES void store(volatile void* p, T value, int order, std::uint64_t pc) noexcept {
  if (!active()) {
    native_rmw<T>(p, TREADLE_RMW_XCHG, value);
    return;
  }
  const bool buffered = order < kSequential && buffers_stores();
  const std::uint64_t address =
      announce<T>(access<T>(TREADLE_EV_ATOMIC_WRITE, p, buffered ? Awaits::RoomInBuffer : Awaits::EmptyBuffer, pc), true);
  if (buffered) {
    const std::uint64_t extra = sizeof(T) == 16 ? high(value) : low(memory_read<T>(p));  // what it will overwrite, as things stand
    const std::uint64_t event = record(TREADLE_EV_ATOMIC_WRITE, address, low(value), extra, pc, sizeof(T), recorded(order, true));
    buffer_store({address, low(value), high(value), event, pc, sizeof(T), static_cast<std::uint8_t>(order), true});
    return spin_wrote();
  }
  const T before = memory_read<T>(p);
  memory_write<T>(p, value);
  if (world().check_races) race_atomic(address, sizeof(T), false, true, order, pc);
  const std::uint64_t extra = sizeof(T) == 16 ? high(value) : low(before);
  record(TREADLE_EV_ATOMIC_WRITE, address, low(value), extra, pc, sizeof(T), recorded(order, false));
  tell_spin<T>(p, before != value);
}

template <class T>
TREADLE_TOUCHES T rmw(volatile void* p, T operand, int operation, int order, std::uint64_t pc) noexcept {
  if (!active()) return native_rmw<T>(p, operation, operand);
  const std::uint64_t address = announce<T>(access<T>(TREADLE_EV_RMW, p, Awaits::EmptyBuffer, pc), true);
  const T old = memory_read<T>(p);
  const T left = result_of(operation, old, operand);
  memory_write<T>(p, left);
  if (world().check_races) race_atomic(address, sizeof(T), true, true, order, pc);
  record(TREADLE_EV_RMW, address, low(old), low(left), pc, sizeof(T), static_cast<unsigned>(order));
  tell_spin<T>(p, left != old);
  return old;
}

/// Asked when the execution is over and the thread has not looked at that memory yet: it may not even be there.
bool cas_would_fail(const Thread& thread) noexcept {
  const Pending& p = thread.pending;
  const std::uint64_t expected[] = {p.extra, p.deadline};
  std::uint64_t found[2];
  if (!read_memory_carefully(found, p.address, p.size)) return false;
  return __builtin_memcmp(found, expected, p.size) != 0;
}

template <class T>
TREADLE_TOUCHES T cas(volatile void* p, T expected, T desired, int success, int failure, std::uint64_t pc) noexcept {
  if (!active()) return native_cas<T>(p, expected, desired);
  Pending what = access<T>(TREADLE_EV_CAS_OK, p, Awaits::EmptyBuffer, pc);
  what.extra = low(expected);
  what.deadline = high(expected);
  what.would_fail = cas_would_fail;
  const std::uint64_t address = announce<T>(what, true);
  const T old = memory_read<T>(p);
  if (old != expected) {
    if (world().check_races) race_atomic(address, sizeof(T), true, false, failure, pc);
    record(TREADLE_EV_CAS_FAIL, address, low(old), low(expected), pc, sizeof(T), static_cast<unsigned>(failure));
    tell_spin<T>(p, false);
    return old;
  }
  memory_write<T>(p, desired);
  if (world().check_races) race_atomic(address, sizeof(T), true, true, success, pc);
  record(TREADLE_EV_CAS_OK, address, low(old), low(desired), pc, sizeof(T), static_cast<unsigned>(success));
  tell_spin<T>(p, desired != old);
  return old;
}

}  // namespace

std::uint32_t atomic_load(const std::uint32_t* word, int order, std::uint64_t pc) noexcept { return load<std::uint32_t>(word, order, pc); }

std::uint32_t atomic_rmw(std::uint32_t* word, std::uint32_t operand, int operation, int order, std::uint64_t pc) noexcept {
  return rmw(word, operand, operation, order, pc);
}

std::uint32_t atomic_cas(std::uint32_t* word, std::uint32_t expected, std::uint32_t desired, int success, int failure,
                         std::uint64_t pc) noexcept {
  return cas(word, expected, desired, success, failure, pc);
}

}  // namespace treadle

extern "C" {

#define X(n, t)                                                                                                           \
  TREADLE_TOUCHES t __treadle_atomic_load##n(const volatile void* p, int order) noexcept {                                \
    return treadle::load<t>(p, order, TREADLE_PC());                                                                      \
  }                                                                                                                       \
  TREADLE_TOUCHES void __treadle_atomic_store##n(volatile void* p, t value, int order) noexcept {                         \
    treadle::store<t>(p, value, order, TREADLE_PC());                                                                     \
  }                                                                                                                       \
  TREADLE_TOUCHES t __treadle_atomic_rmw##n(volatile void* p, t operand, int rmw, int order) noexcept {                   \
    return treadle::rmw<t>(p, operand, rmw, order, TREADLE_PC());                                                         \
  }                                                                                                                       \
  TREADLE_TOUCHES t __treadle_atomic_cas##n(volatile void* p, t expected, t desired, int success, int failure) noexcept { \
    return treadle::cas<t>(p, expected, desired, success, failure, TREADLE_PC());                                         \
  }
TREADLE_ATOMIC_WIDTHS(X)
#undef X

void __treadle_fence(int order) noexcept {
  using namespace treadle;
  if (!active()) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return;
  }
  if (order == 0) return;  // relaxed: means nothing
  const std::uint64_t pc = TREADLE_PC();
  Pending what;
  what.kind = TREADLE_EV_FENCE;
  what.pc = pc;
  what.awaits = order == kSequential ? Awaits::EmptyBuffer : Awaits::Nothing;
  step(what);
  if (order == kRelease || order == kAcquireRelease) fence_stores();
  if (world().check_races) race_fence(order);
  record(TREADLE_EV_FENCE, 0, 0, 0, pc, 0, static_cast<unsigned>(order));
  spin_read(nullptr, 0);
}
}

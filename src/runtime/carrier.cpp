// SPDX-License-Identifier: Apache-2.0
// Fibers borrow the TLS of real pthreads that are parked for good: 26 ns a switch with errno, exceptions, locale and thread_local all
// private (measured; keeping TLS by hand covers less). The parked pthread lives in the top MiB of its thread's stack slot, the fiber's
// stack grows down below it.
#include "runtime/carrier.h"

#include <asm/prctl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include <cstring>

#include "runtime/real.h"
#include "runtime/scheduler.h"
#include "runtime/start.h"
#include "runtime/sys.h"

namespace treadle {

namespace {

constexpr std::uint64_t kStackBytes = 8ull << 20;  // as Linux gives a thread by default
constexpr std::uint64_t kAlwaysCleared = 8192;
constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kSignalStack = 65536;

std::uint64_t slot_end(unsigned id) noexcept { return TREADLE_AT_STACKS + (id + 1ull) * TREADLE_STACK_SLOT; }

/// What a parked pthread tells about itself; lives in Process memory so that no reset touches it.
struct Parked {
  std::uint64_t fs_base;
  std::uint32_t ready;
};
/// How far a thread's TLS reaches on either side of its FS base: the same for all threads.
struct TlsExtent {
  std::uint64_t below, above;
};
struct CarrierState {
  TlsExtent tls;
  bool has_avx2;
  Parked parked[256];
};
CarrierState& state() noexcept { return *reinterpret_cast<CarrierState*>(TREADLE_AT_ARENA - 0x800000ull); }
Parked* parked_table() noexcept { return state().parked; }

template <unsigned kBytes>
inline __attribute__((always_inline)) bool holds_anything(const void* at) noexcept {
  std::uint64_t sum = 0;
  for (unsigned i = 0; i < kBytes / sizeof sum; ++i) {
    std::uint64_t word;
    __builtin_memcpy(&word, static_cast<const char*>(at) + i * sizeof word, sizeof word);
    sum |= word;
  }
  return sum != 0;
}
bool page_is_used_anyhow(const void* page) noexcept { return holds_anything<kPage>(page); }
__attribute__((target("avx2"))) bool page_is_used_avx2(const void* page) noexcept { return holds_anything<kPage>(page); }

/// The first piece of a page that holds anything; a page's size when none does.
template <unsigned kPiece>
inline __attribute__((always_inline)) unsigned first_used_piece(const void* page) noexcept {
  for (unsigned at = 0; at < kPage; at += kPiece)
    if (holds_anything<kPiece>(static_cast<const char*>(page) + at)) return at;
  return kPage;
}
constexpr unsigned kPiece = 512;
unsigned first_used_anyhow(const void* page) noexcept { return first_used_piece<kPiece>(page); }
__attribute__((target("avx2"))) unsigned first_used_avx2(const void* page) noexcept { return first_used_piece<kPiece>(page); }

bool page_is_used(std::uint64_t at) noexcept {
  const auto* page = reinterpret_cast<const void*>(at);
  return state().has_avx2 ? page_is_used_avx2(page) : page_is_used_anyhow(page);
}

int add_tls_bytes(dl_phdr_info* info, std::size_t, void* total) noexcept {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type == PT_TLS) *static_cast<std::uint64_t*>(total) += header.p_memsz + header.p_align;
  }
  return 0;
}

/// Static TLS and the thread control block behind it.
TlsExtent measure_tls() noexcept {
  std::uint64_t below = 0;
  ::dl_iterate_phdr(add_tls_bytes, &below);
  const auto* size = static_cast<const std::uint32_t*>(::dlsym(RTLD_DEFAULT, "_thread_db_sizeof_pthread"));
  return {below, size != nullptr ? *size : 2304};
}

void block_all_signals() noexcept {
  std::uint64_t all = ~0ull;
  sys(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&all), 0, sizeof all);
}

void* lend_tls(void* argument) noexcept {
  block_all_signals();
  Parked& me = *static_cast<Parked*>(argument);
  me.fs_base = fs_base();
  __atomic_store_n(&me.ready, 1, __ATOMIC_RELEASE);
  futex_wake(&me.ready);
  for (;;) sys(SYS_pause);
}

/// Kernel carrier: waits for its first turn, then lives on the fixed stack.
void* carry_thread(void* argument) noexcept {
  Thread& self = *static_cast<Thread*>(argument);
  const stack_t crash_stack{reinterpret_cast<void*>(slot_end(self.id) - TREADLE_STACK_SLOT + 4096), 0, kSignalStack};
  sys(SYS_sigaltstack, reinterpret_cast<long>(&crash_stack));
  while (__atomic_load_n(&self.token, __ATOMIC_ACQUIRE) == 0) futex_wait(&self.token, 0);
  __atomic_store_n(&self.token, 0, __ATOMIC_RELAXED);
  treadle_run_on_stack(reinterpret_cast<void*>(stack_top(self.id)));
}

bool start_pthread(unsigned id, void* (*body)(void*), void* argument) noexcept {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, reinterpret_cast<void*>(slot_end(id) - TREADLE_TLS_BYTES), TREADLE_TLS_BYTES);
  pthread_t ignored;
  // What glibc allocates for the thread must not come from the program's heap: its addresses are the same under every carrier.
  const Mode was = g_mode;
  g_mode = Mode::Native;
  process().runtime_allocates = true;
  const int failed = TREADLE_REAL(pthread_create)(&ignored, &attributes, body, argument);
  process().runtime_allocates = false;
  g_mode = was;
  return failed == 0;
}

void pass_token(Thread& to) noexcept {
  __atomic_store_n(&to.token, 1, __ATOMIC_RELEASE);
  futex_wake(&to.token);
}

}  // namespace

std::uint64_t stack_end(unsigned id) noexcept { return slot_end(id) - TREADLE_TLS_BYTES; }
std::uint64_t stack_top(unsigned id) noexcept { return stack_end(id) - 64; }

bool in_stack_guard(std::uint64_t address) noexcept {
  if (address < TREADLE_AT_STACKS || address >= slot_end(TREADLE_MAX_THREADS)) return false;
  const unsigned id = static_cast<unsigned>((address - TREADLE_AT_STACKS) / TREADLE_STACK_SLOT);
  return address < slot_end(id) - TREADLE_TLS_BYTES - world().threads[id].stack_bytes;
}

void set_fs_base(std::uint64_t value) noexcept {
  if (process().has_fsgsbase)
    __asm__ volatile("wrfsbase %0" ::"r"(value) : "memory");
  else
    sys(SYS_arch_prctl, ARCH_SET_FS, static_cast<long>(value));
}

std::uint64_t fs_base() noexcept {
  std::uint64_t value = 0;
  sys(SYS_arch_prctl, ARCH_GET_FS, reinterpret_cast<long>(&value));
  return value;
}

void carrier_start() noexcept {
  process().has_fsgsbase = (getauxval(AT_HWCAP2) & 2) != 0;
  const unsigned threads = process().prepared_threads;
  if (map_fixed(TREADLE_AT_STACKS, threads * TREADLE_STACK_SLOT, PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE) != TREADLE_AT_STACKS)
    refuse("the place for the threads' stacks is taken in the program's address space");
  for (unsigned id = 0; id < threads; ++id) {
    const std::uint64_t low = slot_end(id) - TREADLE_TLS_BYTES - kStackBytes;
    sys(SYS_mprotect, static_cast<long>(low), static_cast<long>(slot_end(id) - low), PROT_READ | PROT_WRITE);
    sys(SYS_mprotect, static_cast<long>(slot_end(id) - TREADLE_STACK_SLOT + 4096), kSignalStack, PROT_READ | PROT_WRITE);
  }
  const stack_t crash_stack{reinterpret_cast<void*>(TREADLE_AT_STACKS + 4096), 0, kSignalStack};
  sys(SYS_sigaltstack, reinterpret_cast<long>(&crash_stack));
  world().threads[0].fs_base = fs_base();
  state().tls = measure_tls();
  __builtin_cpu_init();
  state().has_avx2 = __builtin_cpu_supports("avx2");
  if (process().carrier == TREADLE_CARRIER_KERNEL) return;
  for (unsigned id = 1; id < threads; ++id) {
    Parked& parked = parked_table()[id];
    if (!start_pthread(id, lend_tls, &parked))
      refuse("the program's thread-local storage is too large (more than about 900 KiB per thread)");
  }
  for (unsigned id = 1; id < threads; ++id) {
    Parked& parked = parked_table()[id];
    while (__atomic_load_n(&parked.ready, __ATOMIC_ACQUIRE) == 0) futex_wait(&parked.ready, 0);
    world().threads[id].fs_base = parked.fs_base;
  }
}

Span tls_of(unsigned id) noexcept {
  if (id != 0 && process().carrier == TREADLE_CARRIER_KERNEL) return {0, 0};
  const std::uint64_t at = world().threads[id].fs_base;
  return {(at - state().tls.below) & ~63ull, at + state().tls.above};
}

void carrier_prepare(Thread& thread, std::uint64_t stack_bytes) noexcept {
  thread.stack_bytes = kStackBytes;
  if (stack_bytes > kStackBytes) {
    const std::uint64_t most = TREADLE_STACK_SLOT - TREADLE_TLS_BYTES - kSignalStack - 3 * 4096;
    thread.stack_bytes = stack_bytes < most ? (stack_bytes + 4095) & ~4095ull : most;
    const std::uint64_t low = slot_end(thread.id) - TREADLE_TLS_BYTES - thread.stack_bytes;
    sys(SYS_mprotect, static_cast<long>(low), static_cast<long>(thread.stack_bytes), PROT_READ | PROT_WRITE);
  }
  clear_stack(thread.id);
  if (process().carrier == TREADLE_CARRIER_KERNEL) {
    if (thread.id == 0) return;
    if (!start_pthread(thread.id, carry_thread, &thread)) unsupported("the system refuses to start another thread", 0);
    return;
  }
  // As treadle_switch leaves it: fp words, six registers, return address; the entry then sees an aligned stack.
  auto* top = reinterpret_cast<std::uint64_t*>(stack_top(thread.id));
  *--top = reinterpret_cast<std::uint64_t>(&treadle_fiber_entry);
  for (int i = 0; i < 6; ++i) *--top = 0;
  *--top = 0x0000037f00001f80ull;
  thread.context.stack_pointer = top;
}

void carrier_switch(Thread& from, Thread& to) noexcept {
  world().current = &to;
  running_changes(from, to);
  if (__builtin_expect(process().carrier == TREADLE_CARRIER_KERNEL, 0)) {
    pass_token(to);
    if (from.state == ThreadState::Finished) carrier_park();
    while (__atomic_load_n(&from.token, __ATOMIC_ACQUIRE) == 0) futex_wait(&from.token, 0);
    __atomic_store_n(&from.token, 0, __ATOMIC_RELAXED);
    return;
  }
  set_fs_base(to.fs_base);
  treadle_switch(&from.context.stack_pointer, to.context.stack_pointer);
}

void carrier_park() noexcept {
  static std::uint32_t never = 0;
  for (;;) futex_wait(&never, 0);
}

// A run that went deeper than what is always cleared left something in the next page; then everything below goes back to untouched pages.
void clear_stack(unsigned id) noexcept {
  const std::uint64_t cleared = stack_end(id) - kAlwaysCleared;
  if (page_is_used(cleared - kPage)) {
    const std::uint64_t low = slot_end(id) - TREADLE_TLS_BYTES - world().threads[id].stack_bytes;
    sys(SYS_madvise, static_cast<long>(low), static_cast<long>(cleared - low), MADV_DONTNEED);
  }
  __builtin_memset(reinterpret_cast<void*>(cleared), 0, kAlwaysCleared);
}

std::uint64_t stack_used_from(unsigned id) noexcept {
  std::uint64_t at = stack_end(id) - kAlwaysCleared;
  const std::uint64_t lowest = stack_end(id) - world().threads[id].stack_bytes + kPage;
  while (at > lowest && page_is_used(at - kPage)) at -= kPage;
  for (; at < stack_end(id); at += kPage) {
    const auto* page = reinterpret_cast<const void*>(at);
    const unsigned used = state().has_avx2 ? first_used_avx2(page) : first_used_anyhow(page);
    if (used < kPage) return at + used;
  }
  return at;
}

}  // namespace treadle

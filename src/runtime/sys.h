// SPDX-License-Identifier: Apache-2.0
// System calls without libc: no errno, no cancellation points, no interposition.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>

#include <cstddef>
#include <cstdint>
#include <ctime>

namespace treadle {

/// Result, or -errno.
inline long sys(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) noexcept {
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
  return result;
}

inline void futex_wait(const std::uint32_t* word, std::uint32_t seen, const timespec* limit = nullptr) noexcept {
  sys(SYS_futex, reinterpret_cast<long>(word), FUTEX_WAIT, seen, reinterpret_cast<long>(limit));
}

inline void futex_wake(const std::uint32_t* word) noexcept { sys(SYS_futex, reinterpret_cast<long>(word), FUTEX_WAKE, 0x7fffffff); }

/// -> address, or 0.
inline std::uint64_t map_fixed(std::uint64_t at, std::size_t bytes, int protection, int flags, int fd = -1) noexcept {
  const long got = sys(SYS_mmap, static_cast<long>(at), static_cast<long>(bytes), protection, flags, fd, 0);
  return got < 0 && got > -4096 ? 0 : static_cast<std::uint64_t>(got);
}

/// False where there is no such memory.
inline bool read_memory_carefully(void* to, std::uint64_t from, std::size_t bytes) noexcept {
  struct Piece {
    std::uint64_t at;
    std::size_t bytes;
  } local{reinterpret_cast<std::uint64_t>(to), bytes}, remote{from, bytes};
  return sys(SYS_process_vm_readv, sys(SYS_getpid), reinterpret_cast<long>(&local), 1, reinterpret_cast<long>(&remote), 1, 0) ==
         static_cast<long>(bytes);
}

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// Memory that the program maps itself. It gets consecutive places in a region of ours, so that addresses are the same under every carrier
// and one munmap at the end takes all of it back. Places are not used twice within an execution. What cannot be taken back (shared
// mappings, changes to memory that was there before main) needs a process of its own.
#include "runtime/mappings.h"

#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include <cstdarg>

#include "runtime/fd_wait.h"
#include "runtime/race.h"
#include "runtime/real.h"
#include "runtime/sources.h"

namespace treadle {

namespace {

constexpr std::uint64_t kPage = 4096;

std::uint64_t rounded(std::uint64_t bytes) noexcept { return (bytes + kPage - 1) & ~(kPage - 1); }

bool is_ours(std::uint64_t address) noexcept { return address >= TREADLE_AT_MAPPINGS && address < io().next_mapping; }

/// A page apart, so that running over the end of one does not reach the next. 0: full.
std::uint64_t new_place(std::uint64_t bytes) noexcept {
  IoState& s = io();
  const std::uint64_t at = s.next_mapping;
  if (bytes > TREADLE_AT_MAPPINGS + TREADLE_MAPPINGS_BYTES - at - 2 * kPage) return 0;
  s.next_mapping = at + rounded(bytes) + kPage;
  return at;
}

/// A place of ours is new in this execution, so nothing is to be forgotten about it; elsewhere there may have been something.
void take_over(std::uint64_t address, std::uint64_t bytes, bool is_new, std::uint64_t pc) noexcept {
  note_kernel_state();
  if (!race_map_shadow(address, bytes) && world().check_races)
    unsupported("the program maps memory at an address where Treadle cannot check for races; --races ignore goes without", pc);
  if (!is_new) race_forget_range(address, bytes);
}

void check_kind(int flags, bool fixed_elsewhere, std::uint64_t pc) noexcept {
  const int sharing = flags & MAP_TYPE;
  if (sharing == MAP_SHARED || sharing == MAP_SHARED_VALIDATE) needs_fork("maps shared memory", pc);
  if ((flags & MAP_32BIT) != 0) needs_fork("maps memory below 4 GiB", pc);
  if (fixed_elsewhere) needs_fork("maps memory at an address of its own choosing", pc);
}

long virtual_mmap(std::uint64_t wanted, std::size_t bytes, int protection, int flags, int fd, long offset, std::uint64_t pc) noexcept {
  const bool fixed = (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) != 0;
  check_kind(flags, fixed && !is_ours(wanted), pc);
  if (g_mode != Mode::Active) io().mapped_before_main = true;
  const bool free_choice = !fixed && (flags & MAP_32BIT) == 0;
  const std::uint64_t at = free_choice ? new_place(bytes) : wanted;
  if (free_choice && at == 0) return -ENOMEM;
  const long result =
      sys(SYS_mmap, static_cast<long>(at), static_cast<long>(bytes), protection, flags | (free_choice ? MAP_FIXED : 0), fd, offset);
  const bool succeeded = result > 0 || result < -4095;
  if (succeeded) take_over(static_cast<std::uint64_t>(result), rounded(bytes), free_choice, pc);
  if (succeeded && (flags & MAP_ANONYMOUS) == 0) source_was_looked_at(fd, offset, offset + static_cast<long>(bytes), pc);
  return result;
}

/// In place when it can, else at a new place of ours.
long virtual_mremap(std::uint64_t old, std::size_t old_bytes, std::size_t bytes, int flags, std::uint64_t wanted,
                    std::uint64_t pc) noexcept {
  if (!is_ours(old)) needs_fork("resizes memory that was mapped before main", pc);
  const bool is_new = (flags & MREMAP_FIXED) == 0;
  if (is_new) {
    if (rounded(bytes) <= rounded(old_bytes))
      return sys(SYS_mremap, static_cast<long>(old), static_cast<long>(old_bytes), static_cast<long>(bytes), 0);
    if ((flags & MREMAP_MAYMOVE) == 0) return -ENOMEM;
    wanted = new_place(bytes);
    if (wanted == 0) return -ENOMEM;
  }
  const long result = sys(SYS_mremap, static_cast<long>(old), static_cast<long>(old_bytes), static_cast<long>(bytes),
                          flags | MREMAP_MAYMOVE | MREMAP_FIXED, static_cast<long>(wanted));
  if (result > 0 || result < -4095) take_over(wanted, rounded(bytes), is_new, pc);
  return result;
}

}  // namespace

void restore_mappings() noexcept {
  const std::uint64_t end = io().next_mapping;
  if (end > TREADLE_AT_MAPPINGS && !io().mapped_before_main)
    sys(SYS_munmap, TREADLE_AT_MAPPINGS, static_cast<long>(end - TREADLE_AT_MAPPINGS));
}

}  // namespace treadle

using namespace treadle;

extern "C" {

void* mmap(void* wanted, std::size_t bytes, int protection, int flags, int fd, off_t offset) noexcept {
  if (native()) return TREADLE_REAL(mmap)(wanted, bytes, protection, flags, fd, offset);
  return reinterpret_cast<void*>(
      with_errno(virtual_mmap(reinterpret_cast<std::uint64_t>(wanted), bytes, protection, flags, fd, offset, TREADLE_PC())));
}

void* mmap64(void* wanted, std::size_t bytes, int protection, int flags, int fd, off64_t offset) noexcept {
  if (native()) return TREADLE_REAL(mmap64)(wanted, bytes, protection, flags, fd, offset);
  return reinterpret_cast<void*>(
      with_errno(virtual_mmap(reinterpret_cast<std::uint64_t>(wanted), bytes, protection, flags, fd, offset, TREADLE_PC())));
}

int munmap(void* address, std::size_t bytes) noexcept {
  if (native()) return TREADLE_REAL(munmap)(address, bytes);
  const auto at = reinterpret_cast<std::uint64_t>(address);
  if (!is_ours(at)) needs_fork("unmaps memory that was mapped before main", TREADLE_PC());
  return static_cast<int>(with_errno(sys(SYS_munmap, static_cast<long>(at), static_cast<long>(bytes))));
}

void* mremap(void* old, std::size_t old_bytes, std::size_t bytes, int flags, ...) noexcept {
  va_list arguments;
  va_start(arguments, flags);
  void* wanted = (flags & MREMAP_FIXED) != 0 ? va_arg(arguments, void*) : nullptr;
  va_end(arguments);
  if (native()) return TREADLE_REAL(mremap)(old, old_bytes, bytes, flags, wanted);
  return reinterpret_cast<void*>(with_errno(virtual_mremap(reinterpret_cast<std::uint64_t>(old), old_bytes, bytes, flags,
                                                           reinterpret_cast<std::uint64_t>(wanted), TREADLE_PC())));
}

int mprotect(void* address, std::size_t bytes, int protection) noexcept {
  if (native()) return TREADLE_REAL(mprotect)(address, bytes, protection);
  if (!is_ours(reinterpret_cast<std::uint64_t>(address)))
    needs_fork("changes the protection of memory that was there before main", TREADLE_PC());
  note_kernel_state();
  return static_cast<int>(with_errno(sys(SYS_mprotect, reinterpret_cast<long>(address), static_cast<long>(bytes), protection)));
}

int brk(void* address) noexcept {
  if (native()) return TREADLE_REAL(brk)(address);
  needs_fork("moves the end of its data segment", TREADLE_PC());
  return TREADLE_REAL(brk)(address);
}

void* sbrk(intptr_t increment) noexcept {
  if (native()) return TREADLE_REAL(sbrk)(increment);
  if (increment != 0) needs_fork("moves the end of its data segment", TREADLE_PC());
  return TREADLE_REAL(sbrk)(increment);
}

int shm_open(const char* name, int flags, mode_t mode) {
  if (native()) return TREADLE_REAL(shm_open)(name, flags, mode);
  needs_fork("opens shared memory", TREADLE_PC());
  return TREADLE_REAL(shm_open)(name, flags, mode);
}

int shmget(key_t key, std::size_t bytes, int flags) noexcept {
  if (native()) return TREADLE_REAL(shmget)(key, bytes, flags);
  needs_fork("opens shared memory", TREADLE_PC());
  return TREADLE_REAL(shmget)(key, bytes, flags);
}

/// At a place of ours, for the same address under every carrier.
void* shmat(int id, const void* wanted, int flags) noexcept {
  if (native()) return TREADLE_REAL(shmat)(id, wanted, flags);
  needs_fork("attaches shared memory", TREADLE_PC());
  shmid_ds about{};
  if (wanted != nullptr || TREADLE_REAL(shmctl)(id, IPC_STAT, &about) != 0) return TREADLE_REAL(shmat)(id, wanted, flags);
  const std::uint64_t at = new_place(about.shm_segsz);
  void* got = TREADLE_REAL(shmat)(id, reinterpret_cast<void*>(at), flags);
  if (got != reinterpret_cast<void*>(-1)) take_over(at, rounded(about.shm_segsz), true, TREADLE_PC());
  return got;
}

}  // extern "C"

// SPDX-License-Identifier: Apache-2.0
// The names by which a program allocates. operator new and delete are here so that a block is known by the line that allocated it, not by a
// place inside libstdc++; a program's own replacements win.
#include <malloc.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "runtime/heap.h"
#include "runtime/real.h"
#include "runtime/scheduler.h"

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
}

namespace treadle {

namespace {

constexpr std::size_t kPage = 4096;

bool is_ours(const void* p) noexcept { return in_heap(reinterpret_cast<std::uint64_t>(p)); }

/// Neither ours nor libc's: nothing that could be freed.
void expect_block(const void* p, std::uint64_t pc) noexcept {
  if (!active() || heap_came_from_libc(p)) return;
  let_others_go_first(pc);
  end_execution(TREADLE_END_HEAP_BROKEN, TREADLE_HEAP_INVALID_FREE, reinterpret_cast<std::uint64_t>(p), 0, pc);
}

void* allocate(std::size_t size, std::size_t alignment, std::uint64_t pc) noexcept {
  if (native()) return alignment <= 16 ? __libc_malloc(size) : __libc_memalign(alignment, size);
  void* p = heap_allocate(size, alignment, pc);
  if (p == nullptr) errno = ENOMEM;
  return p;
}

void release(void* p, std::uint64_t pc) noexcept {
  if (p == nullptr) return;
  if (is_ours(p)) return heap_free(p, pc);
  expect_block(p, pc);
  __libc_free(p);  // allocated before we were there
}

void* resize(void* p, std::size_t size, std::uint64_t pc) noexcept {
  if (p == nullptr) return allocate(size, 16, pc);
  if (native() && !is_ours(p)) return __libc_realloc(p, size);
  if (size == 0) {  // as glibc has it
    release(p, pc);
    return nullptr;
  }
  if (is_ours(p)) {
    void* moved = heap_resize(p, size, pc);
    if (moved == nullptr) errno = ENOMEM;
    return moved;
  }
  expect_block(p, pc);
  void* moved = allocate(size, 16, pc);
  if (moved == nullptr) return nullptr;
  const std::size_t had = TREADLE_REAL(malloc_usable_size)(p);
  __builtin_memcpy(moved, p, had < size ? had : size);
  release(p, pc);
  return moved;
}

bool is_power_of_two(std::size_t n) noexcept { return n != 0 && (n & (n - 1)) == 0; }

/// memalign rounds up what is not a power of two.
std::size_t round_alignment(std::size_t alignment) noexcept {
  std::size_t power = 16;
  while (power < alignment && power < (1ull << 32)) power *= 2;
  return power;
}

void* allocate_aligned(std::size_t alignment, std::size_t size, std::uint64_t pc) noexcept {
  if (size > PTRDIFF_MAX || alignment > (1ull << 30)) {
    errno = ENOMEM;
    return nullptr;
  }
  return allocate(size, round_alignment(alignment), pc);
}

}  // namespace

}  // namespace treadle

using namespace treadle;

#define EXPORTED __attribute__((visibility("default")))

extern "C" {

EXPORTED void* malloc(std::size_t size) noexcept { return allocate(size, 16, TREADLE_PC()); }

EXPORTED void free(void* p) noexcept { release(p, TREADLE_PC()); }
EXPORTED void cfree(void* p) noexcept { release(p, TREADLE_PC()); }

EXPORTED void* calloc(std::size_t count, std::size_t size) noexcept {
  if (native()) return __libc_calloc(count, size);
  std::size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) bytes = SIZE_MAX;
  return allocate(bytes, 16, TREADLE_PC());
}

EXPORTED void* realloc(void* p, std::size_t size) noexcept { return resize(p, size, TREADLE_PC()); }

EXPORTED void* reallocarray(void* p, std::size_t count, std::size_t size) noexcept {
  std::size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return resize(p, bytes, TREADLE_PC());
}

EXPORTED int posix_memalign(void** result, std::size_t alignment, std::size_t size) noexcept {
  if (!is_power_of_two(alignment) || alignment % sizeof(void*) != 0) return EINVAL;
  const int kept = errno;
  void* p = allocate_aligned(alignment, size, TREADLE_PC());
  errno = kept;
  if (p == nullptr) return ENOMEM;
  *result = p;
  return 0;
}

EXPORTED void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept { return allocate_aligned(alignment, size, TREADLE_PC()); }
EXPORTED void* memalign(std::size_t alignment, std::size_t size) noexcept { return allocate_aligned(alignment, size, TREADLE_PC()); }
EXPORTED void* valloc(std::size_t size) noexcept { return allocate_aligned(kPage, size, TREADLE_PC()); }
EXPORTED void* pvalloc(std::size_t size) noexcept {
  if (size > PTRDIFF_MAX - kPage) {
    errno = ENOMEM;
    return nullptr;
  }
  return allocate_aligned(kPage, size == 0 ? kPage : (size + kPage - 1) & ~(kPage - 1), TREADLE_PC());
}

EXPORTED std::size_t malloc_usable_size(void* p) noexcept {
  if (p == nullptr) return 0;
  return is_ours(p) ? heap_size_of(p) : TREADLE_REAL(malloc_usable_size)(p);
}

}  // extern "C"

#define WEAK __attribute__((weak, visibility("default")))

/// Out of memory: libstdc++'s own calls the new handler and throws.
#define TREADLE_NEW(declaration, mangled, alignment)                                           \
  WEAK void* declaration {                                                                     \
    if (void* p = allocate(size, static_cast<std::size_t>(alignment), TREADLE_PC())) return p; \
    using Real = void*(std::size_t, std::size_t);                                              \
    auto* real = reinterpret_cast<Real*>(::dlsym(RTLD_NEXT, mangled));                         \
    if (real == nullptr) std::abort();                                                         \
    return real(size, static_cast<std::size_t>(alignment));                                    \
  }
TREADLE_NEW(operator new(std::size_t size), "_Znwm", 16)
TREADLE_NEW(operator new[](std::size_t size), "_Znam", 16)
TREADLE_NEW(operator new(std::size_t size, std::align_val_t alignment), "_ZnwmSt11align_val_t", alignment)
TREADLE_NEW(operator new[](std::size_t size, std::align_val_t alignment), "_ZnamSt11align_val_t", alignment)

TREADLE_NEW(operator new(std::size_t size, const std::nothrow_t&) noexcept, "_ZnwmRKSt9nothrow_t", 16)
TREADLE_NEW(operator new[](std::size_t size, const std::nothrow_t&) noexcept, "_ZnamRKSt9nothrow_t", 16)

WEAK void operator delete(void* p) noexcept { release(p, TREADLE_PC()); }
WEAK void operator delete[](void* p) noexcept { release(p, TREADLE_PC()); }
WEAK void operator delete(void* p, std::size_t) noexcept { release(p, TREADLE_PC()); }
WEAK void operator delete[](void* p, std::size_t) noexcept { release(p, TREADLE_PC()); }
WEAK void operator delete(void* p, std::align_val_t) noexcept { release(p, TREADLE_PC()); }
WEAK void operator delete[](void* p, std::align_val_t) noexcept { release(p, TREADLE_PC()); }
WEAK void operator delete(void* p, std::size_t, std::align_val_t) noexcept { release(p, TREADLE_PC()); }
WEAK void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { release(p, TREADLE_PC()); }

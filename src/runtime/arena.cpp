// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduler.h"
#include "runtime/start.h"

namespace treadle {

Mode g_mode = Mode::Native;
int (*g_hosted_main)(int, char**, char**) = nullptr;

void* arena_allocate(std::size_t bytes) noexcept {
  World& w = world();
  const std::uint64_t at = (w.arena_used + 15) & ~15ull;
  if (bytes > TREADLE_ARENA_BYTES - at) {
    if (g_mode == Mode::Active)
      end_execution(TREADLE_END_MEMORY_LIMIT, 0, 0, 0, 0, "the checker's own memory for one execution is used up");
    refuse("the program needs more bookkeeping memory before main than there is");
  }
  w.arena_used = at + bytes;
  void* block = reinterpret_cast<void*>(TREADLE_AT_ARENA + at);
  __builtin_memset(block, 0, bytes);  // an earlier execution may have been here
  return block;
}

}  // namespace treadle

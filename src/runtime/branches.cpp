// SPDX-License-Identifier: Apache-2.0
#include "runtime/branches.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "abi/branches.h"
#include "abi/symbolic_hooks.h"
#include "runtime/sys.h"

namespace treadle {
namespace {

// Set once, in the image that every execution starts from.
TreadleWaysTaken* g_ways = nullptr;

}  // namespace

void ways_start(const char* file) noexcept {
  if (file == nullptr) return;
  const int fd = static_cast<int>(sys(SYS_open, reinterpret_cast<long>(file), O_RDWR | O_CLOEXEC));
  if (fd < 0) return;
  const auto mapped = map_fixed(TREADLE_AT_WAYS, sizeof(TreadleWaysTaken), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, fd);
  sys(SYS_close, fd);
  if (mapped == TREADLE_AT_WAYS) g_ways = reinterpret_cast<TreadleWaysTaken*>(TREADLE_AT_WAYS);
  if (g_ways != nullptr) g_ways->is_used = 1;
}

}  // namespace treadle

using namespace treadle;

extern "C" void __treadle_sym_way(uint8_t* way) noexcept {
  *way = 1;  // and 0 again in the next execution
  if (g_ways == nullptr) return;
  const auto address = reinterpret_cast<std::uint64_t>(way);
  std::uint64_t slot = address * 0x9e3779b97f4a7c15ull >> 32;
  for (unsigned tries = 0; tries < 256; ++tries, ++slot) {
    std::uint64_t& taken = g_ways->taken[slot % TREADLE_MAX_WAYS];
    std::uint64_t free = 0;  // other workers have the same file
    if (__atomic_compare_exchange_n(&taken, &free, address, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) || free == address) return;
  }
  g_ways->some_lost = 1;
}

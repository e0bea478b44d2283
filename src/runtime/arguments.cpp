// SPDX-License-Identifier: Apache-2.0
#include "runtime/arguments.h"

#include <link.h>

#include <cstdint>
#include <cstring>

#include "runtime/libraries.h"
#include "runtime/snapshot.h"
#include "runtime/sources.h"
#include "runtime/watched.h"
#include "runtime/world.h"

#define TREADLE_BY_LINKER extern "C" __attribute__((weak, visibility("hidden")))
using Initialiser = void (*)(int, char**, char**);
TREADLE_BY_LINKER Initialiser __preinit_array_start[], __preinit_array_end[], __init_array_start[], __init_array_end[];
TREADLE_BY_LINKER int __cpu_indicator_init(void);  // of libgcc, and so is the next

namespace treadle {

namespace {

/// "endbr64; jmp register_tm_clones", which is the first that the compiler's start files leave.
bool is_frame_dummy(Initialiser function) noexcept {
  return std::memcmp(reinterpret_cast<const void*>(function), "\xf3\x0f\x1e\xfa\xe9", 5) == 0;
}

/// A constructor of the program is called with its arguments. Those that every program has do not look at them.
bool has_constructors() noexcept {
  if (__init_array_start == nullptr || __preinit_array_end - __preinit_array_start != 1) return true;
  unsigned dummies = 0;
  for (const Initialiser* at = __init_array_start; at != __init_array_end; ++at) {
    if (reinterpret_cast<std::uint64_t>(*at) == reinterpret_cast<std::uint64_t>(&__cpu_indicator_init)) continue;
    if (!is_frame_dummy(*at) || ++dummies > 1) return true;
  }
  return false;
}

/// Those of the program itself have been looked at above; it comes first and has no name.
int is_other_library(dl_phdr_info* info, std::size_t, void*) noexcept {
  return info->dlpi_name[0] != '\0' && !is_system_library(info->dlpi_name) ? 1 : 0;
}

}  // namespace

void arguments_before_main(char** given) noexcept {
  Process& p = process();
  p.given_argv = given;
  for (int i = 0; i < p.argc; ++i) {
    const auto from = reinterpret_cast<std::uint64_t>(p.argv[i]), to = from + std::strlen(p.argv[i]) + 1;
    p.arguments_from = i == 0 || from < p.arguments_from ? from : p.arguments_from;
    p.arguments_to = i == 0 || to > p.arguments_to ? to : p.arguments_to;
  }
  p.shared->arguments_replaceable =
      p.carrier == TREADLE_CARRIER_RESET && !any_sources() && !has_constructors() && ::dl_iterate_phdr(is_other_library, nullptr) == 0;
}

bool is_argument(std::uint64_t text) noexcept { return text >= process().arguments_from && text < process().arguments_to; }

void take_arguments() noexcept {
  Process& p = process();
  TreadleSharedBlock& shared = *p.shared;
  restore_written(0);  // the last execution may have moved them
  const char* from = shared.arguments;
  const char* end = from + (shared.argument_bytes < sizeof shared.arguments ? shared.argument_bytes : sizeof shared.arguments);
  for (int i = 1; i < p.argc && from < end; ++i) {
    const std::size_t length = std::strlen(p.argv[i]);
    if (static_cast<std::size_t>(end - from) <= length || from[length] != '\0') break;  // the host has been told which lengths there are
    change_watched(reinterpret_cast<std::uint64_t>(p.argv[i]), from, length);
    std::memcpy(p.given_argv[i], from, length);
    from += length + 1;
  }
  shared.argument_bytes = 0;
  drop_snapshots();
}

}  // namespace treadle

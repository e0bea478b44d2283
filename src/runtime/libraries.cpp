// SPDX-License-Identifier: Apache-2.0
#include "runtime/libraries.h"

#include <dlfcn.h>

#include <cstring>
#include <initializer_list>

namespace treadle {

bool is_system_library(const char* path) noexcept {
  const char* slash = strrchr(path, '/');
  const char* name = slash == nullptr ? path : slash + 1;
  for (const char* known : {"ld-linux", "linux-vdso", "libc.so", "libm.so", "libstdc++.so", "libgcc_s.so", "libpthread.so", "libdl.so",
                            "librt.so", "libatomic.so"})
    if (strncmp(name, known, strlen(known)) == 0) return true;
  return false;
}

bool in_system_library(std::uint64_t pc) noexcept {
  Dl_info where{};
  return dladdr(reinterpret_cast<void*>(pc), &where) != 0 && where.dli_fname != nullptr && is_system_library(where.dli_fname);
}

}  // namespace treadle

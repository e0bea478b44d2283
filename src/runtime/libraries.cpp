// SPDX-License-Identifier: Apache-2.0
#include "runtime/libraries.h"

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

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// The functions we stand in front of: real(pthread_mutex_lock)(m) calls glibc's own. Looked up once, on first use. The runtime prints by
// them, too: by its public name snprintf announces what it writes as an access of the program.
#pragma once

#include <dlfcn.h>

namespace treadle {

template <class Function>
Function* look_up_real(Function*, const char* name) noexcept {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace treadle

/// A variable of ours that no reset takes back: what it holds is true in every execution.
#define TREADLE_KEPT __attribute__((section("treadle_kept")))

#define TREADLE_REAL(name)                                               \
  ([]() noexcept {                                                       \
    TREADLE_KEPT static decltype(&::name) found = nullptr;               \
    if (found == nullptr) found = ::treadle::look_up_real(found, #name); \
    return found;                                                        \
  }())

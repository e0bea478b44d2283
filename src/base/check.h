// SPDX-License-Identifier: Apache-2.0
// Our own bugs: on in every build, exit status 3.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <source_location>

namespace treadle {

[[noreturn]] inline void broken(const char* promise, std::source_location where) {
  std::fprintf(stderr,
               "treadle: this is a bug in Treadle itself: not true that %s (%s:%u)\n"
               "  please report it together with the command line\n",
               promise, where.file_name(), static_cast<unsigned>(where.line()));
  std::_Exit(3);
}

/// `promise` completes "it is true that …": check(now >= before, "a thread's clock never goes back").
inline void check(bool holds, const char* promise, std::source_location where = std::source_location::current()) {
  if (!holds) [[unlikely]]
    broken(promise, where);
}

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// What a compiler's command line asks for, as far as a drop-in compiler has to understand it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace treadle {

struct CompilerArguments {
  std::vector<std::string> words;   // what goes on to clang: response files expanded, what we cannot honour left out
  std::vector<std::string> notes;   // what was left out, one sentence each
  bool is_query = false;            // asks the compiler about itself: nothing is compiled
  bool links = false;               // makes an executable or a shared library
  bool is_shared = false;           // … a shared library
  bool has_debug_flag = false;      // -g in any form
  bool is_symbolic = false;         // our own --symbolic; not among the words
  std::vector<std::string> atomic;  // our own --atomic=PATTERN: functions that are meant to be atomic
  bool records = false;             // --record: the program is to be recorded, not checked
  bool records_paths = true;        // … by itself
  bool follows = false;             // --follow: it can be led along a recording
  bool maps_blocks = false;         // … by the processor
};

/// A Problem when the user asks for what cannot be done under Treadle (-static, -fsanitize=…, -m32, …).
Result<CompilerArguments> understand(const std::vector<std::string>& words);

}  // namespace treadle

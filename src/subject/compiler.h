// SPDX-License-Identifier: Apache-2.0
// From sources to a program under test: clang 19 with our pass, linked with our runtime.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace treadle {

/// The clang command that does what `cc WORDS…` (or `c++ WORDS…`) does, so that the result can be checked. `notes` gets a sentence for
/// each of the user's flags that had to be left out. `--symbolic` among them is ours: a symbolic build; so is
/// `--atomic=PATTERN`: functions that are meant to be atomic.
Result<std::vector<std::string>> compiler_command(bool cpp, const std::vector<std::string>& words, std::vector<std::string>& notes);

/// The archive that is linked into every program under test.
Result<std::string> runtime_archive();

/// The commands that we add to gdb.
Result<std::string> gdb_commands();

struct CompileRequest {
  std::vector<std::string> sources;    // C or C++ by suffix; objects and libraries are linked as they are
  std::vector<std::string> flags;      // after -g -O1, so that they win
  std::string directory = ".treadle";  // for the program; made when missing
  bool symbolic = false;               // a symbolic build, under another name than the plain one
};

/// Compiles and links; returns the path of the program. It stands in `directory` under a name made of the first source's and a hash of
/// sources and flags; what has not changed since (headers included) is not compiled again. The compiler's messages go to standard error.
Result<std::string> compile(const CompileRequest& request);

}  // namespace treadle

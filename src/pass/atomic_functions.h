// SPDX-License-Identifier: Apache-2.0
// Functions whose calls are meant to be atomic: those marked TREADLE_ATOMIC, and those whose names are asked for (-treadle-atomic=PATTERN).
#pragma once

namespace llvm {
class Module;
}

namespace treadle {

/// treadle_atomic_begin() where they begin, treadle_atomic_end() wherever they end, exceptions included. Before anything is inlined.
void bracket_atomic_functions(llvm::Module& module);

}  // namespace treadle

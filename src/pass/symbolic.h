// SPDX-License-Identifier: Apache-2.0
// Symbolic builds: next to each value goes its expression (abi/symbolic_hooks.h), in the manner of SymCC. Runs on a module whose hooks are
// in place, behind everything that looks at the program itself: loops that may spin carry no expressions, dependence is that of the
// program.
//
//   leaves       which values have an expression, and which parts of one that is a structure
//   flow         which values can have one at all, and for which it matters
//   arithmetic   calls that make expressions of expressions
//   operations   what instructions without effects make of their operands' expressions; intrinsics
//   function     the rewriting of one function: groups of such instructions share one test "has any operand an expression?"
//   memory       loads, stores, atomics, copies
//   calls        arguments, results, library functions
//   branches     branches, switches, returns
//   failures     where a branch inevitably leads to a failure
//
// The one rule: an expression is never dropped. Whatever instruction is not known pins its operands, so that nothing that is concluded from
// the expressions depends on how it would have gone with other values.
#pragma once

#include <llvm/IR/Module.h>

namespace treadle {

void thread_expressions(llvm::Module& module);

}  // namespace treadle

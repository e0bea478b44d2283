// SPDX-License-Identifier: Apache-2.0
// Loops that may be waiting for another thread.
//
// A loop iteration that changed nothing and read the same values again will do so for ever, until somebody changes one of the
// locations it read: the runtime then blocks the thread until that happens, and `while (!flag);` has finitely many executions. Which values
// were read and whether anything was written the runtime sees by itself, through the hooks. What it cannot see is the loop's own state: the
// pass promises that *everything an iteration depends on besides hooked reads* is in the `state` handed to `__treadle_loop_enter` on the
// way into the loop and to `__treadle_loop` on each back edge, as a hash of the values that the loop carries into its next iteration.
// (Being conservative means to insert no hook: the loop then runs into the step bound. A promise that is not kept would block a loop that
// makes progress.)
//
// So a loop gets the hook when
//  - an iteration reads something another thread can change: by a hook, a trylock, or a function of this file that does;
//  - it writes no memory behind the hooks' back: no stores to private locals or thread_local variables;
//  - it calls nothing with hidden state: only hooks, functions of this file for which the same holds (their locals die with each call),
//    and a list of waiting functions that the runtime stands in front of;
//  - it does not count: a loop variable with a non-zero step makes every iteration differ, the hook would never block. (But see
//    polling_loops.h.)
//
// A search may also want to know that an iteration led nowhere *before*, in another execution. For that `__treadle_loop_enter` is told
// the rest of what an iteration depends on: a hash of all values from outside the loop that it uses. Where even that is not all (it reads
// private memory, or a value of a type that has no bits to take), the loop's number is even, else odd. Its second bit says whether an
// iteration may read something by an atomic access or an attempt to lock.
#pragma once

#include <llvm/IR/PassManager.h>

namespace treadle {

/// After instrumentation; takes each function's analyses from `analyses`.
void hook_spin_loops(llvm::Module& module, llvm::FunctionAnalysisManager& analyses);

}  // namespace treadle

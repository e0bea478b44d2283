// SPDX-License-Identifier: Apache-2.0
// Loops that look at something a number of times at most and then give up, before they go to sleep mostly:
//
//   for (int i = 0; i < 16; ++i) { if (x.load() != old) return true; i < 12 ? relax() : yield(); }
//
// How often it has looked in vain makes no difference: iterations that change nothing and read the same may as well be made at once, and
// then one of them is enough. So the first one in vain is the last: the counter gets the value that it would have had then. Every execution
// that is left is one of the program's, with all further looks made right behind the first; and none is missed, for who looks in vain
// sixteen times, or fifteen times before it succeeds, might have come to the loop later.
//
// Only loops that relax or yield are taken for such: others may count for other reasons.
//
// The runtime says whether an iteration led nowhere, as it does for spin loops (spin_loops.h); here it is known that the next ones do the
// same: the counter decides nothing but how they wait, and nobody asks for it afterwards.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>

namespace treadle {

/// A variable that a polling loop counts with, and what it is when the loop gives up.
struct PollCounter {
  llvm::PHINode* phi;
  llvm::Constant* last;
};

/// Empty: it is none.
llvm::SmallVector<PollCounter, 1> counters_of_polling(const llvm::Loop& loop, llvm::ScalarEvolution& evolution);

}  // namespace treadle

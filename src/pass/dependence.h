// SPDX-License-Identifier: Apache-2.0
// On which reads may an event depend? The answer that `--strategy mcr-s` and `mcr-s+` want, for a whole file at once, and always on the
// safe side: what is not understood depends on everything.
//
// A *site* is a call that may leave an event in a trace: of a hook, or of a function that this file does not define. Reads are sites
// too, and the sources of the graph (dependence_graph.h) in which everything else is a node:
//
//   values     an SSA value depends on its operands; a phi also on the branches that decide where control comes from
//   memory     private objects (those without hooks) are one node each: written by stores into them, and by the branches that decide
//              whether these run. Shared memory is no node: traces show which write a read got its value from.
//   control    a block depends on the branches it is control dependent on (post-dominators), and on what its function's calls depend on
//   progress   "the function gets as far as here": everything that can end a thread or keep it busy for ever on the way. Calls that
//              may not return, loops whose end depends on something (an event behind `while (!flag);` does not happen without the flag),
//              accesses through pointers that may be bad, divisions.
//   way        progress, and besides all that decides which *other* events happen on the way: branches with events in their arms
//   calls      arguments go to parameters and results come back, for functions of this file, also when they are started as threads;
//              all calls of a function share one set of nodes
//   hidden     what no hook shows: memory that libraries write by themselves, the heap's state, thread-specific values
//
//   carried    of what a write writes, all that does not come on the straightest way: through registers of one call, past no phi. What
//   does,
//              comes from the last time that its read was passed (dependence_carried.cpp).
//
// Control dependence of an event: control, progress, and what its address depends on, because an access elsewhere is another event. Data
// dependence: what it writes.
#pragma once

#include <llvm/IR/PassManager.h>

#include "abi/dependence.h"
#include "pass/dependence_graph.h"

namespace treadle {

struct DependenceSite {
  llvm::CallBase* call = nullptr;      // none for a thread's function
  llvm::Function* function = nullptr;  // the thread's, then
  TreadleSiteKind kind = TREADLE_SITE_OTHER;
  DependenceGraph::Node control = DependenceGraph::everything, way = DependenceGraph::everything, data = DependenceGraph::everything;
  DependenceGraph::Node carried = DependenceGraph::everything;  // of data: what may come from an earlier iteration or call
};

/// A source that counts only if the rest of the program is like that.
struct OtherFiles {
  TreadleOther kind;
  const llvm::GlobalValue* function;  // none for "there is another file"
};

/// What the graph knows about a module: sets of numbers of sites and, behind them, of others.
struct ModuleDependence {
  DependenceGraph graph;
  std::vector<DependenceSite> sites;
  std::vector<OtherFiles> others;
};

/// Of an instrumented module.
ModuleDependence dependence_of(llvm::Module& module, llvm::FunctionAnalysisManager& analyses);

/// Leaves it in the module's section, and gives the sites' calls their keys.
void embed_dependence(llvm::Module& module, const ModuleDependence& dependence);

}  // namespace treadle

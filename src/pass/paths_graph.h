// SPDX-License-Identifier: Apache-2.0
// A function as a graph of paths (Ball and Larus, MICRO 1996), cut where a path must end, with its paths numbered.
//
// A path ends at a call that may run code of ours, block or never return; at an edge that closes a cycle; and in front of a counted or
// packed loop. The ways through a packed loop have numbers of their own, apart from those of the paths that leave it.
// Otherwise as in the paper: the number of a path is the sum of values of its edges, and a maximum spanning tree moves the additions to
// where the program is less often. What differs: a function has many starts and ends besides entry and exit. They are all edges from and
// to one outer node, so a potential at each node is all it takes.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/Analysis/BranchProbabilityInfo.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

#include <vector>

#include "abi/paths.h"

namespace treadle {

struct PathOut {
  TreadleOutKind kind;
  unsigned target = 0;  // node; of a call: the one behind it
  int landing = -1;     // of an invoke: the landing pad's node
  TreadleCallHow how = TREADLE_CALL_UNKNOWN;
  const llvm::Function* callee = nullptr;  // unless unknown
  unsigned value = 0;                      // what taking this way adds to the number of the path
  unsigned step = 0;                       // and to that of the way through the packed loop
};

struct PathNode {
  llvm::BasicBlock* block = nullptr;
  unsigned ordinal = 0;  // of the block that it is, or is a part of
  unsigned flags = 0;
  llvm::CallBase* call = nullptr;  // with which it ends
  int loop = -1;                   // header of the counted or packed loop that it is in
  unsigned ways = 0;               // in such a loop: from here to its next iteration
  unsigned way = 0;                // header of a counted loop: the one that is always taken
  bool is_short = false;           // header of a packed loop that never fills its number, and in which nothing can fail
  bool is_start = false;
  bool must_tell = false;  // even the only path from or to here leaves its number
  llvm::SmallVector<PathOut, 2> outs;
  unsigned paths = 0;      // from here
  unsigned component = 0;  // paths of one component are numbered in the same width
  unsigned width = 0;
  bool clears = false;  // a number that is stored here may have to go over what a packed loop has left
  std::int64_t potential = 0;

  /// What is added on this way, given the spanning tree; for an end: to the number that is stored.
  std::int64_t increment(const PathOut& out, const std::vector<PathNode>& nodes) const {
    return out.value + potential - (out.kind == TREADLE_OUT_EDGE ? nodes[out.target].potential : 0);
  }
};

struct PathGraph {
  llvm::Function* function;
  bool marks_entry = true;
  std::vector<unsigned> lines;  // of each block
  std::vector<PathNode> nodes;
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> number;  // of nodes
};

/// How calls of a function from its own file are recorded.
using HowCalled = llvm::DenseMap<const llvm::Function*, TreadleCallHow>;

/// False for functions whose edges cannot be instrumented: computed gotos, calls that must be jumps, coroutines. They count as foreign
/// code.
bool can_record(const llvm::Function& function);

/// Ordinals of blocks are taken first; then blocks are cut behind calls, which changes the function.
PathGraph graph_of(llvm::Function& function, const HowCalled& how_called, llvm::TargetLibraryInfo& library);

/// Cuts cycles, numbers paths, chooses widths and potentials.
void number_paths(PathGraph& graph, const llvm::BlockFrequencyInfo& frequencies, const llvm::BranchProbabilityInfo& probabilities);

}  // namespace treadle

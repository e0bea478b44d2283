// SPDX-License-Identifier: Apache-2.0
#include "pass/paths_detours.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Module.h>

namespace treadle {

using namespace llvm;

namespace {

/// A base and a constant offset.
std::pair<const Value*, APInt> place_of(const Value* pointer, const DataLayout& layout) {
  APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  const Value* base = pointer->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  return {base, offset};
}

/// Then it can be made unconditional: of the one value or the other.
bool is_stored_before(const StoreInst& store, const BasicBlock& before) {
  const DataLayout& layout = store.getModule()->getDataLayout();
  return store.isSimple() && any_of(before, [&](const Instruction& instruction) {
           const auto* other = dyn_cast<StoreInst>(&instruction);
           return other != nullptr && other->isSimple() && other->getValueOperand()->getType() == store.getValueOperand()->getType() &&
                  place_of(other->getPointerOperand(), layout) == place_of(store.getPointerOperand(), layout);
         });
}

/// One instruction that can be run in any case, besides the computing of an address: what the optimiser hoists, but not together with ours.
bool is_small(const BasicBlock& side, const BasicBlock& before) {
  unsigned count = 0;
  for (const Instruction& instruction : side) {
    if (instruction.isTerminator() || instruction.isDebugOrPseudoInst() || isa<GetElementPtrInst>(instruction)) continue;
    const auto* store = dyn_cast<StoreInst>(&instruction);
    const bool is_harmless =
        store != nullptr ? is_stored_before(*store, before)
                         : !instruction.mayReadOrWriteMemory() && !isa<PHINode>(instruction) && isSafeToSpeculativelyExecute(&instruction);
    if (!is_harmless || ++count > 1) return false;
  }
  return count == 1;
}

bool stays(const std::vector<PathNode>& nodes, const PathNode& node) {
  return node.call == nullptr &&
         all_of(node.outs, [&](const PathOut& out) { return out.kind == TREADLE_OUT_EDGE && nodes[out.target].loop == node.loop; });
}

}  // namespace

std::vector<Detour> find_detours(const std::vector<PathNode>& nodes) {
  std::vector<Detour> found;
  for (const PathNode& from : nodes) {
    auto* branch = dyn_cast<BranchInst>(from.block->getTerminator());
    if (branch == nullptr || from.outs.size() != 2 || !stays(nodes, from)) continue;
    for (unsigned i : {0u, 1u}) {
      const PathOut &there = from.outs[i], &past = from.outs[1 - i];
      const PathNode& side = nodes[there.target];
      if (side.is_start || side.outs.size() != 1 || !stays(nodes, side) || side.outs.front().target != past.target) continue;
      if (side.block->getSinglePredecessor() != from.block || !is_small(*side.block, *from.block)) continue;
      found.push_back({branch, branch->getSuccessor(0) == side.block, &from, &side, &there, &side.outs.front(), &past});
      break;
    }
  }
  return found;
}

}  // namespace treadle

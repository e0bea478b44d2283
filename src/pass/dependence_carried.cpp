// SPDX-License-Identifier: Apache-2.0
// Which iteration a value comes from. An SSA value that is computed from reads without any phi on the way is computed from the last of each
// of them: the definition dominates its use, so whoever passed the read once more on the way passed everything behind it once more, too.
//
// Phis may hand on what an earlier iteration left, private memory may keep it, parameters and results come from elsewhere: all that counts
// as carried. So does everything in a function that may be entered again before it has left.
#include <llvm/IR/IntrinsicInst.h>

#include "pass/dependence_nodes.h"
#include "pass/hooks.h"

namespace treadle {

using namespace llvm;

namespace {

/// Something that is called from here may call it again; or the system may, at any time.
bool may_be_entered_again(const Function& function, DependenceNodes& nodes) {
  if (function.hasAddressTaken(nullptr, /*IgnoreCallbackUses=*/true)) {
    for (const Use& use : function.uses()) {
      const auto* call = dyn_cast<CallBase>(use.getUser());
      if (call == nullptr) return true;
      if (!call->isCallee(&use) && DependenceNodes::deed(*call) != Deed::StartsThread) return true;
    }
  }
  SmallPtrSet<const Function*, 8> seen;
  SmallVector<const Function*, 8> pending{&function};
  while (!pending.empty())
    for (const BasicBlock& block : *pending.pop_back_val())
      for (const Instruction& instruction : block) {
        const auto* call = dyn_cast<CallBase>(&instruction);
        if (call == nullptr || isa<IntrinsicInst>(call)) continue;
        const Function* callee = call->getCalledFunction();
        if (callee != nullptr && is_hook(*callee)) continue;
        if (const Function* own = nodes.callee_of(*call)) {
          if (own == &function) return true;
          if (seen.insert(own).second) pending.push_back(own);
          continue;
        }
        if (call->isInlineAsm()) return true;
        const Deed deed = DependenceNodes::deed(*call);
        if (deed == Deed::Unknown || deed == Deed::CallsBack) return true;
      }
  return false;
}

/// Made of its operands and nothing else.
bool is_computed(const Instruction& instruction) {
  return isa<BinaryOperator, UnaryOperator, CastInst, CmpInst, SelectInst, GetElementPtrInst, FreezeInst, ExtractValueInst,
             InsertValueInst>(instruction);
}

bool is_read_hook(const Instruction& instruction, DependenceNodes& nodes) {
  const auto* call = dyn_cast<CallBase>(&instruction);
  if (call == nullptr || call->getCalledFunction() == nullptr || !is_hook(*call->getCalledFunction())) return false;
  const DependenceSite* site = nodes.site(*call);
  return site != nullptr && site->kind == TREADLE_SITE_READ && !call->getCalledFunction()->getName().contains("range_");
}

}  // namespace

Node carried_into(const Value* value, const Instruction& user, DependenceNodes& nodes) {
  if (may_be_entered_again(*user.getFunction(), nodes)) return nodes.value(value);
  const Node carried = nodes.graph().add();
  SmallVector<const Value*, 8> pending{value};
  SmallPtrSet<const Value*, 16> seen;
  while (!pending.empty()) {
    const Value* one = pending.pop_back_val();
    const auto* instruction = dyn_cast<Instruction>(one);
    if (!seen.insert(one).second) continue;
    if (instruction != nullptr && is_computed(*instruction)) {
      pending.append(instruction->op_begin(), instruction->op_end());
    } else if (instruction != nullptr && is_read_hook(*instruction, nodes)) {
      const Value* address = cast<CallBase>(instruction)->getArgOperand(0);
      nodes.depend(carried, nodes.hidden_at(address));
      pending.push_back(address);
    } else {
      nodes.depend(carried, nodes.value(one));
    }
  }
  return carried;
}

}  // namespace treadle

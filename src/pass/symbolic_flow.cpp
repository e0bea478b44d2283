// SPDX-License-Identifier: Apache-2.0
#include "pass/symbolic_flow.h"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "pass/hooks.h"
#include "pass/symbolic_calls.h"
#include "pass/symbolic_leaves.h"
#include "pass/symbolic_memory.h"
#include "pass/symbolic_operations.h"

namespace treadle {

using namespace llvm;

namespace {

bool hands_on(const Instruction& instruction) { return isa<PHINode>(instruction) || is_operation(instruction); }

bool reads_what_may_change(const LoadInst& load) {
  const auto* variable = dyn_cast<GlobalVariable>(getUnderlyingObject(load.getPointerOperand(), 0));
  return load.getPointerAddressSpace() == 0 && (variable == nullptr || !variable->isConstant());
}

bool ignores_expressions(const IntrinsicInst& call) {
  if (call.isLifetimeStartOrEnd() || call.isDroppable() || isa<DbgInfoIntrinsic>(call)) return true;
  switch (call.getIntrinsicID()) {
    case Intrinsic::is_constant:
    case Intrinsic::objectsize:
    case Intrinsic::sideeffect:
    case Intrinsic::invariant_start:
    case Intrinsic::invariant_end:
    case Intrinsic::prefetch:
    case Intrinsic::stackrestore:
    case Intrinsic::vaend:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool ignores_expressions(const Instruction& instruction) {
  const auto* call = dyn_cast<CallBase>(&instruction);
  if (call == nullptr) return false;
  if (const auto* intrinsic = dyn_cast<IntrinsicInst>(call)) return ignores_expressions(*intrinsic);
  const Function* callee = call->getCalledFunction();
  if (callee == nullptr || !is_hook(*callee)) return false;
  return !hooked_access(*call) && !is_range_hook(*call) && !is_extent_hook(*call);
}

bool is_source_of_expressions(const Instruction& instruction) {
  if (!has_leaf_with_expression(instruction.getType(), instruction.getDataLayout())) return false;
  if (const auto* load = dyn_cast<LoadInst>(&instruction)) return reads_what_may_change(*load) && !is_variadic_slot(*load);
  const auto* call = dyn_cast<CallBase>(&instruction);
  if (call == nullptr) return false;
  if (const auto access = hooked_access(*call)) return access->kind != AccessKind::Store;
  return returns_expressions(*call);
}

SymbolicFlow::SymbolicFlow(Function& function) {
  find_needed(function);
  find_symbolic(function);
}

void SymbolicFlow::find_needed(const Function& function) {
  SmallVector<const Value*, 64> pending;
  auto need = [&](const Value* value) {
    if ((isa<Instruction>(value) || isa<Argument>(value)) && needed_.insert(value).second) pending.push_back(value);
  };
  for (const Instruction& instruction : instructions(function)) {
    if (is_division(instruction)) need(instruction.getOperand(1));
    if (hands_on(instruction) || ignores_expressions(instruction)) continue;
    for (const Value* operand : instruction.operands()) need(operand);
  }
  while (!pending.empty()) {
    const auto* instruction = dyn_cast<Instruction>(pending.pop_back_val());
    if (instruction == nullptr || !hands_on(*instruction)) continue;
    for (const Value* operand : instruction->operands()) need(operand);
  }
}

void SymbolicFlow::find_symbolic(const Function& function) {
  SmallVector<const Value*, 64> pending;
  auto add = [&](const Value* value) {
    if (needed_.contains(value) && symbolic_.insert(value).second) pending.push_back(value);
  };
  for (const Argument& argument : function.args())
    if (has_expression(argument.getType(), function.getDataLayout())) add(&argument);
  for (const Instruction& instruction : instructions(function))
    if (is_source_of_expressions(instruction)) add(&instruction);
  while (!pending.empty())
    for (const User* user : pending.pop_back_val()->users())
      if (const auto* instruction = dyn_cast<Instruction>(user);
          instruction != nullptr && hands_on(*instruction) &&
          has_leaf_with_expression(instruction->getType(), instruction->getDataLayout()))
        add(instruction);
}

bool SymbolicFlow::has_symbolic_operand(const Instruction& instruction) const {
  return any_of(instruction.operands(), [&](const Value* operand) { return is_symbolic(operand); });
}

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
#include "pass/symbolic_branches.h"

#include <llvm/IR/Module.h>

#include "pass/hooks.h"
#include "pass/symbolic_function.h"

namespace treadle {

using namespace llvm;

namespace {

/// The numbers of all cases, in the program's constants.
GlobalVariable* cases_of(const SwitchInst& choice, IRBuilder<>& at) {
  SmallVector<std::uint64_t, 16> numbers;
  for (const auto& label : choice.cases()) numbers.push_back(label.getCaseValue()->getZExtValue());
  Constant* table = ConstantDataArray::get(at.getContext(), numbers);
  auto* variable =
      new GlobalVariable(*at.GetInsertBlock()->getModule(), table->getType(), true, GlobalValue::PrivateLinkage, table, "treadle.cases");
  variable->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  return variable;
}

}  // namespace

void follow_branch(SymbolicFunction& function, BranchInst& branch) {
  if (!branch.isConditional() || branch.getSuccessor(0) == branch.getSuccessor(1) || !function.flow().is_symbolic(branch.getCondition()))
    return;
  // Found before blocks were split; a block that was keeps its head.
  const TreadleGuarded if_true = function.failures().beyond(*branch.getSuccessor(0));
  const TreadleGuarded if_false = function.failures().beyond(*branch.getSuccessor(1));
  Value* condition = branch.getCondition();
  Value* expression = function.expression_of(condition);
  function.if_expression(branch, expression, [&](IRBuilder<>& at) {
    Value* guarded = at.getInt32(TREADLE_GUARDS_NOTHING);
    // Only when one of the ways leads on is it a guard.
    if (if_true != if_false && (if_true == TREADLE_GUARDS_NOTHING || if_false == TREADLE_GUARDS_NOTHING))
      guarded = at.CreateSelect(condition, at.getInt32(if_false), at.getInt32(if_true));
    return call_hook(at, "__treadle_sym_branch", at.getVoidTy(), {expression, at.CreateZExt(condition, at.getInt32Ty()), guarded});
  });
}

void follow_switch(SymbolicFunction& function, SwitchInst& choice) {
  Value* condition = choice.getCondition();
  if (choice.getNumCases() == 0 || !function.flow().is_symbolic(condition)) return;
  Value* expression = function.expression_of(condition);
  function.if_expression(choice, expression, [&](IRBuilder<>& at) {
    return call_hook(at, "__treadle_sym_switch", at.getVoidTy(),
                     {expression, as_number(at, condition), at.getInt32(condition->getType()->getIntegerBitWidth()), cases_of(choice, at),
                      at.getInt32(choice.getNumCases())});
  });
}

}  // namespace treadle

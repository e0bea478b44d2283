// SPDX-License-Identifier: Apache-2.0
#include "pass/symbolic_function.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "pass/hooks.h"
#include "pass/sharing.h"
#include "pass/symbolic_branches.h"
#include "pass/symbolic_calls.h"
#include "pass/symbolic_memory.h"

namespace treadle {

using namespace llvm;

namespace {

// Static allocations must stay in the entry block, which is going to be split.
void gather_locals(Function& function) {
  BasicBlock& entry = function.getEntryBlock();
  auto top = entry.getFirstNonPHIOrDbgOrAlloca();
  for (Instruction& instruction : make_early_inc_range(make_range(top, entry.end())))
    if (auto* local = dyn_cast<AllocaInst>(&instruction); local != nullptr && isa<ConstantInt>(local->getArraySize()))
      local->moveBefore(&*top);
}

// The expression of an invoke's result is asked for on the way to where it returns normally, before any phi there wants it.
void separate_normal_returns(Function& function) {
  SmallVector<InvokeInst*, 8> invokes;
  for (Instruction& instruction : instructions(function))
    if (auto* invoke = dyn_cast<InvokeInst>(&instruction); invoke != nullptr && !invoke->getType()->isVoidTy()) invokes.push_back(invoke);
  for (InvokeInst* invoke : invokes) SplitEdge(invoke->getParent(), invoke->getNormalDest());
}

/// A test, and the block that is run when it holds. `before` stands behind both.
struct Detour {
  BasicBlock* head;
  Instruction* end;  // of the block: the place for what is made there

  Detour(Value* condition, Instruction& before) : head(before.getParent()) {
    MDNode* rarely = MDBuilder(before.getContext()).createBranchWeights(1, 2000);
    end = SplitBlockAndInsertIfThen(condition, before.getIterator(), /*Unreachable=*/false, rarely);
  }

  /// The expression where the ways meet again.
  Value* joined(Value* made) {
    if (made == nullptr) return nullptr;
    BasicBlock* rest = end->getParent()->getSingleSuccessor();
    PHINode* either = PHINode::Create(made->getType(), 2, "", rest->begin());
    either->addIncoming(Constant::getNullValue(made->getType()), head);
    either->addIncoming(made, end->getParent());
    return either;
  }
};

// Never changes while a function runs, so one look may serve for all of it.
Value* is_recording(IRBuilder<>& at) {
  Module& module = *at.GetInsertBlock()->getModule();
  LoadInst* flag = at.CreateLoad(at.getInt8Ty(), module.getOrInsertGlobal("__treadle_sym_recording", at.getInt8Ty()));
  flag->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(at.getContext(), {}));
  return at.CreateICmpNE(flag, at.getInt8(0));
}

TreadlePin reason_of(const Value* value, TreadlePin otherwise) {
  return value->getType()->isFPOrFPVectorTy() ? TREADLE_PIN_FLOAT : otherwise;
}

/// Of an instruction without a model.
TreadlePin reason_of(const Instruction& instruction) {
  if (instruction.getType()->isFPOrFPVectorTy()) return TREADLE_PIN_FLOAT;
  if (isa<IndirectBrInst>(instruction)) return TREADLE_PIN_ADDRESS;
  if (isa<AllocaInst>(instruction)) return TREADLE_PIN_SIZE;
  return isa<CastInst>(instruction) ? TREADLE_PIN_WIDE : TREADLE_PIN_OTHER;
}

}  // namespace

SymbolicFunction::SymbolicFunction(Function& function, const Failures& failures)
    : function_(function), failures_(failures), flow_((gather_locals(function), separate_normal_returns(function), function)) {
  Sharing sharing;
  for (Instruction& instruction : instructions(function)) {
    auto* call = dyn_cast<CallBase>(&instruction);
    if (call == nullptr) continue;
    auto is_pointer = [&](unsigned i) { return call->arg_size() > i && call->getArgOperand(i)->getType()->isPointerTy(); };
    if (isa<AnyMemIntrinsic, VAStartInst, VACopyInst>(call) || is_memory_function(*call))
      privacy_[call] = {is_pointer(1) && sharing.needs_no_read_hook(call->getArgOperand(1)),
                        is_pointer(0) && sharing.is_private(call->getArgOperand(0))};
    for (unsigned i = 0; i < call->arg_size(); ++i)
      if (call->isByValArgument(i) && sharing.needs_no_read_hook(call->getArgOperand(i))) private_copies_.insert({call, i});
  }
}

ExpressionsOfLeaves SymbolicFunction::expressions_of_leaves(Value* value) {
  if (auto known = expressions_.find(value); known != expressions_.end()) return known->second;
  return ExpressionsOfLeaves(leaves_of(value->getType(), layout()).size(), nullptr);
}

void SymbolicFunction::if_expression(Instruction& before, Value* expression, Make make) {
  if (expression == nullptr) return;
  Before test(before);
  Detour detour(test.CreateICmpNE(expression, test.getInt32(0)), before);
  Before at(*detour.end);
  at.SetCurrentDebugLocation(test.getCurrentDebugLocation());
  make(at);
}

ExpressionsOfLeaves SymbolicFunction::when_recording_several(Instruction& before, MakeSeveral make) {
  Before test(before);
  Detour detour(is_recording(test), before);
  Before at(*detour.end);
  at.SetCurrentDebugLocation(test.getCurrentDebugLocation());
  ExpressionsOfLeaves made = make(at);
  for (Value*& expression : made) expression = detour.joined(expression);
  return made;
}

Value* SymbolicFunction::when_recording(Instruction& before, Make make) {
  return when_recording_several(before, [&](IRBuilder<>& at) { return ExpressionsOfLeaves{make(at)}; }).front();
}

void SymbolicFunction::pin(Instruction& before, Value* value, TreadlePin reason) {
  if (!flow_.is_symbolic(value)) return;
  const auto leaves = leaves_of(value->getType(), layout());
  const auto expressions = expressions_of_leaves(value);
  for (unsigned i = 0; i < leaves.size(); ++i)
    if_expression(before, expressions[i], [&](IRBuilder<>& at) {
      return call_hook(at, "__treadle_sym_pin", at.getVoidTy(),
                       {expressions[i], as_number(at, value_of(at, value, leaves[i])), at.getInt32(bits_of(leaves[i].type, layout())),
                        at.getInt32(reason_of(value, reason))});
    });
}

void SymbolicFunction::pin_operands(Instruction& instruction, TreadlePin reason) {
  SmallSetVector<Value*, 4> operands(instruction.op_begin(), instruction.op_end());
  for (Value* operand : operands) pin(instruction, operand, reason);
}

void SymbolicFunction::check_address(Instruction& before, Value* pointer, Value* bytes) {
  if (!flow_.is_symbolic(pointer)) return;
  Value* expression = expression_of(pointer);
  if_expression(before, expression, [&](IRBuilder<>& at) {
    return call_hook(at, "__treadle_sym_address", at.getVoidTy(), {expression, pointer, at.CreateZExtOrTrunc(bytes, at.getInt64Ty())});
  });
}

/// Of what will be looked at, nobody knows how far.
void SymbolicFunction::check_beginning(Instruction& before, Value* pointer) {
  if (!flow_.is_symbolic(pointer)) return;
  Value* expression = expression_of(pointer);
  if_expression(before, expression,
                [&](IRBuilder<>& at) { return call_hook(at, "__treadle_sym_looked_at", at.getVoidTy(), {expression, pointer}); });
}

bool SymbolicFunction::is_all_moves() const {
  return all_of(group_, [&](const Instruction* operation) {
    return only_moves(*operation, [&](const Value* value) { return flow_.is_symbolic(value); });
  });
}

void SymbolicFunction::emit_group(Instruction& before) {
  if (group_.empty()) return;
  const bool needs_no_call = is_all_moves();
  const SmallVector<Instruction*, 8> group = std::exchange(group_, {});
  auto outside = [&](Value* value) { return expressions_of_leaves(value); };
  if (needs_no_call) {
    Before at(before);
    for (Instruction* operation : group) set(operation, expressions_of(at, *operation, outside));
    return;
  }

  SmallSetVector<Value*, 8> inputs;
  for (Instruction* operation : group)
    for (Value* operand : operation->operands())
      if (flow_.is_symbolic(operand))
        for (Value* expression : expressions_of_leaves(operand))
          if (expression != nullptr) inputs.insert(expression);
  if (inputs.empty()) return;
  Before test(before);
  Value* any = inputs.front();
  for (Value* input : ArrayRef(inputs.getArrayRef()).drop_front()) any = test.CreateOr(any, input);
  Detour detour(test.CreateICmpNE(any, test.getInt32(0)), before);

  DenseMap<Value*, ExpressionsOfLeaves> inside;
  auto look_up = [&](Value* value) {
    auto known = inside.find(value);
    return known != inside.end() ? known->second : expressions_of_leaves(value);
  };
  IRBuilder<> at(detour.end);
  for (Instruction* operation : group) {
    at.SetCurrentDebugLocation(Before(*operation).getCurrentDebugLocation());
    inside[operation] = expressions_of(at, *operation, look_up);
  }
  DenseMap<Value*, Value*> joined;
  for (Instruction* operation : group) {
    ExpressionsOfLeaves expressions = inside[operation];
    for (Value*& expression : expressions) {
      auto* made = dyn_cast_or_null<Instruction>(expression);
      if (made == nullptr || made->getParent() != detour.end->getParent()) continue;
      Value*& either = joined[made];
      if (either == nullptr) either = detour.joined(made);
      expression = either;
    }
    set(operation, std::move(expressions));
  }
}

void SymbolicFunction::follow_phi(PHINode& phi) {
  ExpressionsOfLeaves expressions;
  for (const Leaf& leaf : leaves_of(phi.getType(), layout())) {
    const bool has_one = has_expression(leaf.type, layout());
    Type* type = Type::getInt32Ty(phi.getContext());
    expressions.push_back(has_one ? PHINode::Create(type, phi.getNumIncomingValues(), "", phi.getParent()->begin()) : nullptr);
  }
  set(&phi, std::move(expressions));
  phis_.push_back(&phi);
}

void SymbolicFunction::complete_phis() {
  for (PHINode* phi : phis_) {
    const auto expressions = expressions_of_leaves(phi);
    for (unsigned leaf = 0; leaf < expressions.size(); ++leaf) {
      auto* expression = cast_or_null<PHINode>(expressions[leaf]);
      if (expression == nullptr) continue;
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
        Value* incoming = expressions_of_leaves(phi->getIncomingValue(i))[leaf];
        expression->addIncoming(incoming != nullptr ? incoming : Constant::getNullValue(expression->getType()), phi->getIncomingBlock(i));
      }
    }
  }
}

// Not by 0, and the lowest number not by -1: the processor faults at both.
void SymbolicFunction::follow_division(Instruction& division) {
  Value *dividend = division.getOperand(0), *divisor = division.getOperand(1);
  const bool is_signed = division.getOpcode() == Instruction::SDiv || division.getOpcode() == Instruction::SRem;
  if (!flow_.is_symbolic(divisor) && !(is_signed && flow_.is_symbolic(dividend) && !isa<Constant>(divisor))) return;
  emit_group(division);
  Value* expression = expression_of(divisor);
  if_expression(division, expression, [&](IRBuilder<>& at) {
    return call_hook(at, "__treadle_sym_divisor", at.getVoidTy(),
                     {expression, as_number(at, divisor), at.getInt32(bits_of(divisor->getType(), layout()))});
  });
  if (!is_signed || isa<Constant>(divisor)) return;
  when_recording(division, [&](IRBuilder<>& at) -> Value* {
    auto known = [&](Value* value) { return expression_of(value) != nullptr ? expression_of(value) : at.getInt32(0); };
    return call_hook(at, "__treadle_sym_quotient", at.getVoidTy(),
                     {known(dividend), as_number(at, dividend), known(divisor), as_number(at, divisor),
                      at.getInt32(bits_of(divisor->getType(), layout()))}),
           nullptr;
  });
}

void SymbolicFunction::follow(Instruction& instruction) {
  if (auto* phi = dyn_cast<PHINode>(&instruction)) {
    if (flow_.is_symbolic(phi)) follow_phi(*phi);
    return;
  }
  if (is_operation(instruction)) {
    if (is_division(instruction)) follow_division(instruction);
    if (flow_.is_symbolic(&instruction)) group_.push_back(&instruction);
    return;
  }
  if (ignores_expressions(instruction)) return;
  if (flow_.has_symbolic_operand(instruction) || instruction.isTerminator()) emit_group(instruction);
  if (auto* load = dyn_cast<LoadInst>(&instruction)) return follow_load(*this, *load);
  if (auto* store = dyn_cast<StoreInst>(&instruction)) return follow_store(*this, *store);
  if (isa<AtomicRMWInst, AtomicCmpXchgInst>(instruction)) return follow_native_atomic(*this, instruction);
  if (auto* call = dyn_cast<CallBase>(&instruction)) return follow_call(*this, *call);
  if (auto* branch = dyn_cast<BranchInst>(&instruction)) return follow_branch(*this, *branch);
  if (auto* choice = dyn_cast<SwitchInst>(&instruction)) return follow_switch(*this, *choice);
  if (auto* leave = dyn_cast<ReturnInst>(&instruction)) return follow_return(*this, *leave);
  pin_operands(instruction, reason_of(instruction));
}

void SymbolicFunction::rewrite() {
  SmallVector<Instruction*, 64> all;
  ReversePostOrderTraversal<Function*> blocks(&function_);
  for (BasicBlock* block : blocks)
    for (Instruction& instruction : *block) all.push_back(&instruction);
  follow_entry(*this);
  for (Instruction* instruction : all) follow(*instruction);
  complete_phis();
}

}  // namespace treadle

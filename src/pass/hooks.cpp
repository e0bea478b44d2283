// SPDX-License-Identifier: Apache-2.0
#include "pass/hooks.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>

namespace treadle {

using namespace llvm;

namespace {

// The C ABI passes small integers extended to 32 bits, and clang relies on it on both sides.
bool is_extended(Type* type) { return type->isIntegerTy() && type->getIntegerBitWidth() < 32; }

FunctionCallee declare(Module& module, StringRef name, FunctionType* type) {
  FunctionCallee hook = module.getOrInsertFunction(name, type);
  if (auto* function = dyn_cast<Function>(hook.getCallee())) function->setDoesNotThrow();
  return hook;
}

// Instructions that SROA or the inliner made may have lost their position; the one before is the best guess.
DebugLoc position_of(const Instruction& instruction) {
  DISubprogram* function = instruction.getFunction()->getSubprogram();
  if (instruction.getDebugLoc() || function == nullptr) return instruction.getDebugLoc();
  for (const Instruction* other = instruction.getPrevNode(); other != nullptr; other = other->getPrevNode())
    if (other->getDebugLoc()) return other->getDebugLoc();
  for (const Instruction* other = instruction.getNextNode(); other != nullptr; other = other->getNextNode())
    if (other->getDebugLoc()) return other->getDebugLoc();
  return DILocation::get(instruction.getContext(), function->getScopeLine(), 0, function);
}

}  // namespace

CallInst* call_hook(IRBuilder<>& at, StringRef name, Type* result, ArrayRef<Value*> arguments) {
  SmallVector<Type*, 5> types;
  for (Value* argument : arguments) types.push_back(argument->getType());
  CallInst* call = at.CreateCall(declare(*at.GetInsertBlock()->getModule(), name, FunctionType::get(result, types, false)), arguments);
  call->setTailCallKind(CallInst::TCK_NoTail);
  call->setDoesNotThrow();
  call->setCannotMerge();  // the return address says which access it was
  for (unsigned i = 0; i < arguments.size(); ++i)
    if (is_extended(types[i])) call->addParamAttr(i, Attribute::ZExt);
  if (is_extended(result)) call->addRetAttr(Attribute::ZExt);
  return call;
}

void announce_read(IRBuilder<>& at, Value* pointer, Value* bytes) {
  call_hook(at, "__treadle_range_read", at.getVoidTy(), {pointer, at.CreateZExtOrTrunc(bytes, at.getInt64Ty())});
}

void announce_write(IRBuilder<>& at, Value* pointer, Value* bytes) {
  call_hook(at, "__treadle_range_write", at.getVoidTy(), {pointer, at.CreateZExtOrTrunc(bytes, at.getInt64Ty())});
}

void announce_fence(IRBuilder<>& at, AtomicOrdering order) {
  call_hook(at, "__treadle_fence", at.getVoidTy(), {at.getInt32(order_number(order))});
}

int order_number(AtomicOrdering order) {
  switch (order) {
    case AtomicOrdering::NotAtomic:
    case AtomicOrdering::Unordered:
    case AtomicOrdering::Monotonic:
      return 0;
    case AtomicOrdering::Acquire:
      return 2;
    case AtomicOrdering::Release:
      return 3;
    case AtomicOrdering::AcquireRelease:
      return 4;
    case AtomicOrdering::SequentiallyConsistent:
      return 5;
  }
  llvm_unreachable("all orders are listed");
}

bool is_hook(const Function& function) { return function.getName().starts_with("__treadle_"); }

Before::Before(Instruction& instruction) : IRBuilder<>(&instruction) { SetCurrentDebugLocation(position_of(instruction)); }

void mark_announced(Instruction& native) { native.setMetadata(announced_mark, MDNode::get(native.getContext(), {})); }

bool is_announced(const Instruction& native) { return native.getMetadata(announced_mark) != nullptr; }

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
#include "pass/short_way.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "abi/hooks.h"
#include "abi/shared_block.h"
#include "abi/short_way.h"
#include "pass/instrument.h"

namespace treadle {

using namespace llvm;

namespace {

/// A call of a hook that has a short way.
struct PlainAccess {
  CallInst* call;
  unsigned bytes;
  bool writes;
};

constexpr struct {
  const char* name;
  unsigned bytes;
  bool writes;
} hooks_with_short_way[] = {
#define X(n, t) {"__treadle_load" #n, n, false}, {"__treadle_store" #n, n, true},
    TREADLE_WIDTHS(X)
#undef X
};

SmallVector<PlainAccess, 64> plain_accesses(Module& module) {
  SmallVector<PlainAccess, 64> found;
  for (const auto& hook : hooks_with_short_way) {
    const Function* function = module.getFunction(hook.name);
    if (function == nullptr) continue;
    for (const User* user : function->users())
      if (auto* call = dyn_cast<CallInst>(const_cast<User*>(user)); call != nullptr && call->getCalledFunction() == function)
        found.push_back({call, hook.bytes, hook.writes});
  }
  return found;
}

Value* running(IRBuilder<>& at) {
  Module& module = *at.GetInsertBlock()->getModule();
  return module.getOrInsertGlobal("__treadle_running", StructType::get(at.getInt64Ty(), at.getInt64Ty()));
}

/// Zero for an access that the shadow word says was made before, by the same thread at the same time.
Value* difference(IRBuilder<>& at, const PlainAccess& access, Value* address, Value* whole_granule) {
  constexpr std::uint64_t granules = (1ull << TREADLE_SHADOWED_BITS) - TREADLE_GRANULE;
  Value* cell = at.CreateMul(at.CreateAnd(address, granules), at.getInt64(TREADLE_CELL_SCALE));
  const std::uint64_t word_at = TREADLE_AT_SHADOW + (access.writes ? TREADLE_CELL_WRITE : TREADLE_CELL_READ);
  Value* word = at.CreateLoad(at.getInt64Ty(), at.CreateIntToPtr(at.CreateAdd(cell, at.getInt64(word_at)), at.getPtrTy()));
  Value* differs = at.CreateLShr(at.CreateXor(word, whole_granule), TREADLE_WORD_BYTES_AT);
  if (access.bytes == TREADLE_GRANULE) return differs;
  constexpr std::uint64_t all_bytes = (1u << TREADLE_GRANULE) - 1;
  Value* bytes = at.CreateShl(at.getInt64((1u << access.bytes) - 1), at.CreateAnd(address, TREADLE_GRANULE - 1));
  return at.CreateAnd(differs, at.CreateOr(bytes, at.getInt64(~all_bytes)));
}

// Floats and pointers travel through hooks as integers; where there is no hook, that would be a detour.
bool is_for_the_hook_only(const Value* value) { return isa<BitCastInst, PtrToIntInst>(value) && value->hasOneUse(); }

void make_store(IRBuilder<>& at, CallInst& call) {
  Value* value = call.getArgOperand(1);
  if (is_for_the_hook_only(value)) {
    auto* conversion = cast<CastInst>(value);
    conversion->moveBefore(&call);
    value = conversion->getOperand(0);
  }
  at.CreateAlignedStore(value, call.getArgOperand(0), Align(1));
}

void make_load(IRBuilder<>& at, CallInst& call, BasicBlock& rest) {
  Instruction* hooked = &call;
  if (call.hasOneUse() && isa<BitCastInst, IntToPtrInst>(call.user_back())) {
    hooked = call.user_back();
    hooked->moveAfter(&call);
  }
  Value* value = at.CreateAlignedLoad(hooked->getType(), call.getArgOperand(0), Align(1));
  PHINode* either = PHINode::Create(hooked->getType(), 2, "", rest.begin());
  hooked->replaceAllUsesWith(either);
  either->addIncoming(value, at.GetInsertBlock());
  either->addIncoming(hooked, call.getParent());
}

/// In the block `yes`, which is made for it; nothing but the access itself.
void make_access(const PlainAccess& access, BasicBlock& yes, CallInst& call) {
  IRBuilder<> at(yes.getTerminator());
  at.SetCurrentDebugLocation(call.getDebugLoc());
  at.CreateStore(at.getInt8(1), at.CreateConstInBoundsGEP1_64(at.getInt8Ty(), running(at), offsetof(TreadleRunning, touched)));
  if (access.writes)
    make_store(at, call);
  else
    make_load(at, call, *yes.getSingleSuccessor());
}

void put_short_way_before(const PlainAccess& access) {
  CallInst& call = *access.call;
  IRBuilder<> at(&call);
  MDNode* rarely = MDBuilder(call.getContext()).createBranchWeights(1, 2000);
  Value* address = at.CreatePtrToInt(call.getArgOperand(0), at.getInt64Ty());
  Value* whole_granule = at.CreateLoad(at.getInt64Ty(), running(at));
  Value* cannot = at.CreateICmpEQ(whole_granule, at.getInt64(0));
  // Each test in a block of its own: shadow memory is there only when the first one says so.
  BasicBlock* asks = call.getParent();
  BasicBlock* looks = SplitBlock(asks, &call);
  BasicBlock* hook = SplitBlock(looks, &call);
  BasicBlock* rest = SplitBlock(hook, call.getNextNode());
  asks->getTerminator()->eraseFromParent();
  BranchInst::Create(hook, looks, cannot, asks)->setMetadata(LLVMContext::MD_prof, rarely);

  at.SetInsertPoint(looks->getTerminator());
  Value* differs = difference(at, access, address, whole_granule);
  if (access.bytes > 1) differs = at.CreateOr(differs, at.CreateAnd(address, access.bytes - 1));
  Value* is_new = at.CreateICmpNE(differs, at.getInt64(0));
  BasicBlock* yes = BasicBlock::Create(call.getContext(), "", call.getFunction(), hook);
  BranchInst::Create(rest, yes);
  looks->getTerminator()->eraseFromParent();
  BranchInst::Create(hook, yes, is_new, looks)->setMetadata(LLVMContext::MD_prof, rarely);
  make_access(access, *yes, call);
}

}  // namespace

PreservedAnalyses ShortWay::run(Module& module, ModuleAnalysisManager&) {
  const auto accesses = plain_accesses(module);
  for (const PlainAccess& access : accesses) put_short_way_before(access);
  if (accesses.empty()) return PreservedAnalyses::all();
  verify(module);
  return PreservedAnalyses::none();
}

}  // namespace treadle

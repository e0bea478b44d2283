// SPDX-License-Identifier: Apache-2.0
#include "pass/ranges.h"

#include "pass/accesses.h"
#include "pass/hooks.h"

namespace treadle {

using namespace llvm;

namespace {

// Copies come in three ways. One of the size of a register is one load and one store to every compiler, and is made as such, through the
// hooks. One from shared to shared memory takes two steps, and what other threads do in between must find it half done: a small one goes
// through a local, so that reading happens in the first step and writing in the second. A large one happens as a whole in the second.
constexpr std::uint64_t largest_small_copy = 256;

bool is_copy_of_at_most(const AnyMemIntrinsic& call, std::uint64_t bytes) {
  const auto* transfer = dyn_cast<MemTransferInst>(&call);
  const auto* length = dyn_cast<ConstantInt>(call.getLength());
  return transfer != nullptr && !transfer->isVolatile() && length != nullptr && length->getValue().ule(bytes);
}

bool is_register_copy(const AnyMemIntrinsic& call) {
  return is_copy_of_at_most(call, 8) && cast<ConstantInt>(call.getLength())->getValue().isPowerOf2();
}

void make_register_copy(MemTransferInst& call, bool reads_shared, bool writes_shared) {
  Before at(call);
  auto* type = at.getIntNTy(8 * cast<ConstantInt>(call.getLength())->getZExtValue());
  LoadInst* load = at.CreateAlignedLoad(type, call.getRawSource(), call.getSourceAlign().valueOrOne());
  StoreInst* store = at.CreateAlignedStore(load, call.getRawDest(), call.getDestAlign().valueOrOne());
  call.eraseFromParent();
  if (writes_shared) hook_store(*store);
  if (reads_shared) hook_load(*load);
}

void make_copy_in_two_steps(MemTransferInst& call) {
  auto* bytes = cast<ConstantInt>(call.getLength());
  BasicBlock& entry = call.getFunction()->getEntryBlock();
  IRBuilder<> top(&entry, entry.getFirstInsertionPt());
  AllocaInst* local = top.CreateAlloca(ArrayType::get(top.getInt8Ty(), bytes->getZExtValue()));
  local->setAlignment(Align(16));

  Before at(call);
  at.CreateLifetimeStart(local);
  announce_read(at, call.getRawSource(), bytes);
  // It carries nothing from one iteration of a loop to the next.
  mark_announced(*at.CreateMemCpy(local, local->getAlign(), call.getRawSource(), call.getSourceAlign(), bytes));
  announce_write(at, call.getRawDest(), bytes);
  mark_announced(*at.CreateMemCpy(call.getRawDest(), call.getDestAlign(), local, local->getAlign(), bytes));
  at.CreateLifetimeEnd(local);
  call.eraseFromParent();
}

}  // namespace

void hook_memory_intrinsic(AnyMemIntrinsic& call, Sharing& sharing) {
  auto* transfer = dyn_cast<AnyMemTransferInst>(&call);
  bool reads_shared = transfer != nullptr && transfer->getSourceAddressSpace() == 0 && !sharing.needs_no_read_hook(transfer->getSource());
  bool writes_shared = call.getDestAddressSpace() == 0 && !sharing.is_private(call.getDest());
  if (!reads_shared && !writes_shared) return;
  if (is_register_copy(call)) return make_register_copy(cast<MemTransferInst>(call), reads_shared, writes_shared);
  if (reads_shared && writes_shared && is_copy_of_at_most(call, largest_small_copy))
    return make_copy_in_two_steps(cast<MemTransferInst>(call));
  Before at(call);
  if (reads_shared) announce_read(at, transfer->getRawSource(), call.getLength());
  if (!writes_shared) return;
  announce_write(at, call.getRawDest(), call.getLength());
  mark_announced(call);
}

bool is_masked_access(const IntrinsicInst& call) {
  return call.getIntrinsicID() == Intrinsic::masked_load || call.getIntrinsicID() == Intrinsic::masked_store;
}

// All lanes count, also those masked off: an access too many, never one too few.
void hook_masked_access(IntrinsicInst& call, Sharing& sharing) {
  bool writes = call.getIntrinsicID() == Intrinsic::masked_store;
  Value* pointer = call.getArgOperand(writes ? 1 : 0);
  if (sharing.is_private(pointer)) return;
  Before at(call);
  Type* type = writes ? call.getArgOperand(0)->getType() : call.getType();
  Value* bytes = at.getInt64(call.getDataLayout().getTypeStoreSize(type).getFixedValue());
  writes ? announce_write(at, pointer, bytes) : announce_read(at, pointer, bytes);
  mark_announced(call);
}

// The caller copies the argument natively while it makes the call.
void hook_by_value_arguments(CallBase& call, Sharing& sharing) {
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    if (!call.isByValArgument(i) || sharing.needs_no_read_hook(call.getArgOperand(i))) continue;
    Before at(call);
    std::uint64_t bytes = call.getDataLayout().getTypeStoreSize(call.getParamByValType(i)).getFixedValue();
    announce_read(at, call.getArgOperand(i), at.getInt64(bytes));
  }
}

}  // namespace treadle

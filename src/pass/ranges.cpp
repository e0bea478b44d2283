// SPDX-License-Identifier: Apache-2.0
#include "pass/ranges.h"

#include "pass/accesses.h"
#include "pass/hooks.h"

namespace treadle {

using namespace llvm;

namespace {

// A copy of the size of a register is one load and one store to every compiler: made as such, its value goes through the hooks and no
// other thread can come between the announcement and the access. Larger copies are announced and then made natively.
bool is_register_copy(const AnyMemIntrinsic& call) {
  const auto* length = dyn_cast<ConstantInt>(call.getLength());
  return isa<MemTransferInst>(call) && !cast<MemTransferInst>(call).isVolatile() && length != nullptr && length->getValue().ule(8) &&
         length->getValue().isPowerOf2();
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

}  // namespace

void hook_memory_intrinsic(AnyMemIntrinsic& call, Sharing& sharing) {
  auto* transfer = dyn_cast<AnyMemTransferInst>(&call);
  bool reads_shared = transfer != nullptr && transfer->getSourceAddressSpace() == 0 && !sharing.needs_no_read_hook(transfer->getSource());
  bool writes_shared = call.getDestAddressSpace() == 0 && !sharing.is_private(call.getDest());
  if (!reads_shared && !writes_shared) return;
  if (is_register_copy(call)) return make_register_copy(cast<MemTransferInst>(call), reads_shared, writes_shared);
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

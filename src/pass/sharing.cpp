// SPDX-License-Identifier: Apache-2.0
#include "pass/sharing.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

namespace treadle {

using namespace llvm;

namespace {

constexpr unsigned no_lookup_limit = 0;

bool points_only_to(const Value* pointer, const Value* object) {
  SmallVector<const Value*, 4> objects;
  getUnderlyingObjects(pointer, objects, nullptr, no_lookup_limit);
  return all_of(objects, [&](const Value* other) { return other == object; });
}

enum class Use_ { Harmless, Derives, Leaves };

Use_ judge_intrinsic(const IntrinsicInst& call) {
  if (isa<AnyMemIntrinsic>(call) || call.isDroppable() || call.isLifetimeStartOrEnd()) return Use_::Harmless;
  switch (call.getIntrinsicID()) {
    case Intrinsic::invariant_start:
    case Intrinsic::invariant_end:
    case Intrinsic::objectsize:
    case Intrinsic::vastart:
    case Intrinsic::vaend:
    case Intrinsic::vacopy:
      return Use_::Harmless;
    case Intrinsic::launder_invariant_group:
    case Intrinsic::strip_invariant_group:
    case Intrinsic::threadlocal_address:
    case Intrinsic::ptrmask:
      return Use_::Derives;
    default:
      return Use_::Leaves;
  }
}

/// What becomes of the address of `object` in `use`.
Use_ judge(const Use& use, const Value* object) {
  const User* user = use.getUser();
  if (isa<LoadInst>(user) || isa<ICmpInst>(user)) return Use_::Harmless;
  if (isa<StoreInst>(user)) return use.getOperandNo() == StoreInst::getPointerOperandIndex() ? Use_::Harmless : Use_::Leaves;
  if (isa<AtomicRMWInst>(user) || isa<AtomicCmpXchgInst>(user)) return use.getOperandNo() == 0 ? Use_::Harmless : Use_::Leaves;
  if (isa<GEPOperator>(user) || isa<BitCastOperator>(user)) return Use_::Derives;
  // A pointer to this object or to another one: its accesses are hooked, so those of this object must be too.
  if (isa<PHINode>(user) || isa<SelectInst>(user)) return points_only_to(user, object) ? Use_::Derives : Use_::Leaves;
  if (const auto* intrinsic = dyn_cast<IntrinsicInst>(user)) return judge_intrinsic(*intrinsic);
  if (const auto* call = dyn_cast<CallBase>(user))
    return call->isArgOperand(&use) && call->isByValArgument(call->getArgOperandNo(&use)) ? Use_::Harmless : Use_::Leaves;
  return Use_::Leaves;
}

bool address_stays(const Value* object, const Value* identity) {
  SmallVector<const Value*, 8> pending{object};
  SmallPtrSet<const Value*, 16> seen;
  while (!pending.empty()) {
    const Value* pointer = pending.pop_back_val();
    if (!seen.insert(pointer).second) continue;
    for (const Use& use : pointer->uses()) {
      Use_ verdict = judge(use, identity);
      if (verdict == Use_::Leaves) return false;
      if (verdict == Use_::Derives) pending.push_back(use.getUser());
    }
  }
  return true;
}

// Several calls take the address of one variable; each is the object behind the pointers derived from it.
bool thread_local_stays(const GlobalVariable& variable) {
  if (!variable.hasLocalLinkage()) return false;
  return all_of(variable.uses(), [](const Use& use) {
    const auto* call = dyn_cast<IntrinsicInst>(use.getUser());
    return call != nullptr && call->getIntrinsicID() == Intrinsic::threadlocal_address && address_stays(call, call);
  });
}

bool is_errno(const Value* object) {
  const auto* call = dyn_cast<CallBase>(object);
  const Function* callee = call != nullptr ? call->getCalledFunction() : nullptr;
  return callee != nullptr && callee->getName() == "__errno_location";
}

// A slot of a vtable: the table itself never changes, only the pointer to it does.
bool is_vtable_slot(const Value* object) {
  const auto* table = dyn_cast<LoadInst>(object);
  const MDNode* tag = table != nullptr ? table->getMetadata(LLVMContext::MD_tbaa) : nullptr;
  return tag != nullptr && tag->isTBAAVtableAccess();
}

}  // namespace

const GlobalVariable* thread_local_behind(const Value* object) {
  const auto* call = dyn_cast<IntrinsicInst>(object);
  if (call == nullptr || call->getIntrinsicID() != Intrinsic::threadlocal_address) return nullptr;
  return dyn_cast<GlobalVariable>(call->getArgOperand(0));
}

bool Sharing::is_private_object(const Value* object) {
  const GlobalVariable* variable = thread_local_behind(object);
  const Value* key = variable != nullptr ? variable : object;
  auto [place, is_new] = known_.try_emplace(key, false);
  if (!is_new) return place->second;
  bool is_private = false;
  if (variable != nullptr)
    is_private = thread_local_stays(*variable);
  else if (const auto* argument = dyn_cast<Argument>(object))
    is_private = argument->hasByValAttr() && address_stays(object, object);
  else if (isa<AllocaInst>(object))
    is_private = address_stays(object, object);
  else
    is_private = is_errno(object);
  return known_[key] = is_private;
}

bool Sharing::is_private(const Value* pointer) {
  SmallVector<const Value*, 4> objects;
  getUnderlyingObjects(pointer, objects, nullptr, no_lookup_limit);
  return all_of(objects, [&](const Value* object) { return is_private_object(object); });
}

bool Sharing::is_constant(const Value* pointer) {
  const Value* object = getUnderlyingObject(pointer, no_lookup_limit);
  if (const auto* variable = dyn_cast<GlobalVariable>(object)) return variable->isConstant();
  return isa<Function>(object) || is_vtable_slot(object);
}

}  // namespace treadle

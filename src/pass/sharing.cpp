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

enum class Fate { Harmless, Derives, Leaves };

Fate judge_intrinsic(const IntrinsicInst& call) {
  if (isa<AnyMemIntrinsic>(call) || call.isDroppable() || call.isLifetimeStartOrEnd()) return Fate::Harmless;
  switch (call.getIntrinsicID()) {
    case Intrinsic::invariant_start:
    case Intrinsic::invariant_end:
    case Intrinsic::objectsize:
    case Intrinsic::vastart:
    case Intrinsic::vaend:
    case Intrinsic::vacopy:
      return Fate::Harmless;
    case Intrinsic::launder_invariant_group:
    case Intrinsic::strip_invariant_group:
    case Intrinsic::threadlocal_address:
    case Intrinsic::ptrmask:
      return Fate::Derives;
    default:
      return Fate::Leaves;
  }
}

/// What becomes of the address of `object` in `use`.
Fate judge(const Use& use, const Value* object) {
  const User* user = use.getUser();
  if (isa<LoadInst>(user) || isa<ICmpInst>(user)) return Fate::Harmless;
  if (isa<StoreInst>(user)) return use.getOperandNo() == StoreInst::getPointerOperandIndex() ? Fate::Harmless : Fate::Leaves;
  if (isa<AtomicRMWInst>(user) || isa<AtomicCmpXchgInst>(user)) return use.getOperandNo() == 0 ? Fate::Harmless : Fate::Leaves;
  if (isa<GEPOperator>(user) || isa<BitCastOperator>(user)) return Fate::Derives;
  // A pointer to this object or to another one: its accesses are hooked, so those of this object must be too.
  if (isa<PHINode>(user) || isa<SelectInst>(user)) return points_only_to(user, object) ? Fate::Derives : Fate::Leaves;
  if (const auto* intrinsic = dyn_cast<IntrinsicInst>(user)) return judge_intrinsic(*intrinsic);
  if (const auto* call = dyn_cast<CallBase>(user))
    return call->isArgOperand(&use) && call->isByValArgument(call->getArgOperandNo(&use)) ? Fate::Harmless : Fate::Leaves;
  return Fate::Leaves;
}

bool address_stays(const Value* object) {
  SmallVector<const Value*, 8> pending{object};
  SmallPtrSet<const Value*, 16> seen;
  while (!pending.empty()) {
    const Value* pointer = pending.pop_back_val();
    if (!seen.insert(pointer).second) continue;
    for (const Use& use : pointer->uses()) {
      Fate verdict = judge(use, object);
      if (verdict == Fate::Leaves) return false;
      if (verdict == Fate::Derives) pending.push_back(use.getUser());
    }
  }
  return true;
}

// Other files may do anything with a variable they can name.
bool is_own_thread_local(const Value* object) {
  const auto* variable = dyn_cast<GlobalVariable>(object);
  return variable != nullptr && variable->isThreadLocal() && variable->hasLocalLinkage();
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

bool is_argument_list(const Value* list) {
  return any_of(list->users(), [](const User* user) {
    if (isa<GEPOperator>(user)) return is_argument_list(user);
    const auto* call = dyn_cast<IntrinsicInst>(user);
    return call != nullptr && (call->getIntrinsicID() == Intrinsic::vastart || call->getIntrinsicID() == Intrinsic::vacopy);
  });
}

// An argument of a variadic function, which its caller left on the stack: found through its own va_list.
bool is_variadic_argument(const Value* object) {
  const auto* load = dyn_cast<LoadInst>(object);
  if (load == nullptr || !load->getFunction()->isVarArg()) return false;
  const Value* list = getUnderlyingObject(load->getPointerOperand(), no_lookup_limit);
  return isa<AllocaInst>(list) && is_argument_list(list) && address_stays(list);
}

}  // namespace

bool Sharing::is_private_object(const Value* object) {
  auto [place, is_new] = known_.try_emplace(object, false);
  if (!is_new) return place->second;
  const auto* argument = dyn_cast<Argument>(object);
  bool is_candidate = isa<AllocaInst>(object) || (argument != nullptr && argument->hasByValAttr()) || is_own_thread_local(object);
  return known_[object] = is_errno(object) || is_variadic_argument(object) || (is_candidate && address_stays(object));
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

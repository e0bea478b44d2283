// SPDX-License-Identifier: Apache-2.0
#include "pass/library_races.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

namespace treadle {

using namespace llvm;

namespace {

constexpr unsigned kRelaxed = 0, kRelease = 3;

// The facet of all streams remembers how it translated a character; whoever finds nothing translates it again, and stores the same. Used by
// std::regex, among others.
bool remembers_characters(StringRef name) {
  return name.starts_with("_ZNKSt5ctypeIcE6narrow") || name.starts_with("_ZNKSt5ctypeIcE5widen");
}

// The lock inside std::atomic<std::shared_ptr> is let go with relaxed order after a load; GCC 13 says release.
bool lets_go(StringRef name) { return name.contains("_Sp_atomicI") && name.contains("13_Atomic_count6unlockE"); }
bool lets_go_to_wait(StringRef name) { return name.contains("_Sp_atomicI") && name.contains("13_Atomic_count14_M_wait_unlockE"); }

void release_at_least(Function& unlock) {
  Argument& order = *unlock.getArg(unlock.arg_size() - 1);
  if (!order.getType()->isIntegerTy(32)) return;
  IRBuilder<> builder(&*unlock.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  Value* is_relaxed = builder.CreateICmpEQ(&order, builder.getInt32(kRelaxed));
  Value* mended = builder.CreateSelect(is_relaxed, builder.getInt32(kRelease), &order);
  order.replaceUsesWithIf(mended, [&](const Use& use) { return use.getUser() != is_relaxed && use.getUser() != mended; });
}

void release_before_waiting(Function& wait) {
  for (Instruction& instruction : instructions(wait)) {
    auto* call = dyn_cast<CallBase>(&instruction);
    if (call == nullptr || call->getCalledFunction() == nullptr || !call->getCalledFunction()->getName().contains("fetch_sub")) continue;
    auto* order = dyn_cast<ConstantInt>(call->getArgOperand(call->arg_size() - 1));
    if (order != nullptr && order->equalsInt(kRelaxed))
      call->setArgOperand(call->arg_size() - 1, ConstantInt::get(order->getType(), kRelease));
  }
}

}  // namespace

void mend_library_races(Module& module) {
  for (Function& function : module) {
    if (function.isDeclaration()) continue;
    const StringRef name = function.getName();
    if (remembers_characters(name)) function.addFnAttr(Attribute::DisableSanitizerInstrumentation);
    if (lets_go(name)) release_at_least(function);
    if (lets_go_to_wait(name)) release_before_waiting(function);
  }
}

}  // namespace treadle

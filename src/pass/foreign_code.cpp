// SPDX-License-Identifier: Apache-2.0
#include "pass/foreign_code.h"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "pass/futex_calls.h"
#include "pass/hooks.h"
#include "pass/prepare.h"

namespace treadle {

using namespace llvm;

namespace {

// Behind new and delete stands our own malloc.
bool touches_nothing(StringRef name) {
  return name == "__errno_location" || name.starts_with("_Znw") || name.starts_with("_Zna") || name.starts_with("_Zdl") ||
         name.starts_with("_Zda");
}

// Functions of the runtime itself that read or write what they are handed outside of a visible operation.
bool touches_memory_at_once(StringRef name) {
  return StringSwitch<bool>(name)
      .Cases("clock_gettime", "clock_getres", "gettimeofday", "time", "timespec_get", "times", "getrusage", true)
      .Cases("nanosleep", "clock_nanosleep", "thrd_sleep", "getrandom", "getentropy", "arc4random_buf", true)
      .Cases("pthread_rwlock_init", "pthread_barrier_init", "pthread_spin_init", "sem_init", "mtx_init", "cnd_init", true)
      .Cases("sigaction", "sigprocmask", "pthread_sigmask", "pthread_getname_np", "pthread_setname_np", "setstate", "initstate", true)
      .Cases("erand48", "nrand48", "jrand48", "seed48", "lcong48", "posix_memalign", "syscall", true)
      .Default(false);
}

void forget(IRBuilder<>& at, AllocaInst& local) {
  TypeSize bytes = *local.getAllocationSize(local.getDataLayout());
  call_hook(at, "__treadle_forget", at.getVoidTy(), {&local, at.getInt64(bytes.getFixedValue())});
}

void wait_for_stores(IRBuilder<>& at) { call_hook(at, "__treadle_call", at.getVoidTy(), {ConstantPointerNull::get(at.getPtrTy())}); }

bool has_known_size(const AllocaInst& local) {
  return local.isStaticAlloca() && local.getAllocationSize(local.getDataLayout()).has_value();
}

SmallVector<Instruction*, 4> ends_of_life(const AllocaInst& local) {
  SmallVector<Instruction*, 4> ends;
  for (const User* user : local.users())
    if (const auto* call = dyn_cast<IntrinsicInst>(user); call != nullptr && call->getIntrinsicID() == Intrinsic::lifetime_end)
      ends.push_back(const_cast<IntrinsicInst*>(call));
  return ends;
}

bool leaves(const BasicBlock& block) {
  return isa<ReturnInst, ResumeInst>(block.getTerminator()) && block.getTerminatingMustTailCall() == nullptr;
}

}  // namespace

bool may_call_foreign_code(const CallBase& call) {
  if (isa<IntrinsicInst>(call) || call.isInlineAsm() || call.doesNotAccessMemory() || call.onlyAccessesInaccessibleMemory()) return false;
  const auto* callee = dyn_cast<Function>(call.getCalledOperand());
  // A body that is there for inlining only is not the one that is called when it is not inlined.
  return callee == nullptr ||
         (callee->isDeclarationForLinker() && !is_hook(*callee) && !callee->isIntrinsic() && !touches_nothing(callee->getName()));
}

void hook_foreign_call(CallBase& call) {
  Before at(call);
  Value* callee = call.getCalledOperand();
  if (callee->getType()->getPointerAddressSpace() != 0) return;
  if (is_plain_futex_call(call)) return;
  if (touches_memory_at_once(callee->getName())) return wait_for_stores(at);
  call_hook(at, "__treadle_call", at.getVoidTy(), {callee});
}

SmallVector<AllocaInst*, 8> shared_locals(Function& function, Sharing& sharing) {
  SmallVector<AllocaInst*, 8> locals;
  for (Instruction& instruction : instructions(function))
    if (auto* local = dyn_cast<AllocaInst>(&instruction); local != nullptr && !sharing.is_private(local)) locals.push_back(local);
  return locals;
}

void hook_leaving(Function& function, ArrayRef<AllocaInst*> locals) {
  SmallVector<AllocaInst*, 8> until_return;
  bool has_dynamic = false;
  for (AllocaInst* local : locals) {
    if (!has_known_size(*local)) {
      has_dynamic = true;
      continue;
    }
    const auto ends = ends_of_life(*local);
    for (Instruction* end : ends) {
      Before at(*end);
      forget(at, *local);
    }
    if (ends.empty()) until_return.push_back(local);
  }
  const bool may_be_called_back = function.hasAddressTaken();
  for (BasicBlock& block : function) {
    if (!leaves(block)) continue;
    Before at(*block.getTerminator());
    for (AllocaInst* local : until_return) forget(at, *local);
    if (has_dynamic) wait_for_stores(at);
    if (may_be_called_back && isa<ReturnInst>(block.getTerminator())) {
      Value* caller = at.CreateIntrinsic(Intrinsic::returnaddress, {}, {at.getInt32(0)});
      call_hook(at, "__treadle_call", at.getVoidTy(), {caller});
    }
  }
}

}  // namespace treadle

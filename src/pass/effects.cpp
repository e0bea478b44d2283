// SPDX-License-Identifier: Apache-2.0
#include "pass/effects.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>

#include "pass/hooks.h"
#include "pass/prepare.h"

namespace treadle {

using namespace llvm;

namespace {

constexpr Effects none{};
constexpr Effects reads{.reads_shared = true};
constexpr Effects reads_visibly{.reads_shared = true, .reads_visibly = true};
constexpr Effects hidden{.has_hidden_state = true};

Effects of_native_write(const Value* pointer, const Instruction& instruction) {
  if (is_announced(instruction)) return none;
  const Value* object = getUnderlyingObject(pointer, 0);
  if (isa<AllocaInst>(object) || isa<Argument>(object)) return {.writes_local = true};
  return hidden;
}

Effects of_native_read(const Value* pointer, const Instruction& instruction) {
  if (is_announced(instruction)) return none;
  const auto* variable = dyn_cast<GlobalVariable>(getUnderlyingObject(pointer, 0));
  return variable != nullptr && variable->isConstant() ? none : Effects{.reads_private = true};
}

Effects of_hook(StringRef name) {
  name.consume_front("__treadle_");
  if (name == "opaque_asm") return hidden;
  if (name.starts_with("atomic_load") || name.starts_with("atomic_rmw") || name.starts_with("atomic_cas")) return reads_visibly;
  return name.starts_with("load") || name.starts_with("volatile_load") || name == "range_read" ? reads : none;
}

// Functions with which programs wait, and those that stand in a branch of a waiting loop. All are the runtime's own: it knows when they
// changed something. Clocks are not among them: time goes by, so no two iterations are alike.
Effects of_library(StringRef name) {
  return StringSwitch<Effects>(name)
      .Cases("sched_yield", "pthread_yield", "thrd_yield", "usleep", "nanosleep", "clock_nanosleep", "sleep", "thrd_sleep", none)
      .Cases("pthread_mutex_lock", "pthread_mutex_unlock", "pthread_spin_lock", "pthread_spin_unlock", "mtx_lock", "mtx_unlock", none)
      .Cases("pthread_rwlock_rdlock", "pthread_rwlock_wrlock", "pthread_rwlock_unlock", "pthread_self", "__errno_location", none)
      .Cases("pthread_mutex_trylock", "pthread_spin_trylock", "pthread_rwlock_tryrdlock", "pthread_rwlock_trywrlock", reads_visibly)
      .Cases("mtx_trylock", "sem_trywait", "sem_getvalue", "pthread_testcancel", reads_visibly)
      .Cases("memcmp", "bcmp", Effects{.reads_private = true})
      .Default(hidden);
}

Effects of_intrinsic(const IntrinsicInst& call) {
  if (const auto* memory = dyn_cast<AnyMemIntrinsic>(&call)) {
    Effects effects = of_native_write(memory->getRawDest(), call);
    if (const auto* copy = dyn_cast<AnyMemTransferInst>(&call)) effects |= of_native_read(copy->getRawSource(), call);
    return effects;
  }
  if (call.isLifetimeStartOrEnd() || call.isDroppable() || !call.mayWriteToMemory() || is_announced(call)) return none;
  switch (call.getIntrinsicID()) {
    case Intrinsic::sideeffect:
    case Intrinsic::stacksave:
    case Intrinsic::stackrestore:
    case Intrinsic::invariant_start:
    case Intrinsic::invariant_end:
      return none;
    default:
      return call.getCalledFunction()->getName() == "llvm.x86.sse2.pause" ? none : hidden;
  }
}

bool may_be_left(const BasicBlock& block) {
  if (isa<ReturnInst, ResumeInst>(block.getTerminator())) return true;
  return !block.getParent()->doesNotThrow() && any_of(block, [](const Instruction& instruction) { return instruction.mayThrow(); });
}

/// From which the function can still return or throw. Nobody sees what the others do (a failed assertion, mostly): no loop of a caller
/// comes to its next iteration after it.
DenseSet<const BasicBlock*> blocks_with_a_way_out(const Function& function) {
  SmallVector<const BasicBlock*, 16> found;
  for (const BasicBlock& block : function)
    if (may_be_left(block)) found.push_back(&block);
  DenseSet<const BasicBlock*> known(found.begin(), found.end());
  while (!found.empty())
    for (const BasicBlock* before : predecessors(found.pop_back_val()))
      if (known.insert(before).second) found.push_back(before);
  return known;
}

}  // namespace

// The least solution: what a function does is what its instructions do, and those that call each other do it all.
FunctionEffects::FunctionEffects(const Module& module) {
  DenseMap<const Function*, DenseSet<const BasicBlock*>> blocks;
  for (const Function& function : module) {
    if (!is_instrumented(function)) continue;
    functions_[&function] = none;
    blocks[&function] = blocks_with_a_way_out(function);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (auto& [function, known] : functions_) {
      Effects now = known;
      for (const BasicBlock* block : blocks[function])
        for (const Instruction& instruction : *block) now |= of(instruction);
      changed |= !(now == known);
      known = now;
    }
  }
}

Effects FunctionEffects::of_call(const CallBase& call) const {
  if (call.isInlineAsm()) return none;  // what is not harmless has the hook for opaque assembly in front of it
  if (const auto* intrinsic = dyn_cast<IntrinsicInst>(&call)) return of_intrinsic(*intrinsic);
  const Function* callee = call.getCalledFunction();
  if (callee == nullptr) return hidden;
  if (is_hook(*callee)) return of_hook(callee->getName());
  auto known = functions_.find(callee);
  if (known == functions_.end() || callee->isInterposable()) return of_library(callee->getName());
  Effects effects = known->second;
  effects.writes_local = false;
  return effects;
}

Effects FunctionEffects::of(const Instruction& instruction) const {
  if (const auto* store = dyn_cast<StoreInst>(&instruction)) return of_native_write(store->getPointerOperand(), instruction);
  if (const auto* rmw = dyn_cast<AtomicRMWInst>(&instruction)) return of_native_write(rmw->getPointerOperand(), instruction);
  if (const auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) return of_native_write(exchange->getPointerOperand(), instruction);
  if (const auto* load = dyn_cast<LoadInst>(&instruction)) return of_native_read(load->getPointerOperand(), instruction);
  if (const auto* call = dyn_cast<CallBase>(&instruction)) return of_call(*call);
  if (isa<VAArgInst>(instruction)) return {.writes_local = true};
  return none;
}

}  // namespace treadle

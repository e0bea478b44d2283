// SPDX-License-Identifier: Apache-2.0
#include "pass/symbolic_failures.h"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IntrinsicInst.h>

#include "pass/hooks.h"
#include "pass/known_functions.h"
#include "pass/prepare.h"

namespace treadle {

using namespace llvm;

namespace {

TreadleGuarded failure_of(StringRef name) {
  return StringSwitch<TreadleGuarded>(name)
      .Cases("__assert_fail", "__assert_perror_fail", "__assert", "__assert_rtn", "klee_assert_fail",
             "_ZSt21__glibcxx_assert_failPKciS0_S0_", TREADLE_GUARDS_ASSERTION)
      .Cases("abort", "_ZSt9terminatev", "__cxa_pure_virtual", "__stack_chk_fail", "__chk_fail", TREADLE_GUARDS_ABORT)
      .Cases("reach_error", "__VERIFIER_error", "klee_report_error", "klee_abort", TREADLE_GUARDS_ERROR)
      .Default(TREADLE_GUARDS_NOTHING);
}

// Plain accesses neither block nor decide anything here; what a failing path writes nobody sees.
bool leads_on(StringRef hook) {
  hook.consume_front("__treadle_");
  return hook.starts_with("load") || hook.starts_with("store") || hook.starts_with("range_") || hook.starts_with("string_length") ||
         hook == "text" || hook == "stream" || hook == "call" || hook == "forget" || hook == "block_runs" || hook.starts_with("sym_");
}

/// It does nothing but go on to the next instruction.
bool leads_on(const CallBase& call) {
  if (isa<IntrinsicInst>(call)) return true;
  const Function* callee = call.getCalledFunction();
  if (callee == nullptr || !callee->isDeclaration()) return false;
  return is_hook(*callee) ? leads_on(callee->getName()) : deed_of(*callee) == Deed::Prints;
}

}  // namespace

// The least solution: what only runs in circles leads nowhere.
Failures::Failures(const Module& module) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const Function& function : module) {
      if (!is_instrumented(function)) continue;
      for (const BasicBlock& block : function) {
        if (known_.contains(&block)) continue;
        const TreadleGuarded verdict = judge(block);
        if (verdict == TREADLE_GUARDS_NOTHING) continue;
        known_[&block] = verdict;
        changed = true;
      }
    }
  }
}

TreadleGuarded Failures::judge(const BasicBlock& block) const {
  for (const Instruction& instruction : block) {
    const auto* call = dyn_cast<CallBase>(&instruction);
    if (call == nullptr) continue;
    if (call->getIntrinsicID() == Intrinsic::trap || call->getIntrinsicID() == Intrinsic::ubsantrap) return TREADLE_GUARDS_ABORT;
    if (leads_on(*call)) continue;
    const Function* callee = call->getCalledFunction();
    if (callee == nullptr) return TREADLE_GUARDS_NOTHING;
    if (callee->isDeclaration()) return failure_of(callee->getName());
    return callee->isInterposable() || !is_instrumented(*callee) ? TREADLE_GUARDS_NOTHING : beyond(callee->getEntryBlock());
  }
  TreadleGuarded all = TREADLE_GUARDS_NOTHING;
  for (const BasicBlock* next : successors(&block)) {
    const TreadleGuarded verdict = beyond(*next);
    if (verdict == TREADLE_GUARDS_NOTHING) return verdict;
    all = verdict;
  }
  return all;
}

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
#include "pass/symbolic.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "pass/prepare.h"
#include "pass/symbolic_failures.h"
#include "pass/symbolic_function.h"

namespace treadle {

using namespace llvm;

namespace {

// By this section the host tells a symbolic build from a plain one.
void leave_symbolic_mark(Module& module) {
  auto* version = ConstantInt::get(Type::getInt32Ty(module.getContext()), TREADLE_SYMBOLIC_VERSION);
  auto* mark = new GlobalVariable(module, version->getType(), true, GlobalValue::PrivateLinkage, version, "treadle_symbolic");
  mark->setSection(TREADLE_SYMBOLIC_SECTION);
  mark->setAlignment(Align(4));
  appendToUsed(module, {mark});
}

// The program tests often whether there are expressions. Where the answer is known, later passes would make one copy of the code for
// either, and an event would have another pc just because somebody looks. Calls that do not tolerate copies keep them from it; of what LLVM
// has for that, this is the one that still lets functions be inlined.
void forbid_copies(Module& module) {
  for (Function& function : module) {
    if (function.isIntrinsic()) continue;
    const bool only_keeps_books = function.getName().starts_with("__treadle_sym_");
    if (!only_keeps_books) function.setConvergent();
    for (Instruction& instruction : instructions(function)) {
      auto* call = dyn_cast<CallBase>(&instruction);
      if (call == nullptr || isa<IntrinsicInst>(call) || call->isInlineAsm()) continue;
      const Function* callee = call->getCalledFunction();
      if (callee == nullptr || !callee->getName().starts_with("__treadle_sym_")) call->setConvergent();
    }
  }
}

}  // namespace

void thread_expressions(Module& module) {
  const Failures failures(module);
  for (Function& function : module)
    if (is_instrumented(function)) SymbolicFunction(function, failures).rewrite();
  forbid_copies(module);
  leave_symbolic_mark(module);
}

}  // namespace treadle

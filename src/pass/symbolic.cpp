// SPDX-License-Identifier: Apache-2.0
#include "pass/symbolic.h"

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

}  // namespace

void thread_expressions(Module& module) {
  const Failures failures(module);
  for (Function& function : module)
    if (is_instrumented(function)) SymbolicFunction(function, failures).rewrite();
  leave_symbolic_mark(module);
}

}  // namespace treadle

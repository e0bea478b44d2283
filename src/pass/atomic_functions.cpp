// SPDX-License-Identifier: Apache-2.0
#include "pass/atomic_functions.h"

#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/GlobPattern.h>
#include <llvm/Transforms/Utils/EscapeEnumerator.h>

#include "pass/prepare.h"

namespace treadle {

using namespace llvm;

namespace {

cl::list<std::string> atomic_names("treadle-atomic", cl::Hidden, cl::desc("functions whose names match this are meant to be atomic"));

/// With `annotate("treadle_atomic")`: clang lists them in a global of the module.
SmallVector<Function*, 4> marked_functions(Module& module) {
  SmallVector<Function*, 4> marked;
  const GlobalVariable* list = module.getGlobalVariable("llvm.global.annotations");
  const auto* entries = list == nullptr ? nullptr : dyn_cast<ConstantArray>(list->getInitializer());
  if (entries == nullptr) return marked;
  for (const Use& use : entries->operands()) {
    const auto* entry = dyn_cast<ConstantStruct>(use.get());
    if (entry == nullptr || entry->getNumOperands() < 2) continue;
    auto* function = dyn_cast<Function>(entry->getOperand(0)->stripPointerCasts());
    const auto* text = dyn_cast<GlobalVariable>(entry->getOperand(1)->stripPointerCasts());
    const auto* data = text == nullptr || !text->hasInitializer() ? nullptr : dyn_cast<ConstantDataArray>(text->getInitializer());
    if (function != nullptr && data != nullptr && data->isCString() && data->getAsCString() == "treadle_atomic") marked.push_back(function);
  }
  return marked;
}

/// By its name in the object file, or as it is written in C++, with or without its parameters.
bool is_wanted(const Function& function) {
  const std::string written = demangle(function.getName());
  const StringRef without_parameters = StringRef(written).take_until([](char c) { return c == '('; });
  for (const std::string& text : atomic_names) {
    auto pattern = GlobPattern::create(text);
    if (!pattern) {
      consumeError(pattern.takeError());
      continue;
    }
    if (pattern->match(function.getName()) || pattern->match(written) || pattern->match(without_parameters)) return true;
  }
  return false;
}

void bracket(Function& function) {
  Module& module = *function.getParent();
  FunctionType* type = FunctionType::get(Type::getVoidTy(module.getContext()), false);
  const FunctionCallee begin = module.getOrInsertFunction("treadle_atomic_begin", type);
  const FunctionCallee end = module.getOrInsertFunction("treadle_atomic_end", type);
  for (FunctionCallee callee : {begin, end})
    if (auto* declared = dyn_cast<Function>(callee.getCallee())) declared->setDoesNotThrow();
  const DebugLoc here =
      function.getSubprogram() == nullptr
          ? DebugLoc()
          : DebugLoc(DILocation::get(module.getContext(), function.getSubprogram()->getLine(), 0, function.getSubprogram()));
  EscapeEnumerator ends(function, "treadle_leaves");
  while (IRBuilder<>* at = ends.Next()) {
    if (!at->getCurrentDebugLocation()) at->SetCurrentDebugLocation(here);
    at->CreateCall(end);
  }
  IRBuilder<> builder(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  builder.SetCurrentDebugLocation(here);
  builder.CreateCall(begin);
}

}  // namespace

void bracket_atomic_functions(Module& module) {
  SmallVector<Function*, 4> functions = marked_functions(module);
  if (!atomic_names.empty())
    for (Function& function : module)
      if (is_wanted(function)) functions.push_back(&function);
  SmallPtrSet<Function*, 4> done;
  for (Function* function : functions)
    if (is_instrumented(*function) && done.insert(function).second) bracket(*function);
}

}  // namespace treadle

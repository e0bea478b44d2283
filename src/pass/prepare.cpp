// SPDX-License-Identifier: Apache-2.0
#include "pass/prepare.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "pass/atomic_functions.h"
#include "pass/instrument.h"
#include "pass/library_races.h"

namespace treadle {

using namespace llvm;

namespace {

constexpr const char* plain_mark = "treadle.plain";

bool is_resolver(const Function& function) {
  return any_of(function.getParent()->ifuncs(), [&](const GlobalIFunc& indirect) { return indirect.getResolverFunction() == &function; });
}

// A load through a pointer to a local or to something else, whichever came along.
bool mixes_local_and_other(const LoadInst& load) {
  const Value* base = getUnderlyingObject(load.getPointerOperand());
  if (!isa<PHINode>(base) && !isa<SelectInst>(base)) return false;
  SmallVector<const Value*, 4> objects;
  getUnderlyingObjects(base, objects, nullptr, 0);
  auto is_local = [](const Value* object) { return isa<AllocaInst>(object); };
  return any_of(objects, is_local) && !all_of(objects, is_local);
}

void forbid_speculation(Function& function) {
  for (Instruction& instruction : instructions(function)) {
    auto* load = dyn_cast<LoadInst>(&instruction);
    if (load == nullptr || !load->isSimple() || !mixes_local_and_other(*load)) continue;
    load->setVolatile(true);
    load->setMetadata(plain_mark, MDNode::get(load->getContext(), {}));
  }
}

// SV-COMP: what a program defines under such a name is atomic. Bracketed before anything is inlined; the two calls nest.
bool is_atomic_by_name(const Function& function) {
  const StringRef name = function.getName();
  return name.starts_with("__VERIFIER_atomic_") && name != "__VERIFIER_atomic_begin" && name != "__VERIFIER_atomic_end";
}

void make_exclusive(Function& function) {
  Module& module = *function.getParent();
  FunctionType* type = FunctionType::get(Type::getVoidTy(module.getContext()), false);
  IRBuilder<> builder(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  const DebugLoc here =
      function.getSubprogram() == nullptr
          ? DebugLoc()
          : DebugLoc(DILocation::get(module.getContext(), function.getSubprogram()->getLine(), 0, function.getSubprogram()));
  builder.SetCurrentDebugLocation(here);
  builder.CreateCall(module.getOrInsertFunction("__VERIFIER_atomic_begin", type));
  for (BasicBlock& block : function) {
    auto* leave = dyn_cast<ReturnInst>(block.getTerminator());
    if (leave == nullptr) continue;
    builder.SetInsertPoint(leave);
    builder.SetCurrentDebugLocation(leave->getDebugLoc() ? leave->getDebugLoc() : here);
    builder.CreateCall(module.getOrInsertFunction("__VERIFIER_atomic_end", type));
  }
}

// SV-COMP: programs define this one themselves, and abort in it, which is meant as an assumption and not as an error.
bool assumes_by_name(const Function& function) {
  return function.getName() == "assume_abort_if_not" && function.arg_size() == 1 && function.getArg(0)->getType()->isIntegerTy();
}

void make_assumption(Function& function) {
  Module& module = *function.getParent();
  IRBuilder<> builder(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  if (const DISubprogram* scope = function.getSubprogram())
    builder.SetCurrentDebugLocation(DILocation::get(module.getContext(), scope->getLine(), 0, const_cast<DISubprogram*>(scope)));
  FunctionType* type = FunctionType::get(builder.getVoidTy(), {builder.getInt32Ty()}, false);
  builder.CreateCall(module.getOrInsertFunction("__VERIFIER_assume", type),
                     {builder.CreateZExt(builder.CreateIsNotNull(function.getArg(0)), builder.getInt32Ty())});
}

// Some of SV-COMP's tasks leave two functions to the verifier, often without declaring them. Their own definition wins, in whichever file
// it stands.
/// What C makes of a function that is called without being declared gets its parameter.
Function* with_parameter(Function& function) {
  if (!function.isDeclaration()) return nullptr;
  if (function.arg_size() == 1)
    return function.getReturnType()->isVoidTy() && function.getArg(0)->getType()->isIntegerTy() ? &function : nullptr;
  SmallVector<CallInst*, 8> calls;
  for (User* user : function.users()) {
    auto* call = dyn_cast<CallInst>(user);
    if (call == nullptr || call->getCalledOperand() != &function || call->arg_size() != 1 ||
        !call->getArgOperand(0)->getType()->isIntegerTy())
      return nullptr;
    calls.push_back(call);
  }
  LLVMContext& context = function.getContext();
  Function* made = Function::Create(FunctionType::get(Type::getVoidTy(context), {Type::getInt32Ty(context)}, false),
                                    GlobalValue::ExternalLinkage, "", function.getParent());
  made->takeName(&function);
  for (CallInst* call : calls) {
    IRBuilder<> builder(call);
    builder.CreateCall(made, {builder.CreateZExt(builder.CreateIsNotNull(call->getArgOperand(0)), builder.getInt32Ty())});
    call->replaceAllUsesWith(Constant::getNullValue(call->getType()));
    call->eraseFromParent();
  }
  function.eraseFromParent();
  return made;
}

void define_verifier_function(Module& module, StringRef name, void (*write)(Function&, IRBuilder<>&)) {
  Function* declared = module.getFunction(name);
  Function* function = declared == nullptr ? nullptr : with_parameter(*declared);
  if (function == nullptr) return;
  function->setLinkage(GlobalValue::WeakAnyLinkage);
  function->setSubprogram(nullptr);  // of the declaration, which a definition may not have
  IRBuilder<> builder(BasicBlock::Create(module.getContext(), "", function));
  write(*function, builder);
  builder.CreateRetVoid();
}

void define_verifier_functions(Module& module) {
  define_verifier_function(module, "assume_abort_if_not", [](Function&, IRBuilder<>&) {});  // what it does comes from its name
  define_verifier_function(module, "__VERIFIER_assert", [](Function& function, IRBuilder<>& builder) {
    BasicBlock* fails = BasicBlock::Create(function.getContext(), "", &function);
    BasicBlock* holds = BasicBlock::Create(function.getContext(), "", &function);
    builder.CreateCondBr(builder.CreateIsNotNull(function.getArg(0)), holds, fails);
    builder.SetInsertPoint(fails);
    builder.CreateCall(function.getParent()->getOrInsertFunction("reach_error", FunctionType::get(builder.getVoidTy(), false)));
    builder.CreateBr(holds);
    builder.SetInsertPoint(holds);
  });
}

// SV-COMP and its like: programs that ask for inputs, assume, or say where their error is by these names.
bool is_verifier_name(StringRef name) { return name.starts_with("__VERIFIER_") || name == "reach_error"; }

void mark_verifier_task(Module& module) {
  if (none_of(module.functions(), [](const Function& function) { return is_verifier_name(function.getName()); })) return;
  auto* type = ArrayType::get(Type::getInt8Ty(module.getContext()), 1);
  auto* mark =
      new GlobalVariable(module, type, true, GlobalValue::WeakODRLinkage, ConstantAggregateZero::get(type), "__treadle_verifier_task");
  appendToUsed(module, {mark});
}

// Without optimisation a local keeps its value over a longjmp, as programs written for -O0 expect.
bool keeps_locals_in_memory(const Function& function) {
  return function.hasOptNone() || (function.hasFnAttribute(Attribute::NoInline) && function.callsFunctionThatReturnsTwice());
}

}  // namespace

bool is_instrumented(const Function& function) {
  return !function.isDeclaration() && !function.hasFnAttribute(Attribute::Naked) &&
         !function.hasFnAttribute(Attribute::DisableSanitizerInstrumentation) && !is_resolver(function);
}

PreservedAnalyses BeginPreparation::run(Module& module, ModuleAnalysisManager&) {
  if (is_done(module)) return PreservedAnalyses::all();
  mend_library_races(module);
  bracket_atomic_functions(module);
  mark_verifier_task(module);
  define_verifier_functions(module);
  // Functions with and without it are never inlined into each other, and no pass speculates loads in one that has it.
  for (Function& function : module) {
    if (!is_instrumented(function)) continue;
    function.addFnAttr(Attribute::SanitizeThread);
    if (is_atomic_by_name(function)) make_exclusive(function);
    if (assumes_by_name(function)) make_assumption(function);
  }
  return PreservedAnalyses::none();
}

PreservedAnalyses PromoteLocals::run(Function& function, FunctionAnalysisManager& analyses) {
  if (!function.hasFnAttribute(Attribute::SanitizeThread) || keeps_locals_in_memory(function)) return PreservedAnalyses::all();
  forbid_speculation(function);
  return SROAPass(SROAOptions::PreserveCFG).run(function, analyses);
}

void end_preparation(Function& function) {
  function.removeFnAttr(Attribute::SanitizeThread);
  removeUnreachableBlocks(function);
  for (Instruction& instruction : instructions(function)) {
    if (instruction.getMetadata(plain_mark) == nullptr) continue;
    cast<LoadInst>(instruction).setVolatile(false);
    instruction.setMetadata(plain_mark, nullptr);
  }
}

}  // namespace treadle

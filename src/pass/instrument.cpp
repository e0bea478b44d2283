// SPDX-License-Identifier: Apache-2.0
#include "pass/instrument.h"

#include <llvm/IR/AttributeMask.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "abi/shared_block.h"
#include "abi/symbolic.h"
#include "pass/accesses.h"
#include "pass/branches.h"
#include "pass/dependence.h"
#include "pass/foreign_accesses.h"
#include "pass/foreign_code.h"
#include "pass/futex_calls.h"
#include "pass/hooks.h"
#include "pass/inline_asm.h"
#include "pass/prepare.h"
#include "pass/ranges.h"
#include "pass/sharing.h"
#include "pass/spin_loops.h"
#include "pass/symbolic.h"

namespace treadle {

using namespace llvm;

namespace {

constexpr const char* abi_section = "treadle_abi";
constexpr const char* done_mark = "treadle.instrumented";

// libstdc++ asks this variable of glibc whether it may do without atomics. A program under test never may.
bool asks_for_single_thread(const LoadInst& load) { return load.getPointerOperand()->getName() == "__libc_single_threaded"; }

bool is_shared_access(const Value* pointer, bool reads_only, Sharing& sharing) {
  if (pointer->getType()->getPointerAddressSpace() != 0) return false;
  return !(reads_only ? sharing.needs_no_read_hook(pointer) : sharing.is_private(pointer));
}

bool wants_hook(Instruction& instruction, Sharing& sharing) {
  if (auto* load = dyn_cast<LoadInst>(&instruction)) return is_shared_access(load->getPointerOperand(), true, sharing);
  if (auto* store = dyn_cast<StoreInst>(&instruction)) return is_shared_access(store->getPointerOperand(), false, sharing);
  if (auto* rmw = dyn_cast<AtomicRMWInst>(&instruction)) return is_shared_access(rmw->getPointerOperand(), false, sharing);
  if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) return is_shared_access(exchange->getPointerOperand(), false, sharing);
  return isa<FenceInst>(instruction) || isa<CallBase>(instruction);
}

void hook_intrinsic(IntrinsicInst& call, Sharing& sharing) {
  if (auto* memory = dyn_cast<AnyMemIntrinsic>(&call)) return hook_memory_intrinsic(*memory, sharing);
  if (is_masked_access(call)) return hook_masked_access(call, sharing);
  if (is_processor_intrinsic(call)) hook_processor_intrinsic(call);
}

void hook_call(CallBase& call, Sharing& sharing) {
  if (const auto* code = dyn_cast<InlineAsm>(call.getCalledOperand())) return hook_inline_asm(call, *code);
  if (auto* intrinsic = dyn_cast<IntrinsicInst>(&call)) return hook_intrinsic(*intrinsic, sharing);
  hook_by_value_arguments(call, sharing);
  if (is_library_access(call)) {
    hook_library_call(call, sharing);
  } else if (may_call_foreign_code(call)) {
    announce_foreign_accesses(call, sharing);
    hook_foreign_call(call);
  }
}

void hook(Instruction& instruction, Sharing& sharing) {
  if (auto* load = dyn_cast<LoadInst>(&instruction)) return hook_load(*load);
  if (auto* store = dyn_cast<StoreInst>(&instruction)) return hook_store(*store);
  if (auto* rmw = dyn_cast<AtomicRMWInst>(&instruction)) return hook_rmw(*rmw);
  if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) return hook_compare_exchange(*exchange);
  if (auto* fence = dyn_cast<FenceInst>(&instruction)) return hook_fence(*fence);
  hook_call(cast<CallBase>(instruction), sharing);
}

// First decide, then rewrite: a pointer that came out of a hook no longer tells where it came from.
void instrument(Function& function, Sharing& sharing) {
  SmallVector<Instruction*, 64> wanted;
  const auto locals = shared_locals(function, sharing);
  for (Instruction& instruction : make_early_inc_range(instructions(function))) {
    if (auto* load = dyn_cast<LoadInst>(&instruction); load != nullptr && asks_for_single_thread(*load)) {
      load->replaceAllUsesWith(Constant::getNullValue(load->getType()));
      load->eraseFromParent();
    } else if (wants_hook(instruction, sharing)) {
      wanted.push_back(&instruction);
    }
  }
  for (Instruction* instruction : wanted) hook(*instruction, sharing);
  hook_leaving(function, locals);
}

// Who does not ask whether it was the last one to arrive: nothing that follows depends on that, so it need not differ either.
void pass_barriers(Module& module) {
  Function* wait = module.getFunction("pthread_barrier_wait");
  if (wait == nullptr || !wait->isDeclaration()) return;
  for (User* user : make_early_inc_range(wait->users()))
    if (auto* call = dyn_cast<CallBase>(user); call != nullptr && call->getCalledFunction() == wait && call->use_empty())
      call->setCalledFunction(module.getOrInsertFunction("__treadle_barrier_pass", wait->getFunctionType()));
}

// The names of treadle.h, SV-COMP, KLEE and CREST, unless the program has functions of its own that are called so.
bool asks_for_input(const Function& function) {
  const StringRef name = function.getName();
  if (!function.isDeclaration() || function.use_empty()) return false;
  if (name == "klee_make_symbolic" || name == "klee_int" || name == "klee_range" || name == "klee_choose") return true;
  return name.starts_with("treadle_input_") || name.starts_with("__VERIFIER_nondet_") || name.starts_with("__Crest");
}

// By this section the host knows that one value each is not all there is to try.
void leave_inputs_mark(Module& module) {
  if (none_of(module, asks_for_input)) return;
  auto* yes = ConstantInt::get(Type::getInt32Ty(module.getContext()), 1);
  auto* mark = new GlobalVariable(module, yes->getType(), true, GlobalValue::PrivateLinkage, yes, "treadle_inputs");
  mark->setSection(TREADLE_INPUTS_SECTION);
  mark->setAlignment(Align(4));
  appendToUsed(module, {mark});
}

// By this section the host tells a program built with Treadle from one that is not, and which version of the hooks it calls.
void leave_abi_mark(Module& module) {
  auto* version = ConstantInt::get(Type::getInt32Ty(module.getContext()), TREADLE_ABI_VERSION);
  auto* mark = new GlobalVariable(module, version->getType(), true, GlobalValue::PrivateLinkage, version, "treadle_instrumented");
  mark->setSection(abi_section);
  mark->setAlignment(Align(4));
  appendToUsed(module, {mark});
  module.getOrInsertNamedMetadata(done_mark);
}

// "Reads no memory", "always returns", "does not synchronise": none of it is true of a function that calls hooks. What the compiler knows
// about library functions it finds out again by itself, later. `builtin` stands at calls of operator new that may be optimised away: a leak
// of memory nobody touches is a leak.
AttributeMask broken_promises() {
  AttributeMask mask;
  for (auto kind : {Attribute::Memory, Attribute::NoSync, Attribute::NoFree, Attribute::WillReturn, Attribute::Speculatable,
                    Attribute::MustProgress, Attribute::NoRecurse, Attribute::NoCallback, Attribute::Builtin})
    mask.addAttribute(kind);
  return mask;
}

}  // namespace

void withdraw_promises(Module& module) {
  const AttributeMask mask = broken_promises();
  for (Function& function : module) {
    if (function.isIntrinsic()) continue;
    function.removeFnAttrs(mask);
    for (Argument& argument : function.args())
      for (auto kind : {Attribute::ReadNone, Attribute::ReadOnly, Attribute::WriteOnly, Attribute::NoCapture}) argument.removeAttr(kind);
    for (Instruction& instruction : instructions(function))
      if (auto* call = dyn_cast<CallBase>(&instruction); call != nullptr && !isa<IntrinsicInst>(call) && !call->isInlineAsm())
        call->removeFnAttrs(mask);
  }
}

void verify(Module& module) {
  std::string complaint;
  raw_string_ostream out(complaint);
  for (Function& function : module)
    if (verifyFunction(function, &out))
      report_fatal_error(Twine("Treadle broke the function '") + function.getName() + "': " + complaint, false);
  if (verifyModule(module, &out)) report_fatal_error(Twine("Treadle broke the module: ") + complaint, false);
}

bool is_done(const Module& module) { return module.getNamedMetadata(done_mark) != nullptr; }

PreservedAnalyses Instrument::run(Module& module, ModuleAnalysisManager& analyses) {
  if (is_done(module)) return PreservedAnalyses::all();
  auto& function_analyses = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  Sharing sharing;
  for (Function& function : module)
    if (is_instrumented(function)) end_preparation(function);
  const std::vector<MarkedWay> ways = take_marked_ways(module);
  for (Function& function : module)
    if (is_instrumented(function)) instrument(function, sharing);
  withdraw_promises(module);
  hook_spin_loops(module, function_analyses);
  embed_dependence(module, dependence_of(module, function_analyses));
  ignore_futex_results(module);
  if (is_symbolic) thread_expressions(module);
  pass_barriers(module);
  tell_ways(module, ways);
  leave_abi_mark(module);
  leave_inputs_mark(module);
  verify(module);
  return PreservedAnalyses::none();
}

}  // namespace treadle

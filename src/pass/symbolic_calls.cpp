// SPDX-License-Identifier: Apache-2.0
#include "pass/symbolic_calls.h"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>

#include "abi/symbolic_hooks.h"
#include "pass/futex_calls.h"
#include "pass/hooks.h"
#include "pass/known_functions.h"
#include "pass/prepare.h"
#include "pass/ranges.h"
#include "pass/symbolic_function.h"
#include "pass/symbolic_memory.h"

namespace treadle {

using namespace llvm;

namespace {

// A function of the program's own, whatever its name, is what it does.
Deed known_deed(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  return callee != nullptr && callee->isDeclaration() ? deed_of(*callee) : Deed::Unknown;
}

// They take expressions and return them, as functions with hooks do.
bool passes_values_on(StringRef name) { return name.starts_with("klee_get_value") || name == "klee_is_symbolic"; }

bool is_of_the_runtime(const Function& callee) {
  const StringRef name = callee.getName();
  if (passes_values_on(name)) return false;
  return name.starts_with("treadle_") || name.starts_with("__VERIFIER_") || name.starts_with("klee_") || name.starts_with("__Crest");
}

/// It has no hooks, and that is known here: it takes values, and gives one that nobody knows.
bool is_library_function(const CallBase& call) {
  if (call.isInlineAsm() || isa<IntrinsicInst>(call)) return true;
  const Function* callee = call.getCalledFunction();
  if (callee == nullptr) return false;
  if (callee->isIntrinsic()) return true;  // invoked
  if (!callee->isDeclaration()) return !is_instrumented(*callee);
  return is_hook(*callee) || known_deed(call) != Deed::Unknown || is_library_access(call) || is_of_the_runtime(*callee);
}

bool is_assumption(const CallBase& call) {
  return known_deed(call) == Deed::Assumes && call.arg_size() == 1 && call.getArgOperand(0)->getType()->isIntegerTy();
}

void follow_assumption(SymbolicFunction& function, CallBase& call) {
  Value* condition = call.getArgOperand(0);
  Value* expression = function.expression_of(condition);
  function.if_expression(call, expression, [&](IRBuilder<>& at) {
    Arithmetic arithmetic(at);
    Term holds{expression, as_bits(at, condition)};
    if (!condition->getType()->isIntegerTy(1))
      holds = arithmetic.binary(TREADLE_OP_NE, holds, arithmetic.constant(Constant::getNullValue(condition->getType())));
    return call_hook(at, "__treadle_sym_assume", at.getVoidTy(), {holds.expression, at.CreateZExt(holds.value, at.getInt32Ty())});
  });
}

/// Loaded from stdout or stderr, by a hook or without.
bool is_standard_stream(const Value* argument) {
  const auto* load = dyn_cast<Instruction>(argument->stripPointerCasts());
  if (const auto* phi = dyn_cast_or_null<PHINode>(load)) return all_of(phi->incoming_values(), is_standard_stream);
  if (const auto* cast = dyn_cast_or_null<CastInst>(load)) return is_standard_stream(cast->getOperand(0));
  if (load == nullptr || load->getNumOperands() == 0) return false;
  const auto* variable = dyn_cast<GlobalVariable>(load->getOperand(0));
  return variable != nullptr && (variable->getName() == "stdout" || variable->getName() == "stderr");
}

// What is printed is gone, unless the program asks how much it was, or puts it where it can be read again.
bool is_gone_for_good(const CallBase& call) {
  if (known_deed(call) != Deed::Prints || !call.use_empty()) return false;
  const StringRef name = call.getCalledFunction()->getName();
  const bool prints_to_stream = name == "fwrite" || name.contains("fprintf") || name.starts_with("fput") || name == "putc";
  return !prints_to_stream || any_of(call.args(), [](const Use& argument) { return is_standard_stream(argument); });
}

// Functions without hooks whose arguments lead to memory that they do not look at, or of which they look at the links only.
bool looks_at_nothing(const Function& callee) {
  const StringRef name = callee.getName();
  if (name.contains("_Rb_tree_") || name.contains("_List_node_base") || name.contains("_Prime_rehash_policy")) return true;
  return StringSwitch<bool>(name)
      .Cases("fgets", "fread", "read", "pread", "pread64", "recv", "recvfrom", true)
      .Cases("__fgets_chk", "__fread_chk", "__read_chk", "__pread_chk", "__recv_chk", true)
      .Cases("realloc", "reallocarray", "__dynamic_cast", true)
      .Default(false);
}

/// May it look, unannounced, at what its arguments lead to?
bool may_look_at_memory(const CallBase& call) {
  if (call.isInlineAsm() || isa<IntrinsicInst>(call)) return false;
  const Function* callee = call.getCalledFunction();
  if (callee == nullptr) return true;
  if (callee->isIntrinsic() || is_hook(*callee)) return false;
  if (!callee->isDeclaration()) return !is_instrumented(*callee);
  if (is_of_the_runtime(*callee) || is_library_access(call) || looks_at_nothing(*callee)) return false;
  switch (known_deed(call)) {
    case Deed::Unknown:
    case Deed::ReadsText:
      return true;
    case Deed::Prints:
      return !is_gone_for_good(call);
    default:
      return false;
  }
}

// A function of libc has no hooks. The runtime has its own of many a name, which lie among the program's code, so that an address does not
// tell.
bool is_of_libc(const Function* callee) {
  static const TargetLibraryInfoImpl library(Triple("x86_64-unknown-linux-gnu"));
  LibFunc known{};
  return callee != nullptr && (library.getLibFunc(callee->getName(), known) || callee->getName().starts_with("__isoc"));
}

void lend_memory(SymbolicFunction& function, CallBase& call) {
  if (!may_look_at_memory(call)) return;
  Value* called = call.getCalledOperand();
  if (is_of_libc(call.getCalledFunction())) called = ConstantPointerNull::get(PointerType::get(call.getContext(), 0));
  for (Value* argument : call.args()) {
    const auto* variable = dyn_cast<GlobalVariable>(argument->stripPointerCasts());
    if (!argument->getType()->isPointerTy() || argument->getType()->getPointerAddressSpace() != 0) continue;
    if (isa<ConstantPointerNull, Function>(argument) || (variable != nullptr && variable->isConstant())) continue;
    function.when_recording(
        call, [&](IRBuilder<>& at) -> Value* { return call_hook(at, "__treadle_sym_lent", at.getVoidTy(), {argument, called}), nullptr; });
  }
}

TreadlePin reason_of(const CallBase& call, const Value* argument) {
  if (call.isInlineAsm()) return TREADLE_PIN_ASM;
  if (isa<IntrinsicInst>(call)) return TREADLE_PIN_OTHER;
  const Deed deed = known_deed(call);
  if (deed == Deed::Allocates) return argument->getType()->isPointerTy() ? TREADLE_PIN_ADDRESS : TREADLE_PIN_SIZE;
  const bool works_on_objects = deed == Deed::Operates || deed == Deed::FillsIn || deed == Deed::Joins || deed == Deed::SetsSpecific;
  return works_on_objects && argument->getType()->isPointerTy() ? TREADLE_PIN_ADDRESS : TREADLE_PIN_CALL;
}

void pin_library_arguments(SymbolicFunction& function, CallBase& call) {
  for (Value* argument : call.args())
    if (argument->getType()->isPointerTy() || !is_gone_for_good(call)) function.pin(call, argument, reason_of(call, argument));
}

// Assembly names memory by its address; what lies there is what it takes.
void pin_assembly_memory(SymbolicFunction& function, CallBase& call) {
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    Type* type = call.getParamElementType(i);
    if (type == nullptr || !type->isSized() || call.getArgOperand(i)->getType()->getPointerAddressSpace() != 0) continue;
    function.when_recording(call, [&](IRBuilder<>& at) -> Value* {
      Value* bytes = at.getInt64(function.layout().getTypeStoreSize(type).getKnownMinValue());
      for (unsigned is_private : {0u, 1u})
        call_hook(at, "__treadle_sym_pin_memory", at.getVoidTy(),
                  {call.getArgOperand(i), bytes, at.getInt32(is_private), at.getInt32(TREADLE_PIN_ASM)});
      return nullptr;
    });
  }
}

// The list is written behind everybody's back; the arguments that it leads to were pinned by the caller.
void forget_argument_list(SymbolicFunction& function, IntrinsicInst& call) {
  constexpr unsigned bytes_of_list = 24;
  Value* list = call.getArgOperand(0);
  function.when_recording(*call.getNextNode(), [&](IRBuilder<>& at) -> Value* {
    const unsigned is_private = function.privacy_of(call).target ? 2 : 0;
    call_hook(at, "__treadle_sym_filled", at.getVoidTy(),
              {list, at.getInt32(0), at.getInt8(0), at.getInt64(bytes_of_list), at.getInt32(is_private)});
    return nullptr;
  });
}

bool starts_argument_list(const CallBase& call) {
  return call.getIntrinsicID() == Intrinsic::vastart || call.getIntrinsicID() == Intrinsic::vacopy;
}

// The callee finds a copy, which has no expressions. Shared memory was announced, and pinned there.
void pin_by_value_arguments(SymbolicFunction& function, CallBase& call) {
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    if (!call.isByValArgument(i) || !function.is_private_copy(call, i)) continue;
    function.when_recording(call, [&](IRBuilder<>& at) -> Value* {
      Value* bytes = at.getInt64(function.layout().getTypeStoreSize(call.getParamByValType(i)).getFixedValue());
      call_hook(at, "__treadle_sym_pin_memory", at.getVoidTy(),
                {call.getArgOperand(i), bytes, at.getInt32(1), at.getInt32(TREADLE_PIN_CALL)});
      return nullptr;
    });
  }
}

void hand_over_arguments(SymbolicFunction& function, CallBase& call) {
  function.pin(call, call.getCalledOperand(), TREADLE_PIN_ADDRESS);
  const unsigned fixed = call.getFunctionType()->getNumParams();
  SmallVector<std::pair<unsigned, Value*>, 4> handed;
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    Value* argument = call.getArgOperand(i);
    if (!function.flow().is_symbolic(argument)) continue;
    if (argument == expected_by_futex_call(call) && argument->getType()->isIntegerTy(32)) {  // the runtime takes it
      function.if_expression(call, function.expression_of(argument), [&](IRBuilder<>& at) {
        return call_hook(at, "__treadle_sym_argument", at.getVoidTy(),
                         {at.getInt32(i), function.expression_of(argument), as_number(at, argument)});
      });
      continue;
    }
    if (i >= fixed || !has_expression(argument->getType(), function.layout()) || call.isByValArgument(i))
      function.pin(call, argument, TREADLE_PIN_CALL);
    else if (function.expression_of(argument) != nullptr)
      handed.emplace_back(i, argument);
  }
  if (handed.empty()) return;
  Before test(call);
  Value* any = test.getInt32(0);
  for (auto [number, argument] : handed) {
    Value* expression = function.expression_of(argument);
    any = test.CreateOr(any, expression);
    function.if_expression(call, expression, [&, number = number, argument = argument](IRBuilder<>& at) {
      return call_hook(at, "__treadle_sym_argument", at.getVoidTy(), {at.getInt32(number), expression, as_number(at, argument)});
    });
    test.SetInsertPoint(&call);
  }
  function.if_expression(call, any,
                         [&](IRBuilder<>& at) { return call_hook(at, "__treadle_sym_call", at.getVoidTy(), {call.getCalledOperand()}); });
}

/// Where the call has returned normally; none when nothing may stand there.
Instruction* behind(CallBase& call) {
  if (auto* invoke = dyn_cast<InvokeInst>(&call)) return &*invoke->getNormalDest()->getFirstInsertionPt();
  return call.isMustTailCall() || isa<CallBrInst>(call) ? nullptr : call.getNextNode();
}

/// The runtime's own, and no function that hands out inputs, as many a one of libc does.
bool gives_no_input(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  return callee != nullptr && callee->isDeclaration() && callee->getName() == "syscall";
}

void take_result(SymbolicFunction& function, CallBase& call) {
  Instruction* next = behind(call);
  if (next == nullptr || !function.flow().is_symbolic(&call)) return;
  const unsigned flag = gives_no_input(call) ? TREADLE_RESULT_IS_NO_INPUT : 0;
  const auto leaves = leaves_of(call.getType(), function.layout());
  function.set(&call, function.when_recording_several(*next, [&](IRBuilder<>& at) {
    ExpressionsOfLeaves expressions;
    for (unsigned i = 0; i < leaves.size(); ++i)
      expressions.push_back(
          !has_expression(leaves[i].type, function.layout())
              ? nullptr
              : call_hook(at, "__treadle_sym_result", at.getInt32Ty(),
                          {call.getCalledOperand(), at.getInt32(i | flag), as_number(at, value_of(at, &call, leaves[i]))}));
    return expressions;
  }));
}

}  // namespace

bool returns_expressions(const CallBase& call) {
  if (call.isMustTailCall() || isa<CallBrInst>(call)) return false;
  if (!is_library_function(call) || known_deed(call) == Deed::AsksForInput) return true;
  const Function* callee = call.getCalledFunction();
  return callee != nullptr && callee->isDeclaration() && is_of_the_runtime(*callee);
}

void follow_call(SymbolicFunction& function, CallBase& call) {
  if (hooked_access(call)) return follow_hooked_access(function, call);
  if (is_range_hook(call)) return follow_range_hook(function, call);
  if (is_extent_hook(call)) return follow_extent_hook(function, call);
  if (auto* memory = dyn_cast<AnyMemIntrinsic>(&call)) return follow_memory_intrinsic(function, *memory);
  if (starts_argument_list(call)) return forget_argument_list(function, cast<IntrinsicInst>(call));
  if (is_assumption(call)) return follow_assumption(function, call);
  if (follow_memory_function(function, call)) return;
  pin_by_value_arguments(function, call);
  if (call.isInlineAsm()) pin_assembly_memory(function, call);
  lend_memory(function, call);
  if (is_library_function(call))
    pin_library_arguments(function, call);
  else
    hand_over_arguments(function, call);
  if (returns_expressions(call)) take_result(function, call);
}

void follow_entry(SymbolicFunction& symbolic) {
  Function& function = symbolic.function();
  auto has_one = [&](const Argument& parameter) {
    return has_expression(parameter.getType(), symbolic.layout()) && !parameter.hasByValAttr();
  };
  Instruction& first = *function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
  for (Argument& parameter : function.args()) {
    if (!parameter.hasByValAttr()) continue;
    symbolic.when_recording(first, [&](IRBuilder<>& at) -> Value* {  // what was on the stack before says nothing about it
      Value* bytes = at.getInt64(symbolic.layout().getTypeStoreSize(parameter.getParamByValType()).getFixedValue());
      call_hook(at, "__treadle_sym_filled", at.getVoidTy(), {&parameter, at.getInt32(0), at.getInt8(0), bytes, at.getInt32(2)});
      return nullptr;
    });
  }
  if (none_of(function.args(), has_one)) return;
  SmallVector<Argument*, 4> wanted;
  for (Argument& parameter : function.args())
    if (has_one(parameter) && symbolic.flow().is_symbolic(&parameter)) wanted.push_back(&parameter);
  const auto made = symbolic.when_recording_several(first, [&](IRBuilder<>& at) {
    ExpressionsOfLeaves expressions;
    call_hook(at, "__treadle_sym_enter", at.getVoidTy(), {&function});
    for (Argument* parameter : wanted)
      expressions.push_back(
          call_hook(at, "__treadle_sym_parameter", at.getInt32Ty(), {at.getInt32(parameter->getArgNo()), as_number(at, parameter)}));
    return expressions;
  });
  for (unsigned i = 0; i < wanted.size(); ++i) symbolic.set(wanted[i], {made[i]});
}

void follow_return(SymbolicFunction& symbolic, ReturnInst& leave) {
  Value* value = leave.getReturnValue();
  if (value == nullptr || leave.getParent()->getTerminatingMustTailCall() != nullptr) return;
  if (!has_leaf_with_expression(value->getType(), symbolic.layout())) return;
  const auto expressions = symbolic.expressions_of_leaves(value);
  // Also what has none, so that nobody takes an older one for it.
  symbolic.when_recording(leave, [&](IRBuilder<>& at) -> Value* {
    const auto leaves = leaves_of(value->getType(), symbolic.layout());
    for (unsigned i = 0; i < leaves.size(); ++i) {
      if (!has_expression(leaves[i].type, symbolic.layout())) continue;
      Value* expression = expressions[i] != nullptr ? expressions[i] : at.getInt32(0);
      call_hook(at, "__treadle_sym_leave", at.getVoidTy(),
                {&symbolic.function(), at.getInt32(i), expression, as_number(at, value_of(at, value, leaves[i]))});
    }
    return nullptr;
  });
}

}  // namespace treadle

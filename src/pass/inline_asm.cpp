// SPDX-License-Identifier: Apache-2.0
#include "pass/inline_asm.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSwitch.h>

#include <optional>

#include "pass/hooks.h"

namespace treadle {

using namespace llvm;

namespace {

enum class Meaning { Nothing, FullFence, StoreFence, LoadFence, Unknown };

// "lock ; addl $$0x0, 0( %rsp )" and its many spellings become "lockaddl0,0(%rsp)".
std::string without_noise(StringRef text) {
  std::string kept;
  for (char c : text)
    if (!isSpace(c) && c != ';' && c != '$' && c != '\\') kept += toLower(c);
  for (std::size_t at; (at = kept.find("0x0")) != std::string::npos;) kept.replace(at, 3, "0");
  return kept;
}

// Only whole, well-known texts count; a sequence that merely contains one of them does more than it.
Meaning meaning_of(const InlineAsm& code) {
  return StringSwitch<Meaning>(without_noise(code.getAsmString()))
      .Cases("", "nop", "pause", "repnop", "rep;nop", Meaning::Nothing)
      .Cases("mfence", "lockaddl0,0(%rsp)", "lockaddl0,(%rsp)", "lockaddl0,0(%esp)", "lockaddl0,(%esp)", Meaning::FullFence)
      .Cases("lockorl0,(%rsp)", "lockorl0,0(%rsp)", "lockorq0,(%rsp)", "lockorq0,0(%rsp)", "lockaddq0,0(%rsp)", "lockaddl0,-4(%rsp)",
             Meaning::FullFence)
      .Case("sfence", Meaning::StoreFence)
      .Case("lfence", Meaning::LoadFence)
      .Default(Meaning::Unknown);
}

// Computes in registers only: neither volatile nor touching memory, so it is a function of its operands.
bool is_pure(const CallBase& call, const InlineAsm& code) {
  if (code.hasSideEffects() || StringRef(code.getConstraintString()).contains("~{memory}")) return false;
  return none_of(code.ParseConstraints(), [](const InlineAsm::ConstraintInfo& operand) { return operand.isIndirect; }) &&
         none_of(call.args(), [](const Use& argument) { return argument->getType()->isPointerTy(); });
}

void emit(CallBase& call, Meaning meaning) {
  Before at(call);
  switch (meaning) {
    case Meaning::Nothing:
      return;
    case Meaning::FullFence:
      return announce_fence(at, AtomicOrdering::SequentiallyConsistent);
    case Meaning::StoreFence:
      return announce_fence(at, AtomicOrdering::Release);
    case Meaning::LoadFence:
      return announce_fence(at, AtomicOrdering::Acquire);
    case Meaning::Unknown:
      call_hook(at, "__treadle_opaque_asm", at.getVoidTy(), {});
  }
}

Meaning meaning_of(const IntrinsicInst& call) {
  return StringSwitch<Meaning>(call.getCalledFunction()->getName())
      .Case("llvm.x86.sse2.pause", Meaning::Nothing)
      .Case("llvm.x86.sse2.mfence", Meaning::FullFence)
      .Case("llvm.x86.sse.sfence", Meaning::StoreFence)
      .Case("llvm.x86.sse2.lfence", Meaning::LoadFence)
      .Default(Meaning::Unknown);
}

}  // namespace

void hook_inline_asm(CallBase& call, const InlineAsm& code) {
  Meaning meaning = meaning_of(code);
  if (meaning == Meaning::Unknown && is_pure(call, code)) meaning = Meaning::Nothing;
  emit(call, meaning);
}

// Vector arithmetic is one too, but touches no memory; gathers, streaming stores, time stamps do.
bool is_processor_intrinsic(const IntrinsicInst& call) {
  return call.getCalledFunction()->getName().starts_with("llvm.x86.") && (call.mayReadOrWriteMemory() || call.mayHaveSideEffects());
}

void hook_processor_intrinsic(IntrinsicInst& call) { emit(call, meaning_of(call)); }

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// memcpy and memset by name, where the compiler has left them as calls.
#include <llvm/ADT/StringSwitch.h>

#include "pass/hooks.h"
#include "pass/ranges.h"
#include "pass/symbolic_function.h"
#include "pass/symbolic_memory.h"

namespace treadle {

using namespace llvm;

namespace {

constexpr unsigned no_argument = ~0u;

/// Which argument is what.
struct MemoryFunction {
  unsigned to, from, byte, bytes;
};

std::optional<MemoryFunction> memory_function(const CallBase& call) {
  if (!is_library_access(call)) return std::nullopt;
  StringRef name = call.getCalledFunction()->getName();
  if (name.consume_front("__")) name.consume_back("_chk");
  return StringSwitch<std::optional<MemoryFunction>>(name)
      .Cases("memcpy", "memmove", "mempcpy", MemoryFunction{0, 1, no_argument, 2})
      .Case("bcopy", MemoryFunction{1, 0, no_argument, 2})
      .Case("memset", MemoryFunction{0, no_argument, 1, 2})
      .Cases("bzero", "explicit_bzero", MemoryFunction{0, no_argument, no_argument, 1})
      .Default(std::nullopt);
}

/// The lowest byte of an argument.
Term lowest_byte(SymbolicFunction& function, IRBuilder<>& at, Value* number) {
  const Term whole{function.expression_of(number), as_bits(at, number)};
  return Arithmetic(at).resized(whole, 8);
}

}  // namespace

bool is_memory_function(const CallBase& call) { return memory_function(call).has_value(); }

bool follow_memory_function(SymbolicFunction& function, CallBase& call) {
  const auto what = memory_function(call);
  if (!what || isa<InvokeInst>(call)) return false;
  auto argument = [&](unsigned i) { return call.getArgOperand(i); };
  function.check_address(call, argument(what->to), argument(what->bytes));
  if (what->from != no_argument) function.check_address(call, argument(what->from), argument(what->bytes));
  function.pin(call, argument(what->bytes), TREADLE_PIN_SIZE);
  const auto privacy = function.privacy_of(call);
  function.when_recording(*call.getNextNode(), [&](IRBuilder<>& at) -> Value* {
    Value* is_private = at.getInt32((privacy.source ? 1u : 0u) | (privacy.target ? 2u : 0u));
    if (what->from != no_argument)
      return call_hook(at, "__treadle_sym_copied", at.getVoidTy(),
                       {argument(what->to), argument(what->from), argument(what->bytes), is_private}),
             nullptr;
    Term byte{nullptr, at.getInt8(0)};
    if (what->byte != no_argument) byte = lowest_byte(function, at, argument(what->byte));
    Value* expression = byte.expression != nullptr ? byte.expression : at.getInt32(0);
    call_hook(at, "__treadle_sym_filled", at.getVoidTy(), {argument(what->to), expression, byte.value, argument(what->bytes), is_private});
    return nullptr;
  });
  return true;
}

}  // namespace treadle

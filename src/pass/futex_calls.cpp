// SPDX-License-Identifier: Apache-2.0
#include "pass/futex_calls.h"

#include <linux/futex.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <sys/syscall.h>

#include <optional>

namespace treadle {

using namespace llvm;

namespace {

std::optional<std::uint64_t> known_argument(const CallBase& call, unsigned number) {
  const auto* value = number < call.arg_size() ? dyn_cast<ConstantInt>(call.getArgOperand(number)) : nullptr;
  return value == nullptr ? std::nullopt : std::optional(value->getZExtValue());
}

/// None: it is another call, or not known here.
std::optional<int> futex_command(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  if (callee == nullptr || !callee->isDeclaration() || callee->getName() != "syscall") return std::nullopt;
  const auto operation = known_argument(call, 2);
  if (known_argument(call, 0) != SYS_futex || !operation) return std::nullopt;
  return static_cast<int>(*operation) & FUTEX_CMD_MASK;
}

bool wakes(std::optional<int> command) { return command == FUTEX_WAKE || command == FUTEX_WAKE_BITSET; }

/// No time limit, or one that nobody changes.
bool is_constant(const Value* limit) {
  const auto* variable = dyn_cast<GlobalVariable>(limit->stripPointerCasts());
  return isa<ConstantPointerNull>(limit) || (variable != nullptr && variable->isConstant());
}

}  // namespace

bool is_plain_futex_call(const CallBase& call) {
  const auto command = futex_command(call);
  if (wakes(command)) return true;
  return (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET) && call.arg_size() > 4 && is_constant(call.getArgOperand(4));
}

Value* expected_by_futex_call(const CallBase& call) {
  const auto command = futex_command(call);
  return (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET) && call.arg_size() > 3 ? call.getArgOperand(3) : nullptr;
}

void ignore_futex_results(Module& module) {
  Function* made = module.getFunction("syscall");
  if (made == nullptr) return;
  for (User* user : make_early_inc_range(made->users()))
    if (auto* call = dyn_cast<CallBase>(user); call != nullptr && wakes(futex_command(*call)) && call->use_empty())
      call->setCalledFunction(module.getOrInsertFunction("__treadle_futex_wake", made->getFunctionType()));
}

}  // namespace treadle

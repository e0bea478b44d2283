// SPDX-License-Identifier: Apache-2.0
#include "pass/polling_loops.h"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace treadle {

using namespace llvm;

namespace {

constexpr unsigned deepest_call = 3;
constexpr std::uint64_t most_iterations = 1u << 20;

bool is_idle(const Function& function, unsigned depth);

/// Nothing comes of it, however often it is done.
bool is_idle(const Instruction& instruction, unsigned depth) {
  if (isa<DbgInfoIntrinsic>(instruction)) return true;
  const auto* call = dyn_cast<CallInst>(&instruction);
  const Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
  if (callee == nullptr) return false;
  if (callee->isDeclaration())
    return StringSwitch<bool>(callee->getName())
        .Cases("sched_yield", "pthread_yield", "thrd_yield", "llvm.x86.sse2.pause", true)
        .Default(false);
  return depth < deepest_call && call->arg_empty() && is_idle(*callee, depth + 1);
}

bool is_idle(const Function& function, unsigned depth) {
  if (function.size() != 1 || function.isInterposable()) return false;
  return all_of(function.front(), [&](const Instruction& one) { return isa<ReturnInst>(one) || is_idle(one, depth); });
}

/// Where the block leads to, if it does nothing on the way.
const BasicBlock* behind_idle(const BasicBlock& block, const BasicBlock& from) {
  const auto* jump = dyn_cast<BranchInst>(block.getTerminator());
  if (block.getSinglePredecessor() != &from || jump == nullptr || jump->isConditional()) return &block;
  for (const Instruction& one : block)
    if (&one != jump && !is_idle(one, 0)) return &block;
  return jump->getSuccessor(0);
}

/// Whichever way it goes makes no difference.
bool decides_nothing(const BranchInst& branch) {
  const BasicBlock& from = *branch.getParent();
  const BasicBlock* join = behind_idle(*branch.getSuccessor(0), from);
  return join == behind_idle(*branch.getSuccessor(1), from) && join->phis().empty();
}

bool is_harmless(const User* user, const PHINode& counter, const Instruction* next, const Loop& loop) {
  const auto* use = dyn_cast<Instruction>(user);
  if (use == nullptr || !loop.contains(use)) return false;
  if (use == next || use == &counter) return true;
  if (!isa<ICmpInst>(use) || !any_of(use->operands(), [](const Value* operand) { return isa<ConstantInt>(operand); })) return false;
  return all_of(use->users(), [&](const User* decided) {
    const auto* branch = dyn_cast<BranchInst>(decided);
    return branch != nullptr && (branch->getParent() == loop.getHeader() || decides_nothing(*branch));
  });
}

/// Whether to give up is looked at first, before anything else is done.
bool gives_up_in_header(const Loop& loop) {
  const auto* branch = dyn_cast<BranchInst>(loop.getHeader()->getTerminator());
  if (branch == nullptr || !branch->isConditional() || !loop.isLoopExiting(loop.getHeader())) return false;
  return all_of(*loop.getHeader(), [&](const Instruction& one) {
    return isa<PHINode, DbgInfoIntrinsic>(one) || &one == branch || (isa<ICmpInst>(one) && one.hasOneUse() && one.user_back() == branch);
  });
}

}  // namespace

SmallVector<PollCounter, 1> counters_of_polling(const Loop& loop, ScalarEvolution& evolution) {
  SmallVector<PollCounter, 1> found;
  if (loop.getLoopLatch() == nullptr || !gives_up_in_header(loop)) return found;
  const auto* iterations = dyn_cast<SCEVConstant>(evolution.getExitCount(&loop, loop.getHeader()));
  if (iterations == nullptr || iterations->getAPInt().ugt(most_iterations)) return found;
  for (PHINode& phi : loop.getHeader()->phis()) {
    const auto* recurrence = evolution.isSCEVable(phi.getType()) ? dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(&phi)) : nullptr;
    if (recurrence == nullptr || recurrence->getLoop() != &loop || !recurrence->isAffine()) continue;
    const auto* last = dyn_cast<SCEVConstant>(recurrence->evaluateAtIteration(iterations, evolution));
    const auto* next = dyn_cast<Instruction>(phi.getIncomingValueForBlock(loop.getLoopLatch()));
    if (last == nullptr || next == nullptr || !next->hasOneUse()) return {};
    if (!all_of(phi.users(), [&](const User* user) { return is_harmless(user, phi, next, loop); })) return {};
    found.push_back({&phi, last->getValue()});
  }
  return found;
}

}  // namespace treadle

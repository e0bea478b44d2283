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
        .Case("__treadle_call", true)  // in front of these
        .Default(false);
  return depth < deepest_call && call->arg_empty() && is_idle(*callee, depth + 1);
}

bool is_idle(const Function& function, unsigned depth) {
  if (function.isInterposable()) return false;
  const BasicBlock* block = &function.front();
  for (std::size_t left = function.size(); block != nullptr && left > 0; --left, block = block->getSingleSuccessor())
    for (const Instruction& one : *block)
      if (!isa<ReturnInst>(one) && !(isa<BranchInst>(one) && block->getSingleSuccessor() != nullptr) && !is_idle(one, depth)) return false;
  return block == nullptr;
}

/// Where the block leads to without doing anything on the way.
const BasicBlock* behind_idle(const BasicBlock* block, const BasicBlock* from) {
  for (; block->getSinglePredecessor() == from && isa<BranchInst>(block->getTerminator());
       from = std::exchange(block, block->getSingleSuccessor())) {
    if (block->getSingleSuccessor() == nullptr) break;
    if (any_of(*block, [](const Instruction& one) { return !one.isTerminator() && !is_idle(one, 0); })) break;
  }
  return block;
}

/// Whichever way it goes makes no difference.
bool decides_nothing(const BranchInst& branch) {
  const BasicBlock* join = behind_idle(branch.getSuccessor(0), branch.getParent());
  return join == behind_idle(branch.getSuccessor(1), branch.getParent()) && join->phis().empty();
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

/// Loops that only look may do so for other reasons than to wait.
bool relaxes(const Loop& loop) {
  for (const BasicBlock* block : loop.blocks())
    for (const Instruction& one : *block)
      if (const auto* call = dyn_cast<CallInst>(&one);
          call != nullptr && is_idle(*call, 0) && !isa<DbgInfoIntrinsic>(call) && call->getCalledFunction()->getName() != "__treadle_call")
        return true;
  return false;
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
  if (loop.getLoopLatch() == nullptr || !gives_up_in_header(loop) || !relaxes(loop)) return found;
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

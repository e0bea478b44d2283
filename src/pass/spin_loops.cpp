// SPDX-License-Identifier: Apache-2.0
#include "pass/spin_loops.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/xxhash.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "pass/effects.h"
#include "pass/hooks.h"
#include "pass/polling_loops.h"

namespace treadle {

using namespace llvm;

namespace {

bool only_reads(const Instruction& use) {
  const auto* call = dyn_cast<CallBase>(&use);
  const Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
  return isa<LoadInst>(use) ||
         (callee != nullptr && callee->isDeclaration() && (callee->getName() == "memcmp" || callee->getName() == "bcmp"));
}

// A local that each iteration writes, all of it, before it looks at it: what the one before left there does not matter.
bool is_written_anew(const AllocaInst& local, const Loop& loop, const DominatorTree& dominators) {
  const auto bytes = local.getAllocationSize(local.getDataLayout());
  const StoreInst* first = nullptr;
  SmallVector<const Instruction*, 4> others;
  for (const User* user : local.users()) {
    const auto* use = cast<Instruction>(user);
    const auto* intrinsic = dyn_cast<IntrinsicInst>(use);
    if (intrinsic != nullptr && (intrinsic->isLifetimeStartOrEnd() || isa<DbgInfoIntrinsic>(intrinsic))) continue;
    if (!loop.contains(use)) return false;
    const auto* store = dyn_cast<StoreInst>(use);
    if (store != nullptr && store->getValueOperand() == &local) return false;
    if (store == nullptr && !only_reads(*use)) return false;
    const bool is_whole = store != nullptr && bytes == local.getDataLayout().getTypeStoreSize(store->getValueOperand()->getType());
    if (is_whole && (first == nullptr || dominators.dominates(store, first))) first = store;
    others.push_back(use);
  }
  return first != nullptr && all_of(others, [&](const Instruction* use) { return use == first || dominators.dominates(first, use); });
}

Effects effects_of(const Loop& loop, const FunctionEffects& functions, const DominatorTree& dominators) {
  Effects sum;
  for (const BasicBlock* block : loop.blocks())
    for (const Instruction& instruction : *block) {
      const auto* store = dyn_cast<StoreInst>(&instruction);
      const auto* local = store == nullptr ? nullptr : dyn_cast<AllocaInst>(store->getPointerOperand());
      if (local == nullptr || !is_written_anew(*local, loop, dominators)) sum |= functions.of(instruction);
    }
  return sum;
}

bool counts(const Loop& loop, ScalarEvolution& evolution) {
  return any_of(loop.getHeader()->phis(), [&](PHINode& phi) {
    if (!evolution.isSCEVable(phi.getType())) return false;
    const auto* recurrence = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(&phi));
    return recurrence != nullptr && recurrence->getLoop() == &loop && evolution.isKnownNonZero(recurrence->getStepRecurrence(evolution));
  });
}

// All the bits of a value, as one or more integers; false for types that have none we can take (and then the loop gets no hook).
bool append_words(IRBuilder<>& at, Value* value, SmallVectorImpl<Value*>& words) {
  Type* type = value->getType();
  if (auto* aggregate = dyn_cast<StructType>(type)) {
    for (unsigned i = 0; i < aggregate->getNumElements(); ++i)
      if (!append_words(at, at.CreateExtractValue(value, i), words)) return false;
    return true;
  }
  if (type->isPointerTy()) return words.push_back(at.CreatePtrToInt(value, at.getInt64Ty())), true;
  if (type->isPtrOrPtrVectorTy() || (!type->isIntOrIntVectorTy() && !type->isFPOrFPVectorTy())) return false;
  unsigned bits = type->getPrimitiveSizeInBits().getFixedValue();
  Value* integer = at.CreateBitCast(value, at.getIntNTy(bits));
  for (unsigned from = 0; from < bits; from += 64)
    words.push_back(at.CreateZExtOrTrunc(from == 0 ? integer : at.CreateLShr(integer, from), at.getInt64Ty()));
  return true;
}

bool can_be_hashed(Type* type) {
  if (auto* aggregate = dyn_cast<StructType>(type)) return all_of(aggregate->elements(), can_be_hashed);
  return type->isPointerTy() || (type->isSized() && !type->isScalableTy() && (type->isIntOrIntVectorTy() || type->isFPOrFPVectorTy()));
}

/// 0: of nothing.
Value* hash_of(IRBuilder<>& at, ArrayRef<Value*> values) {
  SmallVector<Value*, 8> words;
  for (Value* value : values) append_words(at, at.CreateFreeze(value), words);
  Value* state = at.getInt64(words.size());
  for (Value* word : words) {
    state = at.CreateMul(at.CreateXor(state, word), at.getInt64(0x9e3779b97f4a7c15));
    state = at.CreateXor(state, at.CreateLShr(state, 32));
  }
  return state;
}

// An edge needs a block of its own for the hook: it must run when the edge is taken and only then.
bool has_splittable_edges(const Loop& loop) {
  if (loop.getHeader()->isEHPad() || loop.getHeader()->isEntryBlock()) return false;
  return none_of(predecessors(loop.getHeader()),
                 [](const BasicBlock* from) { return isa<IndirectBrInst, CallBrInst>(from->getTerminator()); });
}

DebugLoc position_of(const Loop& loop, const Instruction& jump) {
  if (jump.getDebugLoc()) return jump.getDebugLoc();
  if (DebugLoc start = loop.getStartLoc()) return start;
  DISubprogram* function = jump.getFunction()->getSubprogram();
  return function != nullptr ? DebugLoc(DILocation::get(jump.getContext(), function->getScopeLine(), 0, function)) : DebugLoc();
}

/// A loop that gets hooks.
struct SpinLoop {
  std::uint64_t number;
  SmallSetVector<Value*, 8> from_outside;  // what it uses and does not compute, besides what its header's phis start with
  SmallVector<PollCounter, 1> counters;    // it polls

  const PollCounter* counter(const PHINode& phi) const {
    const auto* found = find_if(counters, [&](const PollCounter& one) { return one.phi == &phi; });
    return found == counters.end() ? nullptr : found;
  }
};

/// An edge into the header of a loop, and what the hook on it is to say.
struct Edge {
  BasicBlock* from;
  BasicBlock* header;
  bool enters;
  std::size_t loop;
  DebugLoc position;
};

void hook_edge(const Edge& edge, const SpinLoop& loop) {
  BasicBlock& from = *edge.from;
  BasicBlock& header = *edge.header;
  BasicBlock* between = BasicBlock::Create(header.getContext(), "", header.getParent(), &header);
  IRBuilder<> at(between);
  at.SetCurrentDebugLocation(edge.position);
  SmallVector<Value*, 8> carried;
  for (PHINode& phi : header.phis())
    if (loop.counter(phi) == nullptr) carried.push_back(phi.getIncomingValueForBlock(&from));
  Value* number = at.getInt64(loop.number);
  Value* state = hash_of(at, carried);
  Value* gives_up = nullptr;
  if (edge.enters)
    call_hook(at, "__treadle_loop_enter", at.getVoidTy(), {number, state, hash_of(at, loop.from_outside.getArrayRef())});
  else if (loop.counters.empty())
    call_hook(at, "__treadle_loop", at.getVoidTy(), {number, state});
  else
    gives_up = at.CreateIsNotNull(call_hook(at, "__treadle_loop_polls", at.getInt32Ty(), {number, state}));

  SmallVector<Value*, 8> values;  // a switch may have several edges to the header, with one entry each
  for (PHINode& phi : header.phis()) {
    Value* incoming = phi.getIncomingValueForBlock(&from);
    const PollCounter* counter = gives_up == nullptr ? nullptr : loop.counter(phi);
    values.push_back(counter == nullptr ? incoming : at.CreateSelect(gives_up, counter->last, incoming));
  }
  at.CreateBr(&header);
  for (auto [phi, incoming] : zip_equal(header.phis(), values)) {
    phi.removeIncomingValueIf([&](unsigned i) { return phi.getIncomingBlock(i) == &from; }, /*DeletePHIIfEmpty=*/false);
    phi.addIncoming(incoming, between);
  }
  from.getTerminator()->replaceSuccessorWith(&header, between);
}

bool may_spin(const Loop& loop, const Effects& effects) {
  if (!effects.reads_shared || effects.has_hidden_state || effects.writes_local || !has_splittable_edges(loop)) return false;
  return all_of(loop.getHeader()->phis(), [](const PHINode& phi) { return can_be_hashed(phi.getType()); });
}

// The same in every run of the compiler; functions of one name in two files are told apart by the file.
std::uint64_t number_of(const Function& function, unsigned index) {
  std::string name = (function.getParent()->getSourceFileName() + ":" + function.getName() + ":" + Twine(index)).str();
  return xxh3_64bits(name);
}

SmallSetVector<Value*, 8> used_from_outside(const Loop& loop) {
  SmallSetVector<Value*, 8> values;
  for (const BasicBlock* block : loop.blocks())
    for (const Instruction& instruction : *block) {
      if (block == loop.getHeader() && isa<PHINode>(instruction)) continue;
      for (Value* operand : instruction.operands()) {
        const auto* computed = dyn_cast<Instruction>(operand);
        if (isa<Argument>(operand) || (computed != nullptr && !loop.contains(computed))) values.insert(operand);
      }
    }
  return values;
}

SpinLoop describe(const Loop& loop, const Effects& effects, std::uint64_t number) {
  SpinLoop result{number | 1, used_from_outside(loop), {}};
  bool is_all = !effects.reads_private;
  result.from_outside.remove_if([&](const Value* value) {
    bool has_bits = can_be_hashed(value->getType());
    is_all &= has_bits;
    return !has_bits;
  });
  if (!is_all) result.number ^= 1;
  result.number = (result.number & ~std::uint64_t{2}) | (effects.reads_visibly ? 2 : 0);
  return result;
}

void collect_edges(const Loop& loop, std::size_t number, SmallVectorImpl<Edge>& edges) {
  SmallSetVector<BasicBlock*, 4> sources(pred_begin(loop.getHeader()), pred_end(loop.getHeader()));
  for (bool enters : {true, false})
    for (BasicBlock* from : sources)
      if (loop.contains(from) != enters)
        edges.push_back({from, loop.getHeader(), enters, number, position_of(loop, *from->getTerminator())});
}

void hook_loops(Function& function, const FunctionEffects& functions, FunctionAnalysisManager& analyses) {
  // A variable that only feeds itself carries nothing.
  for (BasicBlock& block : function) DeleteDeadPHIs(&block);
  analyses.invalidate(function, PreservedAnalyses::none());
  auto& loops = analyses.getResult<LoopAnalysis>(function);
  if (loops.empty()) return;
  const auto& dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  auto& evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  SmallVector<Edge, 8> edges;
  SmallVector<SpinLoop, 2> found;
  for (const Loop* loop : loops.getLoopsInPreorder()) {
    Effects effects = effects_of(*loop, functions, dominators);
    if (!may_spin(*loop, effects)) continue;
    SmallVector<PollCounter, 1> counters = counts(*loop, evolution) ? counters_of_polling(*loop, evolution) : SmallVector<PollCounter, 1>();
    if (counters.empty() && counts(*loop, evolution)) continue;
    collect_edges(*loop, found.size(), edges);
    found.push_back(describe(*loop, effects, number_of(function, static_cast<unsigned>(found.size()))));
    if (!counters.empty()) found.back().number &= ~std::uint64_t{1};  // whose iterations nobody has to recognise
    found.back().counters = std::move(counters);
  }
  for (const Edge& edge : edges) hook_edge(edge, found[edge.loop]);
}

}  // namespace

void hook_spin_loops(Module& module, FunctionAnalysisManager& analyses) {
  FunctionEffects functions(module);
  for (Function& function : module)
    if (functions.is_known(function)) hook_loops(function, functions, analyses);
}

}  // namespace treadle

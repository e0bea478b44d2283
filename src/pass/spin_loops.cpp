// SPDX-License-Identifier: Apache-2.0
#include "pass/spin_loops.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/xxhash.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "pass/effects.h"
#include "pass/hooks.h"

namespace treadle {

using namespace llvm;

namespace {

Effects effects_of(const Loop& loop, const FunctionEffects& functions) {
  Effects sum;
  for (const BasicBlock* block : loop.blocks())
    for (const Instruction& instruction : *block) sum |= functions.of(instruction);
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

Value* hash_of(IRBuilder<>& at, ArrayRef<Value*> values) {
  SmallVector<Value*, 8> words;
  for (Value* value : values) append_words(at, at.CreateFreeze(value), words);
  Value* state = at.getInt64(0);
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
  for (PHINode& phi : header.phis()) carried.push_back(phi.getIncomingValueForBlock(&from));
  Value* number = at.getInt64(loop.number);
  Value* state = hash_of(at, carried);
  if (edge.enters)
    call_hook(at, "__treadle_loop_enter", at.getVoidTy(), {number, state, hash_of(at, loop.from_outside.getArrayRef())});
  else
    call_hook(at, "__treadle_loop", at.getVoidTy(), {number, state});
  at.CreateBr(&header);

  for (PHINode& phi : header.phis()) {  // a switch may have several edges to the header, with one entry each
    Value* incoming = phi.getIncomingValueForBlock(&from);
    phi.removeIncomingValueIf([&](unsigned i) { return phi.getIncomingBlock(i) == &from; }, /*DeletePHIIfEmpty=*/false);
    phi.addIncoming(incoming, between);
  }
  from.getTerminator()->replaceSuccessorWith(&header, between);
}

bool may_spin(const Loop& loop, const Effects& effects, ScalarEvolution& evolution) {
  if (!effects.reads_shared || effects.has_hidden_state || effects.writes_local || !has_splittable_edges(loop)) return false;
  return all_of(loop.getHeader()->phis(), [](const PHINode& phi) { return can_be_hashed(phi.getType()); }) && !counts(loop, evolution);
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
  SpinLoop result{number | 1, used_from_outside(loop)};
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
  auto& evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  SmallVector<Edge, 8> edges;
  SmallVector<SpinLoop, 2> found;
  for (const Loop* loop : loops.getLoopsInPreorder()) {
    Effects effects = effects_of(*loop, functions);
    if (!may_spin(*loop, effects, evolution)) continue;
    collect_edges(*loop, found.size(), edges);
    found.push_back(describe(*loop, effects, number_of(function, static_cast<unsigned>(found.size()))));
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

// SPDX-License-Identifier: Apache-2.0
#include "pass/paths_graph.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "pass/paths_calls.h"

namespace treadle {

using namespace llvm;

namespace {

unsigned line_of(const BasicBlock& block) {
  for (const Instruction& instruction : block)
    if (const DebugLoc& position = instruction.getDebugLoc(); position && position.getLine() != 0) return position.getLine();
  return 0;
}

class GraphBuilder {
 public:
  GraphBuilder(Function& function, const HowCalled& how_called, const TargetLibraryInfo& library)
      : how_called_(how_called), library_(library) {
    graph_.function = &function;
  }

  PathGraph build() {
    Function& function = *graph_.function;
    unsigned blocks = 0;
    for (BasicBlock& block : function) {
      ordinal_[&block] = blocks++;
      first_.insert(&block);
      graph_.lines.push_back(line_of(block));
    }
    cut_behind_calls(function);
    for (BasicBlock& block : function) add_node(block);
    find_counted_loops(function);
    for (PathNode& node : graph_.nodes) add_outs(node);
    mark_starts();
    return std::move(graph_);
  }

 private:
  void cut_behind_calls(Function& function) {
    SmallVector<CallBase*, 16> calls;
    for (Instruction& instruction : instructions(function))
      if (auto* call = dyn_cast<CallBase>(&instruction); call != nullptr && ends_path(*call, library_)) calls.push_back(call);
    for (CallBase* call : calls) {
      BasicBlock* block = call->getParent();
      BasicBlock* rest;
      if (auto* invoke = dyn_cast<InvokeInst>(call)) {  // what is behind it must be behind it only
        rest = invoke->getNormalDest();
        if (rest->getSinglePredecessor() == nullptr) rest = SplitEdge(block, rest);
      } else {
        rest = block->splitBasicBlock(std::next(call->getIterator()));
      }
      if (!ordinal_.contains(rest)) ordinal_[rest] = ordinal_.lookup(block);
      call_of_[block] = call;
    }
  }

  void add_node(BasicBlock& block) {
    PathNode node;
    node.block = &block;
    node.ordinal = ordinal_.lookup(&block);
    if (first_.contains(&block)) node.flags |= TREADLE_NODE_BEGINS;
    if (block.isLandingPad()) node.flags |= TREADLE_NODE_LANDING;
    node.call = call_of_.lookup(&block);
    graph_.number[&block] = graph_.nodes.size();
    graph_.nodes.push_back(std::move(node));
  }

  /// One way from the header back to it, and nothing on it that ends a path.
  bool has_one_way(const Loop& loop) const {
    for (BasicBlock* block : loop.blocks()) {
      if (call_of_.contains(block)) return false;
      SmallPtrSet<BasicBlock*, 4> inside;
      for (BasicBlock* next : successors(block))
        if (loop.contains(next)) inside.insert(next);
      if (inside.size() != 1) return false;
    }
    return true;
  }

  void find_counted_loops(Function& function) {
    const DominatorTree dominators(function);
    const LoopInfo loops(dominators);
    for (const Loop* loop : loops.getLoopsInPreorder())
      if (loop->isInnermost() && loop->getLoopLatch() != nullptr && has_one_way(*loop)) {
        const unsigned header = graph_.number[loop->getHeader()];
        graph_.nodes[header].flags |= TREADLE_NODE_COUNTED;
        for (BasicBlock* block : loop->blocks()) graph_.nodes[graph_.number[block]].loop = static_cast<int>(header);
        latch_[loop->getHeader()] = loop->getLoopLatch();
      }
  }

  void add_outs(PathNode& node) {
    if (node.call != nullptr) return add_call(node);
    const Instruction* last = node.block->getTerminator();
    if (isa<ReturnInst>(last)) return node.outs.push_back({TREADLE_OUT_RETURN});
    if (isa<ResumeInst>(last)) return node.outs.push_back({TREADLE_OUT_RESUME});
    SmallPtrSet<BasicBlock*, 8> seen;
    for (BasicBlock* next : successors(node.block)) {
      if (!seen.insert(next).second) continue;
      PathOut out{TREADLE_OUT_EDGE, graph_.number[next]};
      if (graph_.nodes[out.target].flags & TREADLE_NODE_COUNTED)
        out.kind = latch_.lookup(next) == node.block ? TREADLE_OUT_AGAIN : TREADLE_OUT_CUT;
      node.outs.push_back(out);
    }
    if (node.outs.empty()) node.outs.push_back({TREADLE_OUT_NEVER});
  }

  void add_call(PathNode& node) {
    PathOut out{TREADLE_OUT_CALL};
    const auto* invoke = dyn_cast<InvokeInst>(node.call);
    out.target = graph_.number[invoke != nullptr ? invoke->getNormalDest() : node.block->getSingleSuccessor()];
    if (invoke != nullptr) out.landing = static_cast<int>(graph_.number[invoke->getUnwindDest()]);
    if (const Function* callee = node.call->getCalledFunction(); callee != nullptr && how_called_.contains(callee)) {
      out.callee = callee;
      out.how = how_called_.lookup(callee);
    }
    if (node.call->hasFnAttr(Attribute::ReturnsTwice)) graph_.nodes[out.target].flags |= TREADLE_NODE_LANDING;
    // Foreign code may call back any number of times: its beginning and its end both have to show.
    if (out.how == TREADLE_CALL_UNKNOWN) node.must_tell = graph_.nodes[out.target].must_tell = true;
    node.outs.push_back(out);
  }

  void mark_starts() {
    graph_.nodes.front().is_start = true;
    for (PathNode& node : graph_.nodes) {
      if (node.flags & TREADLE_NODE_LANDING) node.is_start = true;
      for (const PathOut& out : node.outs)
        if (out.kind == TREADLE_OUT_CUT || out.kind == TREADLE_OUT_CALL) graph_.nodes[out.target].is_start = true;
    }
  }

  PathGraph graph_;
  const HowCalled& how_called_;
  const TargetLibraryInfo& library_;
  DenseMap<const BasicBlock*, unsigned> ordinal_;
  DenseMap<const BasicBlock*, CallBase*> call_of_;
  DenseMap<const BasicBlock*, BasicBlock*> latch_;  // of counted loops, by header
  SmallPtrSet<const BasicBlock*, 16> first_;
};

}  // namespace

bool can_record(const Function& function) {
  if (function.isPresplitCoroutine()) return false;
  for (const Instruction& instruction : instructions(function)) {
    if (isa<IndirectBrInst>(instruction) || isa<CallBrInst>(instruction) || instruction.getType()->isTokenTy()) return false;
    if (const auto* choice = dyn_cast<SwitchInst>(&instruction); choice != nullptr && choice->getNumCases() >= TREADLE_MOST_PATHS_2 / 2)
      return false;
    if (const auto* call = dyn_cast<CallInst>(&instruction); call != nullptr && call->isMustTailCall()) return false;
  }
  return true;
}

PathGraph graph_of(Function& function, const HowCalled& how_called, const TargetLibraryInfo& library) {
  return GraphBuilder(function, how_called, library).build();
}

}  // namespace treadle

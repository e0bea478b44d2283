// SPDX-License-Identifier: Apache-2.0
#include "pass/paths_graph.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/ValueTracking.h>
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

/// Larger loops are not looked at.
constexpr std::size_t most_blocks = 200;
constexpr std::uint64_t most_ways = 1 << 20;

SmallSetVector<BasicBlock*, 8> distinct_successors(BasicBlock& block) { return {succ_begin(&block), succ_end(&block)}; }

class GraphBuilder {
 public:
  GraphBuilder(Function& function, const HowCalled& how_called, TargetLibraryInfo& library) : how_called_(how_called), library_(library) {
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
    find_loops(function);
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

  void find_loops(Function& function) {
    DominatorTree dominators(function);
    LoopInfo loops(dominators);
    AssumptionCache assumptions(function);
    ScalarEvolution iterations(function, library_, assumptions, dominators, loops);
    for (const Loop* loop : loops.getLoopsInPreorder()) {
      if (!loop->isInnermost() || loop->getLoopLatch() == nullptr || !count_ways(*loop)) continue;
      const unsigned header = graph_.number[loop->getHeader()];
      PathNode& node = graph_.nodes[header];
      const bool is_counted = has_one_way(*loop, node.way);
      if (!is_counted && (node.ways > TREADLE_MOST_WAYS || has_calls(*loop))) continue;
      node.flags |= is_counted ? TREADLE_NODE_COUNTED : TREADLE_NODE_PACKED;
      for (BasicBlock* block : loop->blocks()) graph_.nodes[graph_.number[block]].loop = static_cast<int>(header);
      latch_[loop->getHeader()] = loop->getLoopLatch();
      if (!is_counted) node.is_short = cannot_fail(*loop) && fits_one_number(iterations.getSmallConstantMaxTripCount(loop), node.ways);
    }
  }

  /// What it has done need not stand in the stream while it is at it.
  static bool cannot_fail(const Loop& loop) {
    return all_of(loop.blocks(), [](const BasicBlock* block) {
      return all_of(*block, [](const Instruction& instruction) {
        return instruction.isTerminator() || isa<PHINode>(instruction) || instruction.isDebugOrPseudoInst() ||
               (!instruction.mayReadOrWriteMemory() && isSafeToSpeculativelyExecute(&instruction));
      });
    });
  }

  /// A one and a digit for each iteration. `most`: 0 when that is not known.
  static bool fits_one_number(unsigned most, unsigned ways) { return most > 0 && most <= 62 / Log2_32_Ceil(ways); }

  /// Counts ways to the next iteration, targets of edges first. False when there are too many, or something on them that ends a path.
  bool count_ways(const Loop& loop) {
    if (any_of(loop.blocks(), [&](BasicBlock* block) { return call_of_.contains(block); })) return false;
    SmallVector<BasicBlock*, 16> order;
    SmallPtrSet<BasicBlock*, 16> open, done;
    if (!order_blocks(loop, loop.getHeader(), open, done, order)) return false;
    for (BasicBlock* block : order) {
      std::uint64_t ways = 0;
      for (BasicBlock* next : distinct_successors(*block)) ways += ways_on(loop, next);
      if (ways == 0 || ways > most_ways) return false;
      graph_.nodes[graph_.number[block]].ways = static_cast<unsigned>(ways);
    }
    return true;
  }

  /// Depth first; false when there is a cycle besides the one through the header.
  static bool order_blocks(const Loop& loop, BasicBlock* block, SmallPtrSetImpl<BasicBlock*>& open, SmallPtrSetImpl<BasicBlock*>& done,
                           SmallVectorImpl<BasicBlock*>& order) {
    if (done.contains(block)) return true;
    if (order.size() + open.size() > most_blocks || !open.insert(block).second) return false;
    for (BasicBlock* next : distinct_successors(*block))
      if (next != loop.getHeader() && loop.contains(next) && !order_blocks(loop, next, open, done, order)) return false;
    open.erase(block);
    done.insert(block);
    order.push_back(block);
    return true;
  }

  unsigned ways_on(const Loop& loop, BasicBlock* next) const {
    if (next == loop.getHeader()) return 1;
    return loop.contains(next) ? graph_.nodes[graph_.number.lookup(next)].ways : 0;
  }

  /// Of the ways through `while (a && b)` one leads over "a does not hold, go on all the same": the branch behind a phi of constants.
  static bool can_follow(const BasicBlock* from, const BasicBlock& block, const BasicBlock* next) {
    const auto* branch = dyn_cast<BranchInst>(block.getTerminator());
    if (from == nullptr || branch == nullptr || !branch->isConditional()) return true;
    const auto* phi = dyn_cast<PHINode>(branch->getCondition());
    if (phi == nullptr || phi->getParent() != &block) return true;
    const auto* known = dyn_cast<ConstantInt>(phi->getIncomingValueForBlock(from));
    return known == nullptr || branch->getSuccessor(known->isZero() ? 1 : 0) == next;
  }

  /// One that can be taken; `number`: which. A way is followed to its end or to where it would fork.
  bool has_one_way(const Loop& loop, unsigned& number) const {
    number = 0;
    const BasicBlock* from = nullptr;
    for (BasicBlock* block = loop.getHeader();;) {
      BasicBlock* taken = nullptr;
      unsigned before = 0, passed = 0;
      for (BasicBlock* next : distinct_successors(*block)) {
        const unsigned ways = ways_on(loop, next);
        if (ways > 0 && can_follow(from, *block, next) && !is_dead_end(loop, block, next)) {
          if (taken != nullptr) return false;
          taken = next;
          before = passed;
        }
        passed += ways;
      }
      if (taken == nullptr) return false;
      number += before;
      if (taken == loop.getHeader()) return true;
      from = block;
      block = taken;
    }
  }

  /// Behind this edge nothing leads on in the loop.
  bool is_dead_end(const Loop& loop, BasicBlock* from, BasicBlock* block) const {
    if (block == loop.getHeader()) return false;
    return none_of(distinct_successors(*block),
                   [&](BasicBlock* next) { return ways_on(loop, next) > 0 && can_follow(from, *block, next); });
  }

  /// Of any kind: what a quiet function leaves would stand in front of what the loop does.
  static bool has_calls(const Loop& loop) {
    return any_of(loop.blocks(), [](const BasicBlock* block) {
      return any_of(*block, [](const Instruction& instruction) {
        const auto* call = dyn_cast<CallBase>(&instruction);
        return call != nullptr && is_real_call(*call);
      });
    });
  }

  void add_outs(PathNode& node) {
    if (node.call != nullptr) return add_call(node);
    const Instruction* last = node.block->getTerminator();
    if (isa<ReturnInst>(last)) return node.outs.push_back({TREADLE_OUT_RETURN});
    if (isa<ResumeInst>(last)) return node.outs.push_back({TREADLE_OUT_RESUME});
    const bool is_packed = node.loop >= 0 && (graph_.nodes[node.loop].flags & TREADLE_NODE_PACKED) != 0;
    unsigned step = 0;
    for (BasicBlock* next : distinct_successors(*node.block)) {
      PathOut out{TREADLE_OUT_EDGE, graph_.number[next]};
      const PathNode& target = graph_.nodes[out.target];
      if (target.flags & TREADLE_NODE_LOOP) out.kind = latch_.lookup(next) == node.block ? TREADLE_OUT_AGAIN : TREADLE_OUT_CUT;
      if (is_packed && target.loop == node.loop) {
        out.step = step;
        step += out.kind == TREADLE_OUT_AGAIN ? 1 : target.ways;
      }
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
  TargetLibraryInfo& library_;
  DenseMap<const BasicBlock*, unsigned> ordinal_;
  DenseMap<const BasicBlock*, CallBase*> call_of_;
  DenseMap<const BasicBlock*, BasicBlock*> latch_;  // of counted and packed loops, by header
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

PathGraph graph_of(Function& function, const HowCalled& how_called, TargetLibraryInfo& library) {
  return GraphBuilder(function, how_called, library).build();
}

}  // namespace treadle

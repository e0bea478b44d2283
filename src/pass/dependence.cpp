// SPDX-License-Identifier: Apache-2.0
#include "pass/dependence.h"

#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include "pass/dependence_nodes.h"
#include "pass/hooks.h"
#include "pass/prepare.h"

namespace treadle {

using namespace llvm;

namespace {

constexpr Node on_everything = DependenceGraph::everything;
constexpr Node on_nothing = DependenceGraph::nothing;

bool is_native_access(const Instruction& instruction) {
  return isa<LoadInst, StoreInst, AtomicRMWInst, AtomicCmpXchgInst, VAArgInst, IntrinsicInst>(instruction);
}

/// The hook for assembly that the pass does not understand stands right in front of it.
bool is_opaque_asm(const CallBase& call) {
  const auto* before = dyn_cast_or_null<CallBase>(call.getPrevNode());
  return before != nullptr && before->getCalledFunction() != nullptr && before->getCalledFunction()->getName() == "__treadle_opaque_asm";
}

bool branches(const BasicBlock& block) { return block.getTerminator()->getNumSuccessors() > 1; }

class FunctionDependence {
 public:
  FunctionDependence(Function& function, DependenceNodes& nodes, FunctionAnalysisManager& analyses)
      : function_(function),
        nodes_(nodes),
        own_(*nodes.function(&function)),
        dominators_(analyses.getResult<DominatorTreeAnalysis>(function)),
        loops_(function, analyses) {
    for (BasicBlock& block : function) {
      BlockNodes& made = blocks_[&block];
      for (Node* node : {&made.control, &made.branch, &made.progress_before, &made.way_before, &made.progress_after, &made.way_after})
        *node = nodes_.graph().add();
      returns_ += isa<ReturnInst>(block.getTerminator());
    }
    find_control(analyses.getResult<PostDominatorTreeAnalysis>(function));
    find_eventful_branches();
  }

  void run() {
    for (BasicBlock& block : function_) add_block(block);
  }

 private:
  struct BlockNodes {
    Node control, branch;
    Node progress_before, way_before, progress_after, way_after;
    SmallVector<BasicBlock*, 2> controlled_by{};
    bool decides_events = false;  // its branch
  };

  // Ferrante, Ottenstein, Warren: from each successor up the post-dominator tree to where all ways meet again.
  void find_control(const PostDominatorTree& tree) {
    for (BasicBlock& block : function_) {
      if (!branches(block)) continue;
      const auto* node = tree.getNode(&block);
      const auto* meet = node != nullptr ? node->getIDom() : nullptr;
      for (BasicBlock* successor : successors(&block))
        for (const auto* at = tree.getNode(successor); at != nullptr && at != meet && at->getBlock() != nullptr; at = at->getIDom()) {
          auto& list = blocks_[at->getBlock()].controlled_by;
          if (!is_contained(list, &block)) list.push_back(&block);
        }
    }
    for (BasicBlock& block : function_)
      for (BasicBlock* branch : blocks_[&block].controlled_by)
        for (Node on : {blocks_[branch].branch, blocks_[branch].control}) nodes_.depend(blocks_[&block].control, on);
  }

  bool has_events(const BasicBlock& block) {
    return any_of(block, [&](const Instruction& instruction) {
      const auto* call = dyn_cast<CallBase>(&instruction);
      if (call == nullptr || isa<IntrinsicInst>(call) || call->isInlineAsm()) return false;
      const Function* callee = nodes_.callee_of(*call);
      return callee != nullptr ? nodes_.function(callee)->is_eventful : DependenceNodes::deed(*call) != Deed::Computes;
    });
  }

  void find_eventful_branches() {
    SmallVector<BasicBlock*, 16> pending;
    for (BasicBlock& block : function_)
      if (has_events(block)) pending.push_back(&block);
    SmallPtrSet<BasicBlock*, 16> seen(pending.begin(), pending.end());
    while (!pending.empty())
      for (BasicBlock* branch : blocks_[pending.pop_back_val()].controlled_by) {
        blocks_[branch].decides_events = true;
        if (seen.insert(branch).second) pending.push_back(branch);
      }
  }

  void add_block(BasicBlock& block) {
    here_ = &blocks_[&block];
    place_ = {here_->control, here_->progress_before, here_->way_before};
    nodes_.depend(place_.way, place_.progress);
    for (BasicBlock* from : predecessors(&block)) {
      nodes_.depend(here_->progress_before, blocks_[from].progress_after);
      nodes_.depend(here_->way_before, blocks_[from].way_after);
    }
    for (Instruction& instruction : block) add_instruction(instruction);
    nodes_.depend(here_->progress_after, place_.progress);
    nodes_.depend(here_->way_after, place_.way);
  }

  void add_instruction(Instruction& instruction) {
    auto* call = dyn_cast<CallBase>(&instruction);
    if (auto* phi = dyn_cast<PHINode>(&instruction))
      add_phi(*phi);
    else if (call != nullptr && call->isInlineAsm())
      add_inline_asm(*call);
    else if (isa<LandingPadInst>(instruction))
      add_landing_pad(instruction);
    else if (is_native_access(instruction))
      add_native_access(instruction, nodes_, place_);
    else if (call != nullptr)
      add_call(*call, nodes_, place_);
    else
      operands_into(nodes_.value(&instruction), instruction);
    add_progress(instruction);
    if (instruction.isTerminator()) add_terminator(instruction);
  }

  void operands_into(Node node, const Instruction& instruction) {
    for (const Use& operand : instruction.operands()) nodes_.depend(node, nodes_.value(operand));
  }

  // Where control comes from is decided by the branches below the phi's immediate dominator.
  void add_phi(PHINode& phi) {
    const Node value = nodes_.value(&phi);
    const auto* node = dominators_.getNode(phi.getParent());
    const auto* meet = node != nullptr ? node->getIDom() : nullptr;
    SmallVector<BasicBlock*, 8> pending(phi.block_begin(), phi.block_end());
    SmallPtrSet<BasicBlock*, 16> seen;
    for (const Use& incoming : phi.incoming_values()) nodes_.depend(value, nodes_.value(incoming));
    for (BasicBlock* from : phi.blocks())
      if (branches(*from)) nodes_.depend(value, blocks_[from].branch);
    while (!pending.empty()) {
      BasicBlock* block = pending.pop_back_val();
      if (!seen.insert(block).second) continue;
      for (BasicBlock* branch : blocks_[block].controlled_by) {
        if (meet != nullptr && !dominators_.dominates(meet->getBlock(), branch)) continue;
        nodes_.depend(value, blocks_[branch].branch);
        pending.push_back(branch);
      }
    }
  }

  void add_landing_pad(Instruction& pad) {
    for (BasicBlock* from : predecessors(pad.getParent())) nodes_.depend(nodes_.value(&pad), blocks_[from].branch);
  }

  void add_inline_asm(CallBase& call) {
    operands_into(nodes_.value(&call), call);
    if (!is_opaque_asm(call)) return;
    nodes_.depend(nodes_.value(&call), on_everything);
    nodes_.leave_at(nullptr, on_everything);
    step(on_everything, true);
  }

  /// From here on, progress depends on `why` as well; if the function may end here for reasons of its own, also on whether we came here.
  void step(Node why, bool may_end) {
    if (why == on_nothing && !may_end) return;
    const Node progress = nodes_.graph().add(), way = nodes_.graph().add();
    nodes_.depend(progress, place_.progress);
    nodes_.depend(progress, why);
    nodes_.depend(own_.stops, why);
    if (may_end) {
      nodes_.depend(progress, place_.control);
      nodes_.depend(own_.stops, place_.control);
    }
    nodes_.depend(way, place_.way);
    nodes_.depend(way, progress);
    place_.progress = progress;
    place_.way = way;
  }

  void also_way(Node why) {
    if (why == on_nothing) return;
    const Node way = nodes_.graph().add();
    nodes_.depend(way, place_.way);
    nodes_.depend(way, why);
    place_.way = way;
  }

  void add_progress(Instruction& instruction) {
    auto* call = dyn_cast<CallBase>(&instruction);
    if (auto* local = dyn_cast<AllocaInst>(&instruction)) {  // all that is on the stack later stands elsewhere
      if (!isa<Constant>(local->getArraySize())) step(nodes_.value(local->getArraySize()), true);
    } else if (call == nullptr || isa<IntrinsicInst>(call) || call->isInlineAsm()) {
      if (!may_stop_here(instruction)) return;
      Node why = on_nothing;
      for (const Use& operand : instruction.operands()) why = nodes_.joined(why, nodes_.value(operand));
      step(why, true);
    } else {
      const Node why = stop_of(*call, nodes_);
      const bool is_own = nodes_.callee_of(*call) != nullptr;
      step(why, is_own ? why != on_nothing : may_stop_here(instruction));
      also_way(way_of(*call, nodes_));
      if (is_own && !nodes_.callee_of(*call)->hasLocalLinkage())
        step(nodes_.others(TREADLE_OTHER_REPLACES, nodes_.callee_of(*call)), false);
    }
  }

  void add_terminator(Instruction& terminator) {
    if (auto* back = dyn_cast<ReturnInst>(&terminator)) {
      if (back->getReturnValue() != nullptr) nodes_.depend(own_.result, nodes_.value(back->getReturnValue()));
      if (returns_ > 1) nodes_.depend(own_.result, here_->control);
      return nodes_.depend(own_.way, place_.way);
    }
    if (auto* invoke = dyn_cast<InvokeInst>(&terminator))
      nodes_.depend(here_->branch, stop_of(*invoke, nodes_));
    else if (isa<BranchInst, SwitchInst, IndirectBrInst>(terminator))
      operands_into(here_->branch, terminator);
    else if (terminator.getNumSuccessors() > 0)
      nodes_.depend(here_->branch, on_everything);
    if (!branches(*terminator.getParent())) return;
    if (loops_.may_be_kept_by(*terminator.getParent())) step(here_->branch, true);
    if (here_->decides_events) also_way(here_->branch);
  }

  Function& function_;
  DependenceNodes& nodes_;
  FunctionNodes& own_;
  const DominatorTree& dominators_;
  EndlessLoops loops_;
  unsigned returns_ = 0;
  DenseMap<const BasicBlock*, BlockNodes> blocks_;
  BlockNodes* here_ = nullptr;
  Place place_{};
};

}  // namespace

void add_dependence(Function& function, DependenceNodes& nodes, FunctionAnalysisManager& analyses) {
  FunctionDependence(function, nodes, analyses).run();
}

ModuleDependence dependence_of(Module& module, FunctionAnalysisManager& analyses) {
  for (Function& function : module)
    if (is_instrumented(function)) analyses.invalidate(function, PreservedAnalyses::none());
  DependenceNodes nodes(module, analyses);
  for (Function& function : module)
    if (nodes.function(&function) != nullptr) add_dependence(function, nodes, analyses);
  nodes.graph().close();
  return nodes.take();
}

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
#include "pass/paths_blocks.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Module.h>

#include "abi/follow.h"

namespace treadle {

using namespace llvm;

namespace {

template <class Put>
void behind_each_call(const PathGraph& graph, Put put) {
  for (unsigned i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].flags & TREADLE_NODE_BEGINS) continue;
    IRBuilder<> at(&*graph.nodes[i].block->getFirstInsertionPt());
    put(at, TREADLE_RETURNS_AT | i);
  }
}

template <class Put>
void at_each_block(const PathGraph& graph, Put put) {
  for (const PathNode& node : graph.nodes) {
    if (!(node.flags & TREADLE_NODE_BEGINS)) continue;
    IRBuilder<> at(node.block == &graph.function->getEntryBlock() ? &*node.block->getFirstNonPHIOrDbgOrAlloca()
                                                                  : &*node.block->getFirstInsertionPt());
    put(at, node.ordinal);
  }
}

}  // namespace

// Not loaded, so that positions in the file are known to the linker and cost nothing; in the group of its function, so that it goes when
// another file's copy of the function is taken.
void map_blocks(const PathGraph& graph, std::uint64_t piece_hash, unsigned number) {
  FunctionType* type = FunctionType::get(Type::getVoidTy(graph.function->getContext()), false);
  const auto put = [&](IRBuilder<>& at, unsigned block) {
    const std::string text = (Twine(".Ltreadle_block_${:uid}:\n\tnop\n\t.pushsection ") + TREADLE_BLOCKS_SECTION +
                              ",\"?\",@progbits\n\t.quad .Ltreadle_block_${:uid}\n\t.quad " + Twine(piece_hash) + "\n\t.long " +
                              Twine(number) + "\n\t.long " + Twine(block) + "\n\t.popsection")
                                 .str();
    at.CreateCall(InlineAsm::get(type, text, "", /*hasSideEffects=*/true));
  };
  at_each_block(graph, put);
  behind_each_call(graph, put);
}

namespace {

void announce(IRBuilder<>& at, std::uint64_t piece_hash, unsigned function, unsigned number) {
  Module* module = at.GetInsertBlock()->getModule();
  FunctionCallee callee =
      module->getOrInsertFunction("__treadle_block_runs", at.getVoidTy(), at.getInt64Ty(), at.getInt32Ty(), at.getInt32Ty());
  CallInst* call = at.CreateCall(callee, {at.getInt64(piece_hash), at.getInt32(function), at.getInt32(number)});
  call->setDoesNotThrow();
}

}  // namespace

void announce_blocks(const PathGraph& graph, std::uint64_t piece_hash, unsigned number) {
  at_each_block(graph, [&](IRBuilder<>& at, unsigned block) { announce(at, piece_hash, number, block); });
}

void announce_returns(const PathGraph& graph, std::uint64_t piece_hash, unsigned number) {
  behind_each_call(graph, [&](IRBuilder<>& at, unsigned node) { announce(at, piece_hash, number, node); });
}

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
#include "pass/paths.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Module.h>

#include "pass/instrument.h"
#include "pass/paths_blocks.h"
#include "pass/paths_emit.h"
#include "pass/paths_graph.h"
#include "pass/paths_section.h"
#include "pass/prepare.h"

namespace treadle {

using namespace llvm;

namespace {

/// Whoever calls it is in this file and calls it by name.
bool is_called_directly_only(const Function& function) {
  return function.hasLocalLinkage() && all_of(function.uses(), [](const Use& use) {
           const auto* call = dyn_cast<CallBase>(use.getUser());
           return call != nullptr && call->isCallee(&use) && can_record(*call->getFunction()) && is_instrumented(*call->getFunction());
         });
}

/// Calls of a function that another file may replace go who knows where.
HowCalled how_called(Module& module) {
  HowCalled result;
  for (Function& function : module) {
    if (!is_instrumented(function) || !can_record(function)) continue;
    if (is_called_directly_only(function))
      result[&function] = TREADLE_CALL_LOCAL;
    else if (function.isDefinitionExact() && !function.isInterposable())
      result[&function] = TREADLE_CALL_MARKED;
  }
  return result;
}

void number(PathGraph& graph) {
  const DominatorTree dominators(*graph.function);
  const LoopInfo loops(dominators);
  const BranchProbabilityInfo probabilities(*graph.function, loops);
  const BlockFrequencyInfo frequencies(*graph.function, probabilities, loops);
  number_paths(graph, frequencies, probabilities);
}

}  // namespace

PreservedAnalyses RecordPaths::run(Module& module, ModuleAnalysisManager& analyses) {
  if (is_done(module)) return PreservedAnalyses::all();
  auto& function_analyses = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  for (Function& function : module)
    if (is_instrumented(function)) end_preparation(function);

  const HowCalled how = how_called(module);
  std::vector<PathGraph> graphs;
  for (Function& function : module) {
    if (!is_instrumented(function) || !can_record(function)) continue;
    graphs.push_back(graph_of(function, how, function_analyses.getResult<TargetLibraryAnalysis>(function)));
    graphs.back().marks_entry = how.lookup(&function) != TREADLE_CALL_LOCAL || !how.contains(&function);
    number(graphs.back());
  }
  withdraw_promises(module);
  const std::uint64_t hash = embed_paths(module, graphs);
  for (unsigned i = 0; i < graphs.size(); ++i) {
    if (what.map) map_blocks(graphs[i], hash, i);
    if (what.announce) announce_blocks(graphs[i], hash, i);
    if (what.returns) announce_returns(graphs[i], hash, i);
    if (what.paths) emit_recording(graphs[i], hash, i);
  }
  verify(module);
  return PreservedAnalyses::none();
}

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// Where the pass stands in the pipeline: at its very start, before any pass that takes shared accesses for private ones. Tried
// and found wanting: instrumentation at the end of -O2 finds `while (!flag);` deleted, repeated loads merged and others invented.
#include <llvm/Analysis/InlineCost.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Transforms/IPO/Inliner.h>

#include "pass/branches.h"
#include "pass/instrument.h"
#include "pass/paths.h"
#include "pass/prepare.h"
#include "pass/short_way.h"

namespace treadle {
namespace {

using namespace llvm;

// Half of what -O2 inlines: enough for the accessors and constructors that make locals look shared.
constexpr int inline_threshold = 110;

// For tests of everything before it.
cl::opt<bool> short_way("treadle-short-way", cl::init(true), cl::Hidden, cl::desc("make repeated plain accesses without calling hooks"));

// `--symbolic` of the compilers.
cl::opt<bool> symbolic("treadle-symbolic", cl::init(false), cl::Hidden, cl::desc("thread expressions next to values"));

// What `treadle cc --record` asks for, in place of hooks.
cl::opt<bool> record("treadle-record", cl::init(false), cl::Hidden, cl::desc("record control flow instead of calling hooks"));
cl::opt<bool> record_paths("treadle-record-paths", cl::init(true), cl::Hidden, cl::desc("... as numbers of paths"));
cl::opt<bool> record_map("treadle-record-map", cl::init(false), cl::Hidden, cl::desc("... and say where blocks begin"));
cl::opt<bool> record_calls("treadle-record-calls", cl::init(false), cl::Hidden, cl::desc("... and call a function in each block"));

// What `treadle cc --follow` asks for, besides hooks.
cl::opt<bool> follow("treadle-follow", cl::init(false), cl::Hidden,
                     cl::desc("blocks say that they are entered, for following a recording"));

void add_to(ModulePassManager& passes) {
  passes.addPass(BeginPreparation());
  if (symbolic && !record && !follow) passes.addPass(MarkBranches());  // its blocks are of nobody else
  passes.addPass(createModuleToFunctionPassAdaptor(PromoteLocals()));
  ModuleInlinerWrapperPass inliner(getInlineParams(inline_threshold));
  inliner.getPM().addPass(createCGSCCToFunctionPassAdaptor(PromoteLocals()));
  passes.addPass(std::move(inliner));
  passes.addPass(createModuleToFunctionPassAdaptor(PromoteLocals()));
  if (record) return passes.addPass(RecordPaths({record_paths, record_map, record_calls}));
  if (follow) passes.addPass(RecordPaths({.paths = false, .map = false, .announce = true, .returns = true}));
  passes.addPass(Instrument(symbolic));
}

void register_passes(PassBuilder& builder) {
  builder.registerPipelineStartEPCallback([](ModulePassManager& passes, OptimizationLevel) { add_to(passes); });
  builder.registerOptimizerLastEPCallback([](ModulePassManager& passes, OptimizationLevel level) {
    if (short_way && !record && level != OptimizationLevel::O0) passes.addPass(ShortWay());
  });
  builder.registerPipelineParsingCallback([](StringRef name, ModulePassManager& passes, ArrayRef<PassBuilder::PipelineElement>) {
    if (name != "treadle") return false;
    add_to(passes);
    return true;
  });
}

}  // namespace
}  // namespace treadle

extern "C" LLVM_ATTRIBUTE_WEAK llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Treadle", "1", treadle::register_passes};
}

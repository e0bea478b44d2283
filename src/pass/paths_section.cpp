// SPDX-License-Identifier: Apache-2.0
#include "pass/paths_section.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/LEB128.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

namespace treadle {

using namespace llvm;

namespace {

class PathsWriter {
 public:
  PathsWriter(const Module& module, ArrayRef<PathGraph> graphs) : out_(bytes_) {
    for (unsigned i = 0; i < graphs.size(); ++i) number_[graphs[i].function] = i;
    text(module.getSourceFileName());
    put(graphs.size());
    for (const PathGraph& graph : graphs) add(graph);
  }

  const std::string& bytes() const { return bytes_; }

 private:
  void put(std::uint64_t value) { encodeULEB128(value, out_); }
  void text(StringRef value) {
    put(value.size());
    out_ << value;
  }

  void add(const PathGraph& graph) {
    text(graph.function->getName());
    put(graph.marks_entry ? 0 : TREADLE_FUNCTION_LOCAL);
    put(graph.lines.size());
    for (unsigned line : graph.lines) put(line);
    put(graph.nodes.size());
    for (const PathNode& node : graph.nodes) {
      put(node.ordinal);
      put(node.flags);
      put(node.width);
      if (node.flags & TREADLE_NODE_COUNTED) put(node.way);
      put(node.outs.size());
      for (const PathOut& out : node.outs) add(out);
    }
  }

  void add(const PathOut& out) {
    put(out.kind);
    if (out.kind == TREADLE_OUT_EDGE || out.kind == TREADLE_OUT_CUT || out.kind == TREADLE_OUT_AGAIN) put(out.target);
    if (out.kind != TREADLE_OUT_CALL) return;
    put(out.how);
    put(out.how == TREADLE_CALL_UNKNOWN ? 0 : number_.lookup(out.callee));
    put(out.target + 1);
    put(static_cast<std::uint64_t>(out.landing + 1));
  }

  std::string bytes_;
  raw_string_ostream out_;
  DenseMap<const Function*, unsigned> number_;
};

}  // namespace

std::uint64_t embed_paths(Module& module, ArrayRef<PathGraph> graphs) {
  const PathsWriter writer(module, graphs);
  const std::string& bytes = writer.bytes();
  const std::uint64_t hash = treadle_bytes_hash(bytes.data(), bytes.size());
  LLVMContext& context = module.getContext();
  Type* word = Type::getInt32Ty(context);
  Type* wide = Type::getInt64Ty(context);
  Constant* piece = ConstantStruct::getAnon({ConstantInt::get(word, TREADLE_PATHS_MAGIC), ConstantInt::get(word, TREADLE_PATHS_VERSION),
                                             ConstantInt::get(wide, sizeof(TreadlePathsHeader) + bytes.size()),
                                             ConstantInt::get(wide, hash), ConstantDataArray::getString(context, bytes, /*AddNull=*/false)},
                                            /*Packed=*/true);
  auto* section = new GlobalVariable(module, piece->getType(), true, GlobalValue::PrivateLinkage, piece, TREADLE_PATHS_SECTION);
  section->setSection(TREADLE_PATHS_SECTION);
  section->setAlignment(Align(8));
  appendToUsed(module, {section});
  return hash;
}

}  // namespace treadle

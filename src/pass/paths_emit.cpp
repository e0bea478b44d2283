// SPDX-License-Identifier: Apache-2.0
// What makes recording cheap: the number of the path, what a counted or packed loop has done and the place to write to are registers
// (allocas here, promoted right after); only calls find the place in thread-local memory. Stores to the stream are said to alias nothing of
// the program, so that they do not keep its loads in loops.
#include "pass/paths_emit.h"

#include <llvm/ADT/SmallSet.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "pass/paths_calls.h"
#include "pass/paths_detours.h"

namespace treadle {

using namespace llvm;

namespace {

/// The stream of the running thread, as seen from one function.
class Stream {
 public:
  explicit Stream(Function& function) : module_(*function.getParent()), context_(module_.getContext()) {
    MDBuilder metadata(context_);
    MDNode* domain = metadata.createAliasScopeDomain("treadle");
    scopes_ = MDNode::get(context_, metadata.createAliasScope("treadle stream", domain));
    for (Instruction& instruction : instructions(function))
      if (isa<LoadInst>(instruction) || isa<StoreInst>(instruction) || isa<AnyMemIntrinsic>(instruction))  // calls may write to it
        instruction.setMetadata(LLVMContext::MD_noalias, MDNode::concatenate(instruction.getMetadata(LLVMContext::MD_noalias), scopes_));
    IRBuilder<> at(&*function.getEntryBlock().begin());
    next_ = at.CreateAlloca(at.getPtrTy(), nullptr, "treadle.next");
  }

  /// From thread-local memory, after somebody else may have written.
  void load(IRBuilder<>& at) { at.CreateStore(scoped(at.CreateLoad(at.getPtrTy(), field(at, 0))), next_); }
  void save(IRBuilder<>& at) { scoped(at.CreateStore(at.CreateLoad(at.getPtrTy(), next_), field(at, 0))); }

  /// Room for one record. The limit changes behind the compiler's back: volatile.
  void reserve(Instruction* before, std::uint64_t resume) {
    IRBuilder<> at(before);
    Value* next = at.CreateLoad(at.getPtrTy(), next_);
    Value* limit = scoped(at.CreateLoad(at.getPtrTy(), field(at, 1), /*isVolatile=*/true));
    Instruction* full =
        SplitBlockAndInsertIfThen(at.CreateICmpUGE(next, limit), before, false, MDBuilder(context_).createBranchWeights(1, 1 << 20));
    at.SetInsertPoint(full);
    CallInst* call = at.CreateCall(more(), {next, at.getInt64(resume)});
    call->setCallingConv(CallingConv::PreserveMost);
    at.CreateStore(scoped(call), next_);
  }

  void put(IRBuilder<>& at, Value* value) {
    set(at, 0, value);
    advance(at, at.getInt64(value->getType()->getIntegerBitWidth() / 8));
  }

  /// Not volatile unless it has to be seen at once: where a loop is unrolled, only the last store remains.
  void set(IRBuilder<>& at, unsigned offset, Value* value, bool is_volatile = false) {
    Value* next = at.CreateLoad(at.getPtrTy(), next_);
    scoped(at.CreateAlignedStore(value, at.CreateConstInBoundsGEP1_64(at.getInt8Ty(), next, offset), Align(1), is_volatile));
  }

  void advance(IRBuilder<>& at, Value* bytes) {
    at.CreateStore(at.CreateInBoundsGEP(at.getInt8Ty(), at.CreateLoad(at.getPtrTy(), next_), bytes), next_);
  }

 private:
  template <class T>
  T* scoped(T* access) {
    access->setMetadata(LLVMContext::MD_alias_scope, scopes_);
    return access;
  }

  Value* field(IRBuilder<>& at, unsigned index) {
    Type* pair = ArrayType::get(at.getPtrTy(), 2);
    auto* variable = module_.getNamedGlobal("__treadle_paths");
    if (variable == nullptr)
      variable = new GlobalVariable(module_, pair, false, GlobalValue::ExternalLinkage, nullptr, "__treadle_paths", nullptr,
                                    GlobalValue::InitialExecTLSModel);
    return at.CreateConstInBoundsGEP2_64(pair, at.CreateThreadLocalAddress(variable), 0, index);
  }

  FunctionCallee more() {
    Type* pointer = PointerType::get(context_, 0);
    FunctionCallee callee =
        module_.getOrInsertFunction("__treadle_paths_more", FunctionType::get(pointer, {pointer, Type::getInt64Ty(context_)}, false));
    auto* function = cast<Function>(callee.getCallee());
    function->setCallingConv(CallingConv::PreserveMost);
    function->setDoesNotThrow();
    function->addFnAttr(Attribute::Cold);
    function->setMemoryEffects(MemoryEffects::inaccessibleOrArgMemOnly());
    return callee;
  }

  Module& module_;
  LLVMContext& context_;
  MDNode* scopes_;
  AllocaInst* next_;
};

class Emitter {
 public:
  Emitter(const PathGraph& graph, std::uint64_t piece_hash, unsigned number)
      : graph_(graph), nodes_(graph.nodes), piece_hash_(piece_hash), number_(number), stream_(*graph.function) {
    IRBuilder<> at(&*graph.function->getEntryBlock().begin());
    path_ = at.CreateAlloca(at.getInt32Ty(), nullptr, "treadle.path");
    step_ = at.CreateAlloca(at.getInt64Ty(), nullptr, "treadle.step");
    for (const PathNode& node : nodes_)
      if (node.width == 0 && node.outs.front().kind == TREADLE_OUT_RETURN) returns_silently_.insert(node.component);
    for (const PathNode& node : nodes_)
      if (node.flags & TREADLE_NODE_LOOP) done_[&node] = at.CreateAlloca(at.getInt64Ty(), nullptr, "treadle.done");
  }

  /// All places are fixed before anything is put there: checks for room split blocks.
  void run() {
    struct Crossing {
      const PathNode* node;
      const PathOut* out;
      Instruction* place;
    };
    std::vector<Crossing> crossings;
    const std::vector<Detour> detours = find_detours(nodes_);
    SmallPtrSet<const PathOut*, 16> chosen;
    for (const Detour& detour : detours) chosen.insert({detour.there, detour.back, detour.past});
    for (const PathNode& node : nodes_)
      for (const PathOut& out : node.outs)
        if (!chosen.contains(&out) && happens_on(node, out))
          crossings.push_back({&node, &out, place_on(node.block, nodes_[out.target].block)});
    std::vector<Instruction*> beginnings, ends;
    for (const PathNode& node : nodes_) {
      beginnings.push_back(node.block == &graph_.function->getEntryBlock() ? &*node.block->getFirstNonPHIOrDbgOrAlloca()
                                                                           : &*node.block->getFirstInsertionPt());
      ends.push_back(node.call != nullptr ? node.call : node.block->getTerminator());
    }
    SmallVector<CallBase*, 16> quiet;
    for (Instruction& instruction : instructions(graph_.function))
      if (auto* call = dyn_cast<CallBase>(&instruction); call != nullptr && is_real_call(*call) && !is_end(call)) quiet.push_back(call);

    // In this order: a block may hold nothing but the jump, and is then begun, crossed and ended at one place.
    for (std::size_t i = 0; i < nodes_.size(); ++i) begin(nodes_[i], i, beginnings[i]);
    for (const Detour& detour : detours) choose(detour);
    for (const Crossing& crossing : crossings) cross(*crossing.node, *crossing.out, crossing.place);
    for (std::size_t i = 0; i < nodes_.size(); ++i) end(nodes_[i], ends[i]);
    for (CallBase* call : quiet) around(*call);
  }

 private:
  bool is_end(const CallBase* call) const {
    return any_of(nodes_, [&](const PathNode& node) { return node.call == call; });
  }

  bool leaves_loop(const PathNode& node, const PathOut& out) const {
    return node.loop >= 0 && (out.kind == TREADLE_OUT_EDGE || out.kind == TREADLE_OUT_CUT) && nodes_[out.target].loop != node.loop;
  }

  bool happens_on(const PathNode& node, const PathOut& out) const {
    if (out.kind == TREADLE_OUT_CUT || out.kind == TREADLE_OUT_AGAIN || leaves_loop(node, out)) return true;
    return out.kind == TREADLE_OUT_EDGE && (out.step != 0 || (node.width > 0 && node.increment(out, nodes_) != 0));
  }

  static Instruction* place_on(BasicBlock* from, BasicBlock* to) {
    if (from->getSingleSuccessor() != nullptr) return from->getTerminator();
    if (to->getUniquePredecessor() != nullptr) return &*to->getFirstInsertionPt();
    BasicBlock* between = SplitCriticalEdge(from, to, CriticalEdgeSplittingOptions().setMergeIdenticalEdges());
    if (between == nullptr) report_fatal_error("Treadle cannot place code on an edge", false);
    return between->getTerminator();
  }

  void cross(const PathNode& node, const PathOut& out, Instruction* place) {
    const PathNode& target = nodes_[out.target];
    if (leaves_loop(node, out)) put_loop(nodes_[node.loop], place);
    if (out.kind == TREADLE_OUT_CUT) put_path(node, out, place);
    IRBuilder<> at(place);
    if (out.step != 0) at.CreateStore(at.CreateAdd(at.CreateLoad(at.getInt64Ty(), step_), at.getInt64(out.step)), step_);
    if (out.kind == TREADLE_OUT_EDGE) return add(at, node, out);
    if (out.kind == TREADLE_OUT_AGAIN)
      iterate(target, place);
    else if (target.flags & TREADLE_NODE_LOOP)
      enter_loop(target, place, /*has_room=*/node.width > 0);
    at.SetInsertPoint(place);
    start(target, at);
    if (returns_silently(target)) stream_.save(at);
  }

  /// From here on nothing is stored until the function returns: the place to write to is saved on the way here, not there. Behind a call it
  /// is saved already, so that a call may stay the last thing that a function does.
  bool returns_silently(const PathNode& node) const { return node.width == 0 && returns_silently_.contains(node.component); }

  bool is_packed(const PathNode& header) const { return (header.flags & TREADLE_NODE_PACKED) != 0; }

  void enter_loop(const PathNode& header, Instruction* place, bool has_room) {
    const bool leaves_words = is_packed(header) && !header.is_short;
    if (leaves_words && !has_room) stream_.reserve(place, resume_mark(header, TREADLE_RESUME_LOOP));
    IRBuilder<> at(place);
    at.CreateStore(at.getInt64(is_packed(header) ? 1 : 0), done_[&header]);
    if (leaves_words) open_word(at);
    if (header.is_short) at.CreateStore(at.getInt64(0), step_);
  }

  /// What a packed loop has done so far stands in the stream at any time: a thread that crashes in it leaves it.
  void open_word(IRBuilder<>& at) {
    stream_.set(at, 0, at.getInt8(TREADLE_LOOP_BYTE + 8));
    at.CreateStore(at.getInt64(0), step_);
  }

  void iterate(const PathNode& header, Instruction* place) {
    IRBuilder<> at(place);
    Value* done = at.CreateLoad(at.getInt64Ty(), done_[&header]);
    if (!is_packed(header)) return void(at.CreateStore(at.CreateAdd(done, at.getInt64(1)), done_[&header]));
    done = at.CreateAdd(at.CreateMul(done, at.getInt64(header.ways)), at.CreateLoad(at.getInt64Ty(), step_));
    at.CreateStore(done, done_[&header]);
    at.CreateStore(at.getInt64(0), step_);
    if (header.is_short) return;  // and may be unrolled
    stream_.set(at, 1, done, /*is_volatile=*/true);
    Value* is_full = at.CreateICmpUGE(done, at.getInt64(std::uint64_t{1} << (64 - Log2_32_Ceil(header.ways))));
    Instruction* full = SplitBlockAndInsertIfThen(is_full, place, false, MDBuilder(place->getContext()).createBranchWeights(1, 1 << 10));
    at.SetInsertPoint(full);
    stream_.advance(at, at.getInt64(9));
    stream_.reserve(full, resume_mark(header, TREADLE_RESUME_LOOP));
    at.SetInsertPoint(full);
    at.CreateStore(at.getInt64(1), done_[&header]);
    open_word(at);
  }

  void choose(const Detour& detour) {
    const auto increment = [&](const PathNode& node, const PathOut& out) { return node.width > 0 ? node.increment(out, nodes_) : 0; };
    IRBuilder<> at(detour.branch);
    const auto add_chosen = [&](AllocaInst* to, std::int64_t on_detour, std::int64_t past) {
      if (on_detour == 0 && past == 0) return;
      // So that the condition is needed as it is and nowhere the other way round: then the code generator finds its idioms for it.
      Type* type = to->getAllocatedType();
      const std::int64_t held = detour.if_true ? on_detour : past, otherwise = detour.if_true ? past : on_detour;
      Value* sum = at.CreateAdd(at.CreateLoad(type, to), ConstantInt::getSigned(type, otherwise));
      Value* more = at.CreateSelect(detour.branch->getCondition(), ConstantInt::getSigned(type, std::abs(held - otherwise)),
                                    ConstantInt::getSigned(type, 0));
      at.CreateStore(held >= otherwise ? at.CreateAdd(sum, more) : at.CreateSub(sum, more), to);
    };
    add_chosen(path_, increment(*detour.from, *detour.there) + increment(*detour.side, *detour.back),
               increment(*detour.from, *detour.past));
    add_chosen(step_, detour.there->step + detour.back->step, detour.past->step);
  }

  void add(IRBuilder<>& at, const PathNode& node, const PathOut& out) {
    const std::int64_t increment = node.increment(out, nodes_);
    if (node.width == 0 || increment == 0) return;
    at.CreateStore(at.CreateAdd(at.CreateLoad(at.getInt32Ty(), path_), at.getInt32(static_cast<std::uint32_t>(increment))), path_);
  }

  void start(const PathNode& node, IRBuilder<>& at) {
    if (node.width > 0) at.CreateStore(at.getInt32(static_cast<std::uint32_t>(-node.potential)), path_);
  }

  void begin(const PathNode& node, unsigned index, Instruction* place) {
    const bool is_entry = index == 0, lands = node.flags & TREADLE_NODE_LANDING;
    const bool is_behind_call = any_of(predecessors_by_call(), [&](unsigned target) { return target == index; });
    if (!is_entry && !lands && !is_behind_call) return;
    IRBuilder<> at(place);
    stream_.load(at);
    if (lands || (is_entry && graph_.marks_entry)) {
      stream_.reserve(place, 0);
      at.SetInsertPoint(place);
      stream_.put(at, at.getInt64(treadle_mark(piece_hash_, number_, index)));
    }
    at.SetInsertPoint(place);
    start(node, at);
    if (returns_silently(node) && (lands || is_entry)) stream_.save(at);
  }

  const SmallVector<unsigned, 16>& predecessors_by_call() {
    if (behind_calls_.empty())
      for (const PathNode& node : nodes_)
        if (node.call != nullptr) behind_calls_.push_back(node.outs.front().target);
    return behind_calls_;
  }

  void end(const PathNode& node, Instruction* place) {
    const PathOut& out = node.outs.front();
    if (out.kind != TREADLE_OUT_CALL && out.kind != TREADLE_OUT_RETURN && out.kind != TREADLE_OUT_RESUME) return;
    put_path(node, out, place);
    IRBuilder<> at(place);
    if (out.kind != TREADLE_OUT_RETURN || !returns_silently(node)) stream_.save(at);
  }

  void around(CallBase& call) {
    IRBuilder<> before(&call), after(call.getNextNode());
    stream_.save(before);
    stream_.load(after);
  }

  void put_path(const PathNode& node, const PathOut& out, Instruction* place) {
    if (node.width == 0) return;
    stream_.reserve(place, resume_mark(node, static_cast<unsigned>(&out - node.outs.begin())));
    IRBuilder<> at(place);
    const std::int64_t last = node.increment(out, nodes_) + (node.width == 1 ? 1 : 0x100);
    Value* number = at.CreateAdd(at.CreateLoad(at.getInt32Ty(), path_), at.getInt32(static_cast<std::uint32_t>(last)));
    if (node.width == 1)
      number = at.CreateTrunc(number, at.getInt8Ty());
    else
      number = at.CreateUnaryIntrinsic(Intrinsic::bswap, at.CreateTrunc(number, at.getInt16Ty()));
    // With as many zeros over what may be there.
    stream_.set(at, 0, node.clears ? at.CreateZExt(number, at.getIntNTy(16 * node.width)) : number);
    stream_.advance(at, at.getInt64(node.width));
  }

  std::uint64_t resume_mark(const PathNode& node, unsigned out) const {
    return treadle_resume_mark(piece_hash_, number_, static_cast<unsigned>(&node - nodes_.data()), out);
  }

  /// When it is left. A little joins the number of the path that leaves it; for more there is always room behind the limit.
  void put_loop(const PathNode& header, Instruction* place) {
    IRBuilder<> at(place);
    Value* done = at.CreateLoad(at.getInt64Ty(), done_[&header]);
    const std::uint64_t most = (header.width == 1 ? TREADLE_MOST_PATHS_1 : TREADLE_MOST_PATHS_2) / header.paths;
    Instruction *many, *few;
    SplitBlockAndInsertIfThenElse(at.CreateICmpUGE(done, at.getInt64(most)), place, &many, &few);
    at.SetInsertPoint(many);
    Value* zeros = at.CreateBinaryIntrinsic(Intrinsic::ctlz, done, at.getTrue());
    Value* bytes = at.CreateLShr(at.CreateSub(at.getInt64(64 + 7), zeros), at.getInt64(3));
    stream_.set(at, 0, at.CreateTrunc(at.CreateAdd(bytes, at.getInt64(TREADLE_LOOP_BYTE)), at.getInt8Ty()));
    stream_.set(at, 1, done);
    stream_.advance(at, at.CreateAdd(bytes, at.getInt64(1)));
    at.SetInsertPoint(few);
    Value* more = at.CreateMul(at.CreateTrunc(done, at.getInt32Ty()), at.getInt32(header.paths));
    at.CreateStore(at.CreateAdd(at.CreateLoad(at.getInt32Ty(), path_), more), path_);
  }

  const PathGraph& graph_;
  const std::vector<PathNode>& nodes_;
  const std::uint64_t piece_hash_;
  const unsigned number_;
  Stream stream_;
  AllocaInst* path_;
  AllocaInst* step_;
  DenseMap<const PathNode*, AllocaInst*> done_;  // by header of the loop
  SmallVector<unsigned, 16> behind_calls_;
  SmallSet<unsigned, 4> returns_silently_;  // components
};

bool leaves_anything(const PathGraph& graph) {
  return graph.marks_entry || any_of(graph.nodes, [](const PathNode& node) {
           return node.width > 0 || (node.flags & (TREADLE_NODE_LOOP | TREADLE_NODE_LANDING)) != 0;
         });
}

}  // namespace

void emit_recording(const PathGraph& graph, std::uint64_t piece_hash, unsigned number) {
  if (leaves_anything(graph)) Emitter(graph, piece_hash, number).run();
}

}  // namespace treadle

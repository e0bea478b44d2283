// SPDX-License-Identifier: Apache-2.0
#include "pass/branches.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/Path.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "abi/branches.h"
#include "pass/hooks.h"
#include "pass/instrument.h"
#include "pass/prepare.h"

namespace treadle {

using namespace llvm;

namespace {

constexpr const char* bytes_name = "treadle.ways";

const DILocation* position_in_source(const Instruction& instruction) {
  const DILocation* position = instruction.getDebugLoc();
  return position != nullptr && position->getLine() != 0 ? position : nullptr;
}

std::uint32_t first_line(const BasicBlock& block, const DILocation& from) {
  for (const Instruction& instruction : block)
    if (const DILocation* at = position_in_source(instruction); at != nullptr && at->getFilename() == from.getFilename())
      return at->getLine();
  return 0;
}

std::string path_of(const DILocation& position) {
  if (sys::path::is_absolute(position.getFilename())) return position.getFilename().str();
  SmallString<128> path(position.getDirectory());
  sys::path::append(path, position.getFilename());
  return path.str().str();
}

bool is_choice(const Instruction& last) {
  if (const auto* jump = dyn_cast<BranchInst>(&last))
    return jump->isConditional() && !isa<Constant>(jump->getCondition()) && jump->getSuccessor(0) != jump->getSuccessor(1);
  const auto* choice = dyn_cast<SwitchInst>(&last);
  return choice != nullptr && choice->getNumCases() > 0 && !isa<Constant>(choice->getCondition());
}

/// A block of its own on the way to that successor.
Instruction* block_on_the_way(Instruction& last, unsigned successor) {
  BasicBlock &from = *last.getParent(), &to = *last.getSuccessor(successor);
  BasicBlock* between = BasicBlock::Create(from.getContext(), "", from.getParent(), &to);
  BranchInst* jump = BranchInst::Create(&to, between);
  jump->setDebugLoc(last.getDebugLoc());
  last.setSuccessor(successor, between);
  for (PHINode& phi : to.phis()) phi.setIncomingBlock(static_cast<unsigned>(phi.getBasicBlockIndex(&from)), between);
  return jump;
}

class Table {
 public:
  explicit Table(Module& module) : module_(module) {}

  void mark(Function& function) {
    DenseMap<std::pair<unsigned, unsigned>, std::uint32_t> seen;  // by line and column
    SmallVector<Instruction*, 16> choices;
    for (BasicBlock& block : function)
      if (Instruction* last = block.getTerminator(); last != nullptr && is_choice(*last) && position_in_source(*last) != nullptr)
        choices.push_back(last);
    for (Instruction* last : choices) {
      const DILocation* position = position_in_source(*last);
      mark(*last, seen[{position->getLine(), position->getColumn()}]++);
    }
  }

  void embed();

 private:
  std::uint32_t text(StringRef what) {
    const auto [entry, is_new] = known_.try_emplace(what, static_cast<std::uint32_t>(texts_.size()));
    if (is_new) texts_.append(what.data(), what.size()).push_back('\0');
    return entry->second;
  }

  void mark(Instruction& last, std::uint32_t ordinal) {
    const DILocation& position = *position_in_source(last);
    const DISubprogram* function = position.getScope()->getSubprogram();
    for (unsigned successor = 0; successor < last.getNumSuccessors(); ++successor) {
      if (isa<UnreachableInst>(last.getSuccessor(successor)->front())) continue;  // the compiler's, of a switch over all values
      TreadleBranchWay way{};
      way.line = position.getLine();
      way.column = position.getColumn();
      way.to_line = first_line(*last.getSuccessor(successor), position);
      way.ordinal = ordinal;
      way.file = text(path_of(position));
      way.function = text(function == nullptr ? "" : function->getName());
      if (auto* choice = dyn_cast<SwitchInst>(&last)) {
        way.way = successor == 0 ? TREADLE_WAY_DEFAULT : TREADLE_WAY_CASE;
        if (successor > 0) {
          const ConstantInt* label = (choice->case_begin() + (successor - 1))->getCaseValue();
          way.value = label->getBitWidth() <= 64 ? static_cast<std::uint64_t>(label->getSExtValue()) : 0;
        }
      } else {
        way.way = successor == 0 ? TREADLE_WAY_TRUE : TREADLE_WAY_FALSE;
      }
      IRBuilder<> at(block_on_the_way(last, successor));
      at.CreateIntrinsic(Intrinsic::pseudoprobe, {}, {at.getInt64(ways_.size()), at.getInt64(1), at.getInt32(0), at.getInt64(0)});
      ways_.push_back(way);
    }
  }

  Module& module_;
  std::vector<TreadleBranchWay> ways_;
  std::string texts_;
  StringMap<std::uint32_t> known_;
};

void Table::embed() {
  if (ways_.empty()) return;
  LLVMContext& context = module_.getContext();
  auto* bytes_type = ArrayType::get(Type::getInt8Ty(context), ways_.size());
  auto* bytes =
      new GlobalVariable(module_, bytes_type, false, GlobalValue::PrivateLinkage, ConstantAggregateZero::get(bytes_type), bytes_name);

  const std::size_t texts_at = sizeof(TreadleBranchesHeader) + ways_.size() * sizeof(TreadleBranchWay);
  std::string records;
  for (TreadleBranchWay& way : ways_) {
    way.file += static_cast<std::uint32_t>(texts_at);
    way.function += static_cast<std::uint32_t>(texts_at);
    records.append(reinterpret_cast<const char*>(&way), sizeof way);
  }
  records += texts_;
  records.resize((records.size() + 7) / 8 * 8, '\0');

  Type *word = Type::getInt32Ty(context), *wide = Type::getInt64Ty(context);
  const auto number = [&](std::uint64_t value) { return ConstantInt::get(word, value); };
  Constant* content = ConstantDataArray::getString(context, records, /*AddNull=*/false);
  auto* type = StructType::get(context, {word, word, word, word, wide, content->getType()}, /*isPacked=*/true);
  auto* section = new GlobalVariable(module_, type, true, GlobalValue::PrivateLinkage, nullptr, "treadle_branches");
  Constant* distance = ConstantExpr::getSub(ConstantExpr::getPtrToInt(bytes, wide), ConstantExpr::getPtrToInt(section, wide));
  section->setInitializer(
      ConstantStruct::get(type, {number(TREADLE_BRANCHES_MAGIC), number(TREADLE_BRANCHES_VERSION),
                                 number(sizeof(TreadleBranchesHeader) + records.size()), number(ways_.size()), distance, content}));
  section->setSection(TREADLE_BRANCHES_SECTION);
  section->setAlignment(Align(8));
  appendToUsed(module_, {section});
}

}  // namespace

PreservedAnalyses MarkBranches::run(Module& module, ModuleAnalysisManager&) {
  if (is_done(module)) return PreservedAnalyses::all();
  Table table(module);
  for (Function& function : module)
    if (is_instrumented(function)) table.mark(function);
  table.embed();
  return PreservedAnalyses::none();
}

std::vector<MarkedWay> take_marked_ways(Module& module) {
  std::vector<MarkedWay> ways;
  if (module.getGlobalVariable(bytes_name, true) == nullptr) return ways;
  for (Function& function : module) {
    if (!is_instrumented(function)) continue;
    for (Instruction& instruction : make_early_inc_range(instructions(function))) {
      auto* probe = dyn_cast<PseudoProbeInst>(&instruction);
      if (probe == nullptr) continue;
      ways.push_back({probe->getParent()->getTerminator(), probe->getFuncGuid()->getZExtValue()});
      probe->eraseFromParent();
    }
  }
  return ways;
}

void tell_ways(Module& module, const std::vector<MarkedWay>& ways) {
  GlobalVariable* bytes = module.getGlobalVariable(bytes_name, true);
  MDNode* seldom = MDBuilder(module.getContext()).createUnlikelyBranchWeights();
  for (const MarkedWay& way : ways) {
    Before look(*way.at);
    Constant* byte = ConstantExpr::getInBoundsGetElementPtr(bytes->getValueType(), bytes,
                                                            ArrayRef<Constant*>{look.getInt64(0), look.getInt64(way.number)});
    Value* is_new = look.CreateICmpEQ(look.CreateLoad(look.getInt8Ty(), byte), look.getInt8(0));
    Before take(*SplitBlockAndInsertIfThen(is_new, way.at, false, seldom));
    take.SetCurrentDebugLocation(look.getCurrentDebugLocation());
    call_hook(take, "__treadle_sym_way", take.getVoidTy(), {byte});
  }
}

}  // namespace treadle

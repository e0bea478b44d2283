// SPDX-License-Identifier: Apache-2.0
// From a graph to bytes in the binary (abi/dependence.h).
//
// How does the host find the site of an event? From its pc: but later passes duplicate, inline, move and merge calls, and a label next to
// a call is neither kept with it nor free. What LLVM does carry along with every instruction is its source position, so a site's key goes
// there: as the discriminator, which tells apart instructions of one line, is written to the line table, and means nothing to debuggers.
// (!pcsections is made for such things, but as far as we know instruction selection does not carry it over to calls.)
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/LEB128.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/xxhash.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "pass/dependence.h"
#include "pass/hooks.h"

namespace treadle {

using namespace llvm;

namespace {

/// A set with more members than this becomes "everything": it would hardly help, and sets grow with the square of the program.
constexpr unsigned most_members = 4096;

std::uint64_t hash_of_name(StringRef name) { return treadle_name_hash(name.data(), name.size()); }

std::string what_of(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  if (callee == nullptr) return "";
  if (!is_hook(*callee)) return callee->getName().str();
  const auto* variable = call.arg_size() == 0 ? nullptr : dyn_cast<GlobalVariable>(call.getArgOperand(0)->stripInBoundsOffsets());
  return variable != nullptr ? variable->getName().str() : "";
}

class SectionWriter {
 public:
  SectionWriter(Module& module, const ModuleDependence& dependence)
      : module_(module), dependence_(dependence), out_(bytes_), number_of_set_(dependence.graph.sets(), 0) {
    keys_.insert(0);
  }

  void write() {
    for (const DependenceSite& site : dependence_.sites) add_site(site);
    number(texts_.size());
    for (const std::string& text : texts_) {
      number(text.size());
      out_ << text;
    }
    number(dependence_.sites.size());
    out_ << sites_bytes_;
    number(dependence_.others.size());
    for (const OtherFiles& other : dependence_.others) {
      number(other.kind);
      hash(other.function != nullptr ? hash_of_name(other.function->getName()) : 0);
    }
    number(sets_.size());
    for (const BitVector* set : sets_) add_set(*set);
    add_names();
    emit();
  }

 private:
  void number(std::uint64_t value) { encodeULEB128(value, out_); }
  void hash(std::uint64_t value) {
    for (int i = 0; i < 8; ++i) out_ << static_cast<char>(value >> (8 * i));
  }

  std::uint64_t text(std::string what) {
    auto [place, is_new] = number_of_text_.try_emplace(what, texts_.size());
    if (is_new) texts_.push_back(std::move(what));
    return place->second;
  }

  std::uint64_t set(DependenceGraph::Node node) {
    const DependenceGraph::SetId id = dependence_.graph.set_of(node);
    const BitVector& members = dependence_.graph.members(id);
    if (id == DependenceGraph::set_of_everything || members.count() > most_members) return 0;
    if (number_of_set_[id] == 0) {
      sets_.push_back(&members);
      number_of_set_[id] = sets_.size();
    }
    return number_of_set_[id];
  }

  void add_site(const DependenceSite& site) {
    raw_string_ostream out(sites_bytes_);
    unsigned key = 0, line = 0;
    std::string what = site.function != nullptr ? site.function->getName().str() : what_of(*site.call);
    if (site.call != nullptr) std::tie(key, line) = mark(*site.call);
    for (std::uint64_t value : {std::uint64_t{key}, std::uint64_t{line}, std::uint64_t{site.kind}, text(std::move(what)), set(site.control),
                                set(site.way), set(site.data), set(site.carried)})
      encodeULEB128(value, out);
  }

  /// Files of a program should have different keys, also those of one name; those that have the same are of no use to the host.
  unsigned next_key(const CallBase& call) {
    for (;;) {
      const std::string name = (module_.getSourceFileName() + "#" + call.getFunction()->getName() + "#" + Twine(tries_++)).str();
      const auto key = static_cast<unsigned>(xxh3_64bits(name) & ((1u << TREADLE_DEPENDENCE_KEY_BITS) - 1));
      if (keys_.insert(key).second) return key;
    }
  }

  /// The call's rows in the line table get a discriminator; without a line they would not.
  std::pair<unsigned, unsigned> mark(CallBase& call) {
    const DebugLoc position = Before(call).getCurrentDebugLocation();
    if (!position || position.getLine() == 0) return {0, 0};
    const unsigned key = next_key(call);
    auto* scope = cast<DILocalScope>(position.getScope());
    auto* with_key = DILexicalBlockFile::get(call.getContext(), scope, scope->getFile(), key);
    call.setDebugLoc(DILocation::get(call.getContext(), position.getLine(), position.getCol(), with_key, position.getInlinedAt(),
                                     position.isImplicitCode()));
    return {key, position.getLine()};
  }

  void add_set(const BitVector& members) {
    number(members.count());
    unsigned last = 0;
    for (unsigned member : members.set_bits()) {
      number(member - last);
      last = member;
    }
  }

  void add_names() {
    SmallVector<std::uint64_t, 16> defined, referenced;
    for (const Function& function : module_)
      if (function.isDeclarationForLinker() ? !function.isIntrinsic() && !function.use_empty() : !function.hasLocalLinkage())
        (function.isDeclarationForLinker() ? referenced : defined).push_back(hash_of_name(function.getName()));
    for (const GlobalAlias& alias : module_.aliases()) defined.push_back(hash_of_name(alias.getName()));
    for (const auto* list : {&defined, &referenced}) {
      number(list->size());
      for (std::uint64_t name : *list) hash(name);
    }
  }

  /// The linker can tell where it is from the section, without anything left to do when the program starts.
  static bool can_be_pointed_at(const Function& function) {
    return function.isDSOLocal() && !function.hasComdat() && !function.isInterposable();
  }

  void emit() {
    LLVMContext& context = module_.getContext();
    Type* word = Type::getInt32Ty(context);
    SmallVector<unsigned, 4> threads;
    for (unsigned i = 0; i < dependence_.sites.size(); ++i)
      if (const Function* function = dependence_.sites[i].function; function != nullptr && can_be_pointed_at(*function))
        threads.push_back(i);
    const std::size_t size = sizeof(TreadleDependenceHeader) + threads.size() * sizeof(TreadleDependenceFunction) + bytes_.size();

    SmallVector<Constant*, 8> fields;
    auto add_word = [&](std::uint64_t value) { fields.push_back(ConstantInt::get(word, value)); };
    add_word(TREADLE_DEPENDENCE_MAGIC);
    add_word(TREADLE_DEPENDENCE_VERSION);
    add_word(size);
    add_word(threads.size());
    for (std::size_t i = 0; i < 2 * threads.size(); ++i) add_word(0);
    fields.push_back(ConstantDataArray::getString(context, bytes_, /*AddNull=*/false));
    SmallVector<Type*, 8> types;
    for (Constant* field : fields) types.push_back(field->getType());
    auto* type = StructType::get(context, types, /*isPacked=*/true);
    auto* section = new GlobalVariable(module_, type, true, GlobalValue::PrivateLinkage, nullptr, "treadle_dependence");
    for (unsigned i = 0; i < threads.size(); ++i) {
      const unsigned field = sizeof(TreadleDependenceHeader) / 4 + 2 * i;
      fields[field] = distance(*section, field, *dependence_.sites[threads[i]].function);
      fields[field + 1] = ConstantInt::get(word, threads[i]);
    }
    section->setInitializer(ConstantStruct::get(type, fields));
    section->setSection(TREADLE_DEPENDENCE_SECTION);
    section->setAlignment(Align(4));
    appendToUsed(module_, {section});
  }

  static Constant* distance(GlobalVariable& section, unsigned field, Function& function) {
    LLVMContext& context = section.getContext();
    Type* wide = Type::getInt64Ty(context);
    Type* word = Type::getInt32Ty(context);
    Constant* here = ConstantExpr::getInBoundsGetElementPtr(section.getValueType(), &section,
                                                            ArrayRef<Constant*>{ConstantInt::get(word, 0), ConstantInt::get(word, field)});
    return ConstantExpr::getTrunc(ConstantExpr::getSub(ConstantExpr::getPtrToInt(&function, wide), ConstantExpr::getPtrToInt(here, wide)),
                                  word);
  }

  Module& module_;
  const ModuleDependence& dependence_;
  SmallString<0> bytes_;
  raw_svector_ostream out_;
  std::string sites_bytes_;
  std::vector<std::string> texts_;
  StringMap<std::size_t> number_of_text_;
  std::vector<const BitVector*> sets_;
  std::vector<std::size_t> number_of_set_;
  DenseSet<unsigned> keys_;
  unsigned tries_ = 0;
};

}  // namespace

void embed_dependence(Module& module, const ModuleDependence& dependence) { SectionWriter(module, dependence).write(); }

}  // namespace treadle

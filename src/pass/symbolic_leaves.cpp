// SPDX-License-Identifier: Apache-2.0
#include "pass/symbolic_leaves.h"

#include <llvm/IR/Module.h>

namespace treadle {

using namespace llvm;

namespace {

// More than any calling convention puts into registers; a larger one is a leaf without an expression.
constexpr unsigned most_leaves = 16;

unsigned leaves_in(Type* type) {
  std::uint64_t sum = 0;
  if (auto* structure = dyn_cast<StructType>(type))
    for (Type* element : structure->elements()) sum += leaves_in(element);
  else if (auto* array = dyn_cast<ArrayType>(type))
    sum = array->getNumElements() * leaves_in(array->getElementType());
  else
    return 1;
  return static_cast<unsigned>(std::min<std::uint64_t>(sum, most_leaves + 1));
}

void append_leaves(Type* type, Leaf at, const DataLayout& layout, SmallVectorImpl<Leaf>& leaves) {
  auto below = [&](Type* element, unsigned index, std::uint64_t offset) {
    Leaf next{element, at.path, at.offset + offset};
    next.path.push_back(index);
    append_leaves(element, std::move(next), layout, leaves);
  };
  if (auto* structure = dyn_cast<StructType>(type)) {
    for (unsigned i = 0; i < structure->getNumElements(); ++i)
      below(structure->getElementType(i), i,
            structure->isSized() ? layout.getStructLayout(structure)->getElementOffset(i).getFixedValue() : 0);
  } else if (auto* array = dyn_cast<ArrayType>(type)) {
    Type* element = array->getElementType();
    for (unsigned i = 0; i < array->getNumElements(); ++i) below(element, i, i * layout.getTypeAllocSize(element).getFixedValue());
  } else {
    leaves.push_back(std::move(at));
  }
}

}  // namespace

SmallVector<Leaf, 2> leaves_of(Type* type, const DataLayout& layout) {
  SmallVector<Leaf, 2> leaves;
  if (leaves_in(type) > most_leaves)
    leaves.push_back({type, {}, 0});
  else
    append_leaves(type, {type, {}, 0}, layout, leaves);
  return leaves;
}

unsigned bits_of(Type* type, const DataLayout& layout) { return static_cast<unsigned>(layout.getTypeSizeInBits(type).getFixedValue()); }

bool has_expression(Type* type, const DataLayout& layout) {
  if (type->isPointerTy()) return type->getPointerAddressSpace() == 0;
  if (auto* vector = dyn_cast<FixedVectorType>(type)) {
    Type* element = vector->getElementType();
    if (!element->isIntegerTy() && !element->isFloatingPointTy()) return false;
    return bits_of(type, layout) <= 64 && bits_of(type, layout) % 8 == 0 && bits_of(element, layout) % 8 == 0;
  }
  return (type->isIntegerTy() || type->isFloatingPointTy()) && bits_of(type, layout) <= 64;
}

bool has_leaf_with_expression(Type* type, const DataLayout& layout) {
  if (type->isVoidTy() || !type->isFirstClassType() || type->isTokenTy() || type->isMetadataTy() || type->isLabelTy()) return false;
  return any_of(leaves_of(type, layout), [&](const Leaf& leaf) { return has_expression(leaf.type, layout); });
}

unsigned first_leaf(Type* type, ArrayRef<unsigned> path, const DataLayout& layout) {
  const auto leaves = leaves_of(type, layout);
  auto is_under = [&](const Leaf& leaf) { return ArrayRef<unsigned>(leaf.path).take_front(path.size()) == path; };
  return static_cast<unsigned>(find_if(leaves, is_under) - leaves.begin());
}

Value* value_of(IRBuilder<>& at, Value* whole, const Leaf& leaf) {
  return leaf.path.empty() ? whole : at.CreateExtractValue(whole, leaf.path);
}

Value* as_bits(IRBuilder<>& at, Value* value) {
  const DataLayout& layout = at.GetInsertBlock()->getModule()->getDataLayout();
  Type* type = value->getType();
  if (type->isScalableTy() || type->isAggregateType() || !type->isSized() || type->isTargetExtTy() || type->isX86_AMXTy()) return nullptr;
  Type* integer = at.getIntNTy(bits_of(type, layout));
  if (isa<UndefValue>(value)) return Constant::getNullValue(integer);
  if (type->isPtrOrPtrVectorTy()) {
    if (type->isVectorTy()) return nullptr;
    return at.CreatePtrToInt(value, integer);
  }
  return at.CreateBitCast(value, integer);
}

Value* as_number(IRBuilder<>& at, Value* value) { return at.CreateZExtOrTrunc(as_bits(at, value), at.getInt64Ty()); }

}  // namespace treadle

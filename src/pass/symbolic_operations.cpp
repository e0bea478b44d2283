// SPDX-License-Identifier: Apache-2.0
#include "pass/symbolic_operations.h"

#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

namespace treadle {

using namespace llvm;

namespace {

bool is_number(const Value* value) {
  Type* type = value->getType();
  return (type->isIntegerTy() && type->getIntegerBitWidth() <= 64) || (type->isPointerTy() && type->getPointerAddressSpace() == 0);
}

bool is_integer_cast(const CastInst& cast) {
  switch (cast.getOpcode()) {
    case Instruction::Trunc:
    case Instruction::ZExt:
    case Instruction::SExt:
    case Instruction::PtrToInt:
    case Instruction::IntToPtr:
      return is_number(&cast) && is_number(cast.getOperand(0));
    case Instruction::BitCast:
      return has_expression(cast.getType(), cast.getDataLayout()) && has_expression(cast.getSrcTy(), cast.getDataLayout());
    default:
      return false;
  }
}

TreadleExpressionOp op_of(Instruction::BinaryOps opcode) {
  switch (opcode) {
    case Instruction::Add:
      return TREADLE_OP_ADD;
    case Instruction::Sub:
      return TREADLE_OP_SUB;
    case Instruction::Mul:
      return TREADLE_OP_MUL;
    case Instruction::UDiv:
      return TREADLE_OP_UDIV;
    case Instruction::SDiv:
      return TREADLE_OP_SDIV;
    case Instruction::URem:
      return TREADLE_OP_UREM;
    case Instruction::SRem:
      return TREADLE_OP_SREM;
    case Instruction::And:
      return TREADLE_OP_AND;
    case Instruction::Or:
      return TREADLE_OP_OR;
    case Instruction::Xor:
      return TREADLE_OP_XOR;
    case Instruction::Shl:
      return TREADLE_OP_SHL;
    case Instruction::LShr:
      return TREADLE_OP_LSHR;
    case Instruction::AShr:
      return TREADLE_OP_ASHR;
    default:
      return TREADLE_OP_NONE;
  }
}

Value* of_comparison(Arithmetic& arithmetic, CmpInst::Predicate predicate, const Term& a, const Term& b) {
  switch (predicate) {
    case CmpInst::ICMP_EQ:
      return arithmetic.binary_expression(TREADLE_OP_EQ, a, b);
    case CmpInst::ICMP_NE:
      return arithmetic.binary_expression(TREADLE_OP_NE, a, b);
    case CmpInst::ICMP_ULT:
      return arithmetic.binary_expression(TREADLE_OP_ULT, a, b);
    case CmpInst::ICMP_ULE:
      return arithmetic.binary_expression(TREADLE_OP_ULE, a, b);
    case CmpInst::ICMP_SLT:
      return arithmetic.binary_expression(TREADLE_OP_SLT, a, b);
    case CmpInst::ICMP_SLE:
      return arithmetic.binary_expression(TREADLE_OP_SLE, a, b);
    default:
      return of_comparison(arithmetic, CmpInst::getSwappedPredicate(predicate), b, a);
  }
}

Value* of_cast(Arithmetic& arithmetic, const CastInst& cast, const Term& operand) {
  const unsigned bits = bits_of(cast.getType(), cast.getDataLayout());
  if (cast.getOpcode() == Instruction::SExt) return arithmetic.extended(TREADLE_OP_SEXT, operand, bits).expression;
  return arithmetic.resized(operand, bits).expression;
}

/// The base, and each index times the size of what it counts.
Value* of_address(Arithmetic& arithmetic, GetElementPtrInst& address, LookUp look_up) {
  IRBuilder<>& at = arithmetic.at();
  MapVector<Value*, APInt> indices;
  APInt offset(64, 0);
  cast<GEPOperator>(address).collectOffset(address.getDataLayout(), 64, indices, offset);
  Term sum = term_of(at, address.getPointerOperand(), look_up);
  for (auto& [index, size] : indices) {
    Term term = term_of(at, index, look_up);
    if (term.value->getType()->getIntegerBitWidth() < 64)
      term = arithmetic.extended(TREADLE_OP_SEXT, term, 64);
    else
      term = arithmetic.truncated(term, 64);
    if (!size.isOne()) term = arithmetic.binary(TREADLE_OP_MUL, term, arithmetic.constant(at.getInt(size)));
    sum = arithmetic.binary(TREADLE_OP_ADD, sum, term);
  }
  return offset.isZero() ? sum.expression : arithmetic.binary(TREADLE_OP_ADD, sum, arithmetic.constant(at.getInt(offset))).expression;
}

ExpressionsOfLeaves of_choice(Arithmetic& arithmetic, SelectInst& choice, LookUp look_up) {
  IRBuilder<>& at = arithmetic.at();
  const Term condition = term_of(at, choice.getCondition(), look_up);
  const auto yes = look_up(choice.getTrueValue()), no = look_up(choice.getFalseValue());
  const auto leaves = leaves_of(choice.getType(), choice.getDataLayout());
  ExpressionsOfLeaves result;
  for (unsigned i = 0; i < leaves.size(); ++i) {
    if (!has_expression(leaves[i].type, choice.getDataLayout())) {
      result.push_back(nullptr);
      continue;
    }
    auto part = [&](Value* whole, Value* expression) { return Term{expression, as_bits(at, value_of(at, whole, leaves[i]))}; };
    result.push_back(arithmetic.select_expression(condition, part(choice.getTrueValue(), yes[i]), part(choice.getFalseValue(), no[i])));
  }
  return result;
}

ExpressionsOfLeaves of_part(ExtractValueInst& part, LookUp look_up) {
  const DataLayout& layout = part.getDataLayout();
  const auto whole = look_up(part.getAggregateOperand());
  const unsigned first = first_leaf(part.getAggregateOperand()->getType(), part.getIndices(), layout);
  const std::size_t count = leaves_of(part.getType(), layout).size();
  return {whole.begin() + first, whole.begin() + first + count};
}

ExpressionsOfLeaves of_composed(InsertValueInst& composed, LookUp look_up) {
  auto whole = look_up(composed.getAggregateOperand());
  const auto part = look_up(composed.getInsertedValueOperand());
  std::copy(part.begin(), part.end(), whole.begin() + first_leaf(composed.getType(), composed.getIndices(), composed.getDataLayout()));
  return whole;
}

}  // namespace

bool is_division(const Instruction& instruction) {
  return isa<BinaryOperator>(instruction) && instruction.isIntDivRem() && is_number(&instruction);
}

bool is_operation(const Instruction& instruction) {
  if (isa<BinaryOperator>(instruction))
    return is_number(&instruction) && op_of(cast<BinaryOperator>(instruction).getOpcode()) != TREADLE_OP_NONE;
  if (isa<ICmpInst>(instruction)) return is_number(instruction.getOperand(0));
  if (const auto* cast = dyn_cast<CastInst>(&instruction)) return is_integer_cast(*cast);
  if (isa<GetElementPtrInst>(instruction)) return is_number(&instruction);
  if (const auto* choice = dyn_cast<SelectInst>(&instruction)) return choice->getCondition()->getType()->isIntegerTy(1);
  if (const auto* intrinsic = dyn_cast<IntrinsicInst>(&instruction)) return is_operation(*intrinsic);
  if (const auto* part = dyn_cast<ExtractValueInst>(&instruction)) {
    // Parts of one that is a leaf itself, being so large, have none; who made it has pinned them.
    Type* whole = part->getAggregateOperand()->getType();
    return leaves_of(whole, part->getDataLayout()).front().type != whole;
  }
  if (isa<InsertValueInst>(instruction))
    return leaves_of(instruction.getType(), instruction.getDataLayout()).front().type != instruction.getType();
  return isa<FreezeInst>(instruction);
}

bool only_moves(const Instruction& instruction, function_ref<bool(const Value*)> is_symbolic) {
  if (isa<FreezeInst, ExtractValueInst, InsertValueInst, BitCastInst>(instruction)) return true;
  if (const auto* choice = dyn_cast<SelectInst>(&instruction)) return !is_symbolic(choice->getCondition());
  if (const auto* cast = dyn_cast<CastInst>(&instruction))
    return bits_of(cast->getSrcTy(), cast->getDataLayout()) == bits_of(cast->getType(), cast->getDataLayout());
  return false;
}

Term term_of(IRBuilder<>& at, Value* value, LookUp look_up) { return {look_up(value).front(), as_bits(at, value)}; }

ExpressionsOfLeaves expressions_of(IRBuilder<>& at, Instruction& operation, LookUp look_up) {
  Arithmetic arithmetic(at);
  auto operand = [&](unsigned i) { return term_of(at, operation.getOperand(i), look_up); };
  if (auto* binary = dyn_cast<BinaryOperator>(&operation))
    return {arithmetic.binary_expression(op_of(binary->getOpcode()), operand(0), operand(1))};
  if (auto* comparison = dyn_cast<ICmpInst>(&operation))
    return {of_comparison(arithmetic, comparison->getPredicate(), operand(0), operand(1))};
  if (auto* cast = dyn_cast<CastInst>(&operation)) return {of_cast(arithmetic, *cast, operand(0))};
  if (auto* address = dyn_cast<GetElementPtrInst>(&operation)) return {of_address(arithmetic, *address, look_up)};
  if (auto* choice = dyn_cast<SelectInst>(&operation)) return of_choice(arithmetic, *choice, look_up);
  if (auto* part = dyn_cast<ExtractValueInst>(&operation)) return of_part(*part, look_up);
  if (auto* composed = dyn_cast<InsertValueInst>(&operation)) return of_composed(*composed, look_up);
  if (isa<FreezeInst>(operation)) return look_up(operation.getOperand(0));
  return expressions_of(arithmetic, cast<IntrinsicInst>(operation), look_up);
}

}  // namespace treadle

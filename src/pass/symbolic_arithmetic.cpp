// SPDX-License-Identifier: Apache-2.0
#include "pass/symbolic_arithmetic.h"

#include "pass/hooks.h"

namespace treadle {

using namespace llvm;

namespace {

unsigned width_of(const Term& term) { return term.value->getType()->getIntegerBitWidth(); }

Value* computed(IRBuilder<>& at, TreadleExpressionOp op, Value* a, Value* b) {
  switch (op) {
    case TREADLE_OP_ADD:
      return at.CreateAdd(a, b);
    case TREADLE_OP_SUB:
      return at.CreateSub(a, b);
    case TREADLE_OP_MUL:
      return at.CreateMul(a, b);
    case TREADLE_OP_AND:
      return at.CreateAnd(a, b);
    case TREADLE_OP_OR:
      return at.CreateOr(a, b);
    case TREADLE_OP_XOR:
      return at.CreateXor(a, b);
    case TREADLE_OP_SHL:
      return at.CreateShl(a, b);
    case TREADLE_OP_LSHR:
      return at.CreateLShr(a, b);
    case TREADLE_OP_NE:
      return at.CreateICmpNE(a, b);
    case TREADLE_OP_ULT:
      return at.CreateICmpULT(a, b);
    case TREADLE_OP_SLT:
      return at.CreateICmpSLT(a, b);
    default:
      llvm_unreachable("not needed for what is computed on the way");
  }
}

}  // namespace

Value* Arithmetic::number_of(const Term& term) { return at_.CreateZExtOrTrunc(term.value, at_.getInt64Ty()); }

Value* Arithmetic::expression_of(const Term& term) { return term.expression != nullptr ? term.expression : at_.getInt32(0); }

Value* Arithmetic::call(StringRef name, ArrayRef<Value*> arguments) { return call_hook(at_, name, at_.getInt32Ty(), arguments); }

Value* Arithmetic::binary_expression(TreadleExpressionOp op, const Term& a, const Term& b) {
  if (a.expression == nullptr && b.expression == nullptr) return nullptr;
  return call("__treadle_sym_binary",
              {at_.getInt32(op), expression_of(a), number_of(a), expression_of(b), number_of(b), at_.getInt32(width_of(a))});
}

Value* Arithmetic::select_expression(const Term& condition, const Term& a, const Term& b) {
  if (condition.expression == nullptr) {
    if (a.expression == nullptr && b.expression == nullptr) return nullptr;
    return at_.CreateSelect(condition.value, expression_of(a), expression_of(b));
  }
  return call("__treadle_sym_select", {expression_of(condition), number_of(condition), expression_of(a), number_of(a), expression_of(b),
                                       number_of(b), at_.getInt32(width_of(a))});
}

Term Arithmetic::binary(TreadleExpressionOp op, const Term& a, const Term& b) {
  return {binary_expression(op, a, b), computed(at_, op, a.value, b.value)};
}

Term Arithmetic::select(const Term& condition, const Term& a, const Term& b) {
  return {select_expression(condition, a, b), at_.CreateSelect(condition.value, a.value, b.value)};
}

Term Arithmetic::negated(const Term& a) {
  Value* expression = a.expression == nullptr
                          ? nullptr
                          : call("__treadle_sym_unary", {at_.getInt32(TREADLE_OP_NEG), a.expression, at_.getInt32(width_of(a))});
  return {expression, at_.CreateNeg(a.value)};
}

Term Arithmetic::extended(TreadleExpressionOp op, const Term& a, unsigned to_bits) {
  if (to_bits == width_of(a)) return a;
  Type* type = at_.getIntNTy(to_bits);
  Value* value = op == TREADLE_OP_SEXT ? at_.CreateSExt(a.value, type) : at_.CreateZExt(a.value, type);
  if (a.expression == nullptr) return {nullptr, value};
  return {call("__treadle_sym_cast", {at_.getInt32(op), a.expression, at_.getInt32(to_bits), at_.getInt32(0)}), value};
}

Term Arithmetic::truncated(const Term& a, unsigned to_bits) {
  if (to_bits == width_of(a)) return a;
  Value* value = at_.CreateTrunc(a.value, at_.getIntNTy(to_bits));
  if (a.expression == nullptr) return {nullptr, value};
  return {call("__treadle_sym_cast", {at_.getInt32(TREADLE_OP_EXTRACT), a.expression, at_.getInt32(to_bits), at_.getInt32(0)}), value};
}

Term Arithmetic::resized(const Term& a, unsigned to_bits) {
  return to_bits < width_of(a) ? truncated(a, to_bits) : extended(TREADLE_OP_ZEXT, a, to_bits);
}

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// Intrinsics that compute. What is not here is pinned: counting bits, saturation of signed numbers, products of more than 64 bits.
#include "pass/symbolic_operations.h"

namespace treadle {

using namespace llvm;

namespace {

constexpr unsigned widest_product = 32;  // whose double still has an expression

bool has_number(const IntrinsicInst& call, unsigned most_bits = 64) {
  Type* type = call.getArgOperand(0)->getType();
  return type->isIntegerTy() && type->getIntegerBitWidth() <= most_bits;
}

bool is_rotation_by_constant(const IntrinsicInst& call) { return has_number(call) && isa<ConstantInt>(call.getArgOperand(2)); }

Term of_larger(Arithmetic& arithmetic, TreadleExpressionOp less, const Term& a, const Term& b) {
  return arithmetic.select(arithmetic.binary(less, a, b), b, a);
}

Term of_smaller(Arithmetic& arithmetic, TreadleExpressionOp less, const Term& a, const Term& b) {
  return arithmetic.select(arithmetic.binary(less, a, b), a, b);
}

Term of_magnitude(Arithmetic& arithmetic, const Term& a) {
  const Term zero = arithmetic.constant(Constant::getNullValue(a.value->getType()));
  return arithmetic.select(arithmetic.binary(TREADLE_OP_SLT, a, zero), arithmetic.negated(a), a);
}

Term of_swapped_bytes(Arithmetic& arithmetic, const Term& a) {
  const unsigned bits = a.value->getType()->getIntegerBitWidth();
  Term sum = arithmetic.constant(bits, 0);
  for (unsigned at = 0; at < bits; at += 8) {
    const Term byte = arithmetic.binary(TREADLE_OP_AND, arithmetic.binary(TREADLE_OP_LSHR, a, arithmetic.constant(bits, at)),
                                        arithmetic.constant(bits, 0xff));
    sum = arithmetic.binary(TREADLE_OP_OR, sum, arithmetic.binary(TREADLE_OP_SHL, byte, arithmetic.constant(bits, bits - 8 - at)));
  }
  return sum;
}

Term of_funnel(Arithmetic& arithmetic, const IntrinsicInst& call, const Term& high, const Term& low) {
  const unsigned bits = high.value->getType()->getIntegerBitWidth();
  const auto by = static_cast<unsigned>(cast<ConstantInt>(call.getArgOperand(2))->getValue().urem(bits));
  const bool goes_left = call.getIntrinsicID() == Intrinsic::fshl;
  if (by == 0) return goes_left ? high : low;
  const unsigned left = goes_left ? by : bits - by;
  return arithmetic.binary(TREADLE_OP_OR, arithmetic.binary(TREADLE_OP_SHL, high, arithmetic.constant(bits, left)),
                           arithmetic.binary(TREADLE_OP_LSHR, low, arithmetic.constant(bits, bits - left)));
}

Term of_saturated(Arithmetic& arithmetic, bool adds, const Term& a, const Term& b) {
  Type* type = a.value->getType();
  if (!adds)
    return arithmetic.select(arithmetic.binary(TREADLE_OP_ULT, a, b), arithmetic.constant(Constant::getNullValue(type)),
                             arithmetic.binary(TREADLE_OP_SUB, a, b));
  const Term sum = arithmetic.binary(TREADLE_OP_ADD, a, b);
  return arithmetic.select(arithmetic.binary(TREADLE_OP_ULT, sum, a), arithmetic.constant(Constant::getAllOnesValue(type)), sum);
}

/// The result, and whether it is not what it should be.
ExpressionsOfLeaves of_sum_with_overflow(Arithmetic& arithmetic, Intrinsic::ID id, const Term& a, const Term& b) {
  const bool adds = id == Intrinsic::sadd_with_overflow || id == Intrinsic::uadd_with_overflow;
  const Term result = arithmetic.binary(adds ? TREADLE_OP_ADD : TREADLE_OP_SUB, a, b);
  if (id == Intrinsic::uadd_with_overflow) return {result.expression, arithmetic.binary_expression(TREADLE_OP_ULT, result, a)};
  if (id == Intrinsic::usub_with_overflow) return {result.expression, arithmetic.binary_expression(TREADLE_OP_ULT, a, b)};
  // Signed: the result's sign differs from that of both, or from that of the first when the two differ.
  const Term one = arithmetic.binary(TREADLE_OP_XOR, a, result);
  const Term other = arithmetic.binary(TREADLE_OP_XOR, adds ? b : a, adds ? result : b);
  const Term zero = arithmetic.constant(Constant::getNullValue(a.value->getType()));
  return {result.expression, arithmetic.binary_expression(TREADLE_OP_SLT, arithmetic.binary(TREADLE_OP_AND, one, other), zero)};
}

ExpressionsOfLeaves of_product_with_overflow(Arithmetic& arithmetic, bool is_signed, const Term& a, const Term& b) {
  const unsigned bits = a.value->getType()->getIntegerBitWidth();
  const TreadleExpressionOp extend = is_signed ? TREADLE_OP_SEXT : TREADLE_OP_ZEXT;
  const Term whole = arithmetic.binary(TREADLE_OP_MUL, arithmetic.extended(extend, a, 2 * bits), arithmetic.extended(extend, b, 2 * bits));
  const Term result = arithmetic.truncated(whole, bits);
  return {result.expression, arithmetic.binary_expression(TREADLE_OP_NE, whole, arithmetic.extended(extend, result, 2 * bits))};
}

}  // namespace

bool is_operation(const IntrinsicInst& call) {
  switch (call.getIntrinsicID()) {
    case Intrinsic::smin:
    case Intrinsic::smax:
    case Intrinsic::umin:
    case Intrinsic::umax:
    case Intrinsic::abs:
    case Intrinsic::bswap:
    case Intrinsic::uadd_sat:
    case Intrinsic::usub_sat:
    case Intrinsic::sadd_with_overflow:
    case Intrinsic::uadd_with_overflow:
    case Intrinsic::ssub_with_overflow:
    case Intrinsic::usub_with_overflow:
      return has_number(call);
    case Intrinsic::smul_with_overflow:
    case Intrinsic::umul_with_overflow:
      return has_number(call, widest_product);
    case Intrinsic::fshl:
    case Intrinsic::fshr:
      return is_rotation_by_constant(call);
    case Intrinsic::expect:
    case Intrinsic::expect_with_probability:
    case Intrinsic::annotation:
    case Intrinsic::ssa_copy:
      return has_number(call);
    case Intrinsic::launder_invariant_group:
    case Intrinsic::strip_invariant_group:
    case Intrinsic::ptr_annotation:
      return true;
    case Intrinsic::ptrmask:
      return call.getType()->isPointerTy() && call.getArgOperand(1)->getType()->isIntegerTy(64);
    default:
      return false;
  }
}

ExpressionsOfLeaves expressions_of(Arithmetic& arithmetic, IntrinsicInst& call, LookUp look_up) {
  auto operand = [&](unsigned i) { return term_of(arithmetic.at(), call.getArgOperand(i), look_up); };
  switch (call.getIntrinsicID()) {
    case Intrinsic::smin:
      return {of_smaller(arithmetic, TREADLE_OP_SLT, operand(0), operand(1)).expression};
    case Intrinsic::smax:
      return {of_larger(arithmetic, TREADLE_OP_SLT, operand(0), operand(1)).expression};
    case Intrinsic::umin:
      return {of_smaller(arithmetic, TREADLE_OP_ULT, operand(0), operand(1)).expression};
    case Intrinsic::umax:
      return {of_larger(arithmetic, TREADLE_OP_ULT, operand(0), operand(1)).expression};
    case Intrinsic::abs:
      return {of_magnitude(arithmetic, operand(0)).expression};
    case Intrinsic::bswap:
      return {of_swapped_bytes(arithmetic, operand(0)).expression};
    case Intrinsic::uadd_sat:
    case Intrinsic::usub_sat:
      return {of_saturated(arithmetic, call.getIntrinsicID() == Intrinsic::uadd_sat, operand(0), operand(1)).expression};
    case Intrinsic::sadd_with_overflow:
    case Intrinsic::uadd_with_overflow:
    case Intrinsic::ssub_with_overflow:
    case Intrinsic::usub_with_overflow:
      return of_sum_with_overflow(arithmetic, call.getIntrinsicID(), operand(0), operand(1));
    case Intrinsic::smul_with_overflow:
    case Intrinsic::umul_with_overflow:
      return of_product_with_overflow(arithmetic, call.getIntrinsicID() == Intrinsic::smul_with_overflow, operand(0), operand(1));
    case Intrinsic::fshl:
    case Intrinsic::fshr:
      return {of_funnel(arithmetic, call, operand(0), operand(1)).expression};
    case Intrinsic::ptrmask:
      return {arithmetic.binary_expression(TREADLE_OP_AND, operand(0), operand(1))};
    default:
      return look_up(call.getArgOperand(0));
  }
}

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// Expressions of expressions, as calls.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "abi/symbolic.h"

namespace treadle {

/// A value and what is known of it: no expression is a null pointer.
struct Term {
  llvm::Value* expression;
  llvm::Value* value;  // an integer
};

class Arithmetic {
 public:
  explicit Arithmetic(llvm::IRBuilder<>& at) : at_(at) {}

  Term constant(llvm::Value* value) { return {nullptr, value}; }
  Term constant(unsigned bits, std::uint64_t value) { return {nullptr, at_.getIntN(bits, value)}; }

  /// The expression alone: for an instruction that the program computes itself.
  llvm::Value* binary_expression(TreadleExpressionOp op, const Term& a, const Term& b);
  llvm::Value* select_expression(const Term& condition, const Term& a, const Term& b);

  /// The value too. Shifts: by a constant smaller than the width.
  Term binary(TreadleExpressionOp op, const Term& a, const Term& b);
  Term select(const Term& condition, const Term& a, const Term& b);
  Term negated(const Term& a);
  Term extended(TreadleExpressionOp op, const Term& a, unsigned to_bits);
  Term truncated(const Term& a, unsigned to_bits);
  /// Unsigned, whichever of the two it takes.
  Term resized(const Term& a, unsigned to_bits);

  llvm::IRBuilder<>& at() { return at_; }

 private:
  llvm::Value* number_of(const Term& term);
  llvm::Value* expression_of(const Term& term);
  llvm::Value* call(llvm::StringRef name, llvm::ArrayRef<llvm::Value*> arguments);

  llvm::IRBuilder<>& at_;
};

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// Which values have an expression: integers, pointers, floats and short vectors of up to 64 bits, the latter two as the bits they are. A
// structure or array in registers has one for each of its leaves.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IRBuilder.h>

namespace treadle {

struct Leaf {
  llvm::Type* type;
  llvm::SmallVector<unsigned, 2> path;  // as for extractvalue
  std::uint64_t offset;                 // in memory
};

/// A scalar is its own only leaf.
llvm::SmallVector<Leaf, 2> leaves_of(llvm::Type* type, const llvm::DataLayout& layout);

bool has_expression(llvm::Type* type, const llvm::DataLayout& layout);
bool has_leaf_with_expression(llvm::Type* type, const llvm::DataLayout& layout);
unsigned bits_of(llvm::Type* type, const llvm::DataLayout& layout);

/// The number of the first leaf under `path`.
unsigned first_leaf(llvm::Type* type, llvm::ArrayRef<unsigned> path, const llvm::DataLayout& layout);

llvm::Value* value_of(llvm::IRBuilder<>& at, llvm::Value* whole, const Leaf& leaf);

/// The bits of a scalar as an integer of its width; null for types without bits to take.
llvm::Value* as_bits(llvm::IRBuilder<>& at, llvm::Value* value);
/// … zero-extended to 64.
llvm::Value* as_number(llvm::IRBuilder<>& at, llvm::Value* value);

}  // namespace treadle

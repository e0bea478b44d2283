// SPDX-License-Identifier: Apache-2.0
// What instrumented code does beyond what its hooks tell: the facts that decide which loops may be spinning (see spin_loops.h).
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace treadle {

struct Effects {
  bool reads_shared = false;      // something another thread can change
  bool reads_visibly = false;     // by an operation that is a scheduling point in every search
  bool reads_private = false;     // memory that has no hooks because only this thread has it
  bool writes_local = false;      // a private local: dies with the call, but lives on in a loop
  bool has_hidden_state = false;  // writes, or may write, memory that outlives the call, behind the hooks' back

  Effects& operator|=(const Effects& other) {
    reads_shared |= other.reads_shared;
    reads_visibly |= other.reads_visibly;
    reads_private |= other.reads_private;
    writes_local |= other.writes_local;
    has_hidden_state |= other.has_hidden_state;
    return *this;
  }
  bool operator==(const Effects&) const = default;
};

class FunctionEffects {
 public:
  explicit FunctionEffects(const llvm::Module& module);

  Effects of(const llvm::Instruction& instruction) const;
  bool is_known(const llvm::Function& function) const { return functions_.contains(&function); }

 private:
  Effects of_call(const llvm::CallBase& call) const;

  llvm::DenseMap<const llvm::Function*, Effects> functions_;
};

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// The nodes of a module's dependence graph, by what they stand for (see dependence.h), and the facts about calls that more than one
// part of the analysis asks for.
#pragma once

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "pass/dependence.h"
#include "pass/known_functions.h"

namespace treadle {

using Node = DependenceGraph::Node;

/// What a function's callers and callees see of it.
struct FunctionNodes {
  Node entry, entry_way;  // that it is called; and with which events before
  Node stops;             // that it does not return
  Node way;               // which events it makes
  Node result;
  bool may_stop = false;
  bool is_eventful = false;
};

class DependenceNodes {
 public:
  DependenceNodes(llvm::Module& module, llvm::FunctionAnalysisManager& analyses);

  DependenceGraph& graph() { return into_.graph; }
  void depend(Node node, Node on) { graph().depend(node, on); }
  Node joined(Node a, Node b);  // depends on both

  Node value(const llvm::Value* value);
  Node memory(const llvm::Value* object);
  Node source(const llvm::CallBase& site) { return sources_.lookup(&site); }
  DependenceSite* site(const llvm::CallBase& call);
  Node others(TreadleOther kind, const llvm::GlobalValue* function);

  /// Nothing for functions that this file does not define, or that have no hooks.
  FunctionNodes* function(const llvm::Function* function);
  /// The function of this file that is called, if that can be told.
  llvm::Function* callee_of(const llvm::CallBase& call);
  /// What is known about the callee, if it is a declared function.
  static Deed deed(const llvm::CallBase& call);

  /// What libraries may have left at `pointer`, without a hook to show it; a null pointer for anywhere.
  Node hidden_at(const llvm::Value* pointer);
  void leave_at(const llvm::Value* pointer, Node what);

  Node heap, inputs, specific, thread_results;
  Node unknown_caller, unknown_caller_way;

  ModuleDependence take() { return std::move(into_); }

 private:
  void add_sites();
  void find_summaries(llvm::FunctionAnalysisManager& analyses);
  void connect_entries();

  llvm::Module& module_;
  ModuleDependence into_;
  llvm::DenseMap<const llvm::Value*, Node> values_, memory_, hidden_in_;
  Node hidden_anywhere_;   // whatever object it was left in
  Node hidden_somewhere_;  // nobody knows in which
  llvm::DenseMap<const llvm::CallBase*, Node> sources_;
  llvm::DenseMap<const llvm::CallBase*, std::size_t> site_of_call_;
  llvm::DenseMap<std::pair<unsigned, const llvm::GlobalValue*>, Node> others_;
  llvm::DenseMap<const llvm::Function*, FunctionNodes> functions_;
};

/// Behind a loop that may not end only what ends it makes anything happen. Loops that count up to something do end.
class EndlessLoops {
 public:
  EndlessLoops(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

  bool any() const { return any_; }
  /// The branch at the end of `block` may lead out of such a loop, or not.
  bool may_be_kept_by(const llvm::BasicBlock& block) const;

 private:
  bool any_ = false, is_irreducible_ = false;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 8> exits_;
};

/// Can stop a thread by itself: bad pointers, divisions, code that must not be reached, calls of which nothing is known.
bool may_stop_here(const llvm::Instruction& instruction);

/// The pointer leads into an object that is there for sure, if perhaps beyond its end.
bool has_known_object(const llvm::Value* pointer);

/// All edges for one function.
void add_dependence(llvm::Function& function, DependenceNodes& nodes, llvm::FunctionAnalysisManager& analyses);

/// Edges for one call; `here` are the nodes of the place it stands at.
struct Place {
  Node control;        // that this block runs, once the function is called
  Node progress, way;  // up to here
};
void add_call(llvm::CallBase& call, DependenceNodes& nodes, const Place& here);
/// Why the call may not come back, besides what is known at its place: nothing for most.
Node stop_of(const llvm::CallBase& call, DependenceNodes& nodes);
/// Which events the call makes.
Node way_of(const llvm::CallBase& call, DependenceNodes& nodes);

/// Of what goes into `value`, what may have been read at an earlier time than the last one before `user`.
Node carried_into(const llvm::Value* value, const llvm::Instruction& user, DependenceNodes& nodes);

/// Edges for what a native load or store, or a copy, does to private memory.
void add_native_access(llvm::Instruction& instruction, DependenceNodes& nodes, const Place& here);
/// What a native read at `pointer` by `instruction` may find there.
Node contents(const llvm::Value* pointer, const llvm::Instruction& instruction, DependenceNodes& nodes);

}  // namespace treadle

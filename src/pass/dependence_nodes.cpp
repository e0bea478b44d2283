// SPDX-License-Identifier: Apache-2.0
#include "pass/dependence_nodes.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "pass/hooks.h"
#include "pass/prepare.h"

namespace treadle {

using namespace llvm;

namespace {

TreadleSiteKind kind_of_hook(StringRef name) {
  name.consume_front("__treadle_");
  if (name.starts_with("atomic_rmw") || name.starts_with("atomic_cas")) return TREADLE_SITE_UPDATE;
  if (name.contains("load") || name == "range_read") return TREADLE_SITE_READ;
  if (name.contains("store") || name == "range_write") return TREADLE_SITE_WRITE;
  return TREADLE_SITE_OTHER;
}

TreadleSiteKind kind_of_site(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  return callee != nullptr && is_hook(*callee) ? kind_of_hook(callee->getName()) : TREADLE_SITE_CALL;
}

bool is_plain_call(const Instruction& instruction) {
  const auto* call = dyn_cast<CallBase>(&instruction);
  return call != nullptr && !isa<IntrinsicInst>(call) && !call->isInlineAsm();
}

/// The function that `call` starts as a thread, if the code names it.
const Function* started_function(const CallBase& call) {
  if (DependenceNodes::deed(call) != Deed::StartsThread) return nullptr;
  const unsigned index = thread_arguments(*call.getCalledFunction()).function;
  return index < call.arg_size() ? dyn_cast<Function>(call.getArgOperand(index)) : nullptr;
}

bool is_harmless_use(const Use& use) {
  const auto* call = dyn_cast<CallBase>(use.getUser());
  if (call == nullptr) return false;
  if (call->isCallee(&use)) return true;
  return started_function(*call) == use.get() && call->getArgOperandNo(&use) == thread_arguments(*call->getCalledFunction()).function;
}

bool is_argv(const Value* object) {
  const auto* argument = dyn_cast<Argument>(object);
  return argument != nullptr && argument->getParent()->getName() == "main" && argument->getArgNo() == 1;
}

/// A variable of its own: no pointer into another one leads there.
const Value* distinct_object(const Value* pointer) {
  const Value* object = getUnderlyingObject(pointer, 0);
  return isa<AllocaInst>(object) || isa<GlobalVariable>(object) || is_argv(object) ? object : nullptr;
}

/// argv[i] of main.
bool is_from_command_line(const Value* text) {
  if (const auto* cast = dyn_cast<IntToPtrInst>(text)) text = cast->getOperand(0);
  const auto* load = dyn_cast<CallBase>(text);
  if (load == nullptr || load->getCalledFunction() == nullptr || load->getCalledFunction()->getName() != "__treadle_load8") return false;
  return is_argv(getUnderlyingObject(load->getArgOperand(0), 0));
}

/// Those that will be in the binary and that something in this file may lead to, or something outside by name.
SmallPtrSet<const Function*, 32> live_functions(const Module& module) {
  SmallPtrSet<const Function*, 32> live;
  auto is_reached = [&](const User* user) {
    const auto* instruction = dyn_cast<Instruction>(user);
    return instruction == nullptr || live.contains(instruction->getFunction());
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const Function& function : module) {
      if (function.isDeclarationForLinker() || live.contains(&function)) continue;
      if (!function.isDiscardableIfUnused() || any_of(function.users(), is_reached)) changed |= live.insert(&function).second;
    }
  }
  return live;
}

// Control comes back in ways that the flow graph does not show.
bool is_strange(const Function& function) { return function.isPresplitCoroutine() || function.callsFunctionThatReturnsTwice(); }

}  // namespace

EndlessLoops::EndlessLoops(Function& function, FunctionAnalysisManager& analyses) {
  const auto& loops = analyses.getResult<LoopAnalysis>(function);
  ReversePostOrderTraversal<const Function*> order(&function);
  is_irreducible_ = containsIrreducibleCFG<const BasicBlock*>(order, loops);
  any_ = is_irreducible_;
  if (loops.empty()) return;
  auto& evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  for (const Loop* loop : loops.getLoopsInPreorder()) {
    if (evolution.hasLoopInvariantBackedgeTakenCount(loop)) continue;
    any_ = true;
    SmallVector<BasicBlock*, 4> exiting;
    loop->getExitingBlocks(exiting);
    exits_.insert(exiting.begin(), exiting.end());
  }
}

bool EndlessLoops::may_be_kept_by(const BasicBlock& block) const { return is_irreducible_ || exits_.contains(&block); }

DependenceNodes::DependenceNodes(Module& module, FunctionAnalysisManager& analyses) : module_(module) {
  for (Node* node :
       {&heap, &inputs, &specific, &thread_results, &unknown_caller, &unknown_caller_way, &hidden_anywhere_, &hidden_somewhere_})
    *node = graph().add();
  depend(hidden_anywhere_, hidden_somewhere_);
  depend(unknown_caller_way, unknown_caller);
  const auto live = live_functions(module);
  for (Function& function : module) {
    if (!is_instrumented(function) || !live.contains(&function)) continue;
    FunctionNodes& nodes = functions_[&function];
    for (Node* node : {&nodes.entry, &nodes.entry_way, &nodes.stops, &nodes.way, &nodes.result}) *node = graph().add();
    depend(nodes.entry_way, nodes.entry);
    depend(nodes.way, nodes.stops);
  }
  add_sites();
  find_summaries(analyses);
  depend(unknown_caller, others(TREADLE_OTHER_EXISTS, nullptr));
  connect_entries();
  // What is left over after inlining may still be what another file calls.
  for (const Function& function : module) {
    if (function.isDeclarationForLinker() || function.hasLocalLinkage() || live.contains(&function)) continue;
    for (Node node : {unknown_caller, hidden_somewhere_, heap, inputs, specific, thread_results})
      depend(node, others(TREADLE_OTHER_ENTERS, &function));
  }
}

void DependenceNodes::add_sites() {
  SmallPtrSet<const Function*, 4> threads;
  auto add = [&](DependenceSite site) {
    for (Node* node : {&site.control, &site.way, &site.data}) *node = graph().add();
    depend(site.way, site.control);
    into_.sites.push_back(site);
  };
  for (Function& function : module_) {
    if (!functions_.contains(&function)) continue;
    for (Instruction& instruction : instructions(function)) {
      if (!is_plain_call(instruction)) continue;
      auto& call = cast<CallBase>(instruction);
      if (const Function* thread = started_function(call); functions_.contains(thread)) threads.insert(thread);
      if (callee_of(call) != nullptr) continue;
      site_of_call_[&call] = into_.sites.size();
      sources_[&call] = graph().add_source(static_cast<unsigned>(into_.sites.size()));
      add({.call = &call, .kind = kind_of_site(call)});
    }
  }
  for (Function& function : module_) {
    if (!threads.contains(&function)) continue;
    const FunctionNodes& nodes = functions_[&function];
    add({.function = &function, .kind = TREADLE_SITE_THREAD});
    const DependenceSite& site = into_.sites.back();
    for (Node on : {nodes.entry, nodes.stops}) depend(site.control, on);
    for (Node on : {nodes.entry_way, nodes.way}) depend(site.way, on);
    depend(site.data, nodes.result);
    depend(thread_results, nodes.result);
  }
}

// The least solution: calls in a circle add nothing to each other.
void DependenceNodes::find_summaries(FunctionAnalysisManager& analyses) {
  for (Function& function : module_)
    if (functions_.contains(&function)) functions_[&function].may_stop = EndlessLoops(function, analyses).any() || is_strange(function);
  for (bool changed = true; changed;) {
    changed = false;
    for (auto& [function, nodes] : functions_) {
      for (const Instruction& instruction : instructions(*function)) {
        const auto* call = is_plain_call(instruction) ? cast<CallBase>(&instruction) : nullptr;
        const Function* callee = call != nullptr ? callee_of(*call) : nullptr;
        const FunctionNodes called = callee != nullptr ? functions_.lookup(callee) : FunctionNodes{};
        const bool stops = called.may_stop || may_stop_here(instruction);
        const bool is_event = called.is_eventful || (call != nullptr && callee == nullptr && deed(*call) != Deed::Computes);
        changed |= (stops && !nodes.may_stop) || (is_event && !nodes.is_eventful);
        nodes.may_stop |= stops;
        nodes.is_eventful |= is_event;
      }
    }
  }
}

void DependenceNodes::connect_entries() {
  auto enter = [&](const Function& function, Node from, Node from_way) {
    depend(functions_[&function].entry, from);
    depend(functions_[&function].entry_way, from_way);
    for (const Argument& argument : function.args()) {
      depend(value(&argument), from);
      if (argument.hasByValAttr()) depend(memory(&argument), from);
    }
  };
  for (Function& function : module_) {
    if (!functions_.contains(&function)) continue;
    FunctionNodes& nodes = functions_[&function];
    if (is_strange(function))
      for (Node node : {nodes.entry, nodes.stops, nodes.result}) depend(node, DependenceGraph::everything);
    if (!function.hasLocalLinkage() && function.getName() != "main") {
      const Node from = others(TREADLE_OTHER_ENTERS, &function);
      enter(function, from, from);
    }
    if (all_of(function.uses(), is_harmless_use)) continue;
    enter(function, unknown_caller, unknown_caller_way);
    depend(thread_results, nodes.result);
  }
  for (const GlobalAlias& alias : module_.aliases()) {
    const auto* function = dyn_cast_or_null<Function>(alias.getAliaseeObject());
    if (function == nullptr || !functions_.contains(function)) continue;
    const Node from = others(TREADLE_OTHER_ENTERS, &alias);
    enter(*function, from, from);
  }
}

Node DependenceNodes::joined(Node a, Node b) {
  if (a == b || b == DependenceGraph::nothing) return a;
  if (a == DependenceGraph::nothing) return b;
  const Node both = graph().add();
  depend(both, a);
  depend(both, b);
  return both;
}

Node DependenceNodes::value(const Value* value) {
  if (!isa<Instruction>(value) && !isa<Argument>(value)) return DependenceGraph::nothing;
  auto [place, is_new] = values_.try_emplace(value, DependenceGraph::nothing);
  if (is_new) place->second = graph().add();
  return place->second;
}

Node DependenceNodes::memory(const Value* object) {
  auto [place, is_new] = memory_.try_emplace(object, DependenceGraph::nothing);
  if (is_new) place->second = graph().add();
  return place->second;
}

Node DependenceNodes::hidden_at(const Value* pointer) {
  const Value* object = pointer != nullptr ? distinct_object(pointer) : nullptr;
  if (object == nullptr) return hidden_anywhere_;
  auto [place, is_new] = hidden_in_.try_emplace(object, DependenceGraph::nothing);
  if (is_new) {
    place->second = graph().add();
    depend(place->second, hidden_somewhere_);
    depend(hidden_anywhere_, place->second);
  }
  return place->second;
}

void DependenceNodes::leave_at(const Value* pointer, Node what) {
  const Value* object = pointer != nullptr ? distinct_object(pointer) : nullptr;
  depend(object != nullptr ? hidden_at(pointer) : hidden_somewhere_, what);
}

DependenceSite* DependenceNodes::site(const CallBase& call) {
  auto found = site_of_call_.find(&call);
  return found == site_of_call_.end() ? nullptr : &into_.sites[found->second];
}

// Numbered behind the sites, which are all there by now.
Node DependenceNodes::others(TreadleOther kind, const GlobalValue* function) {
  auto [place, is_new] = others_.try_emplace({kind, function}, DependenceGraph::nothing);
  if (is_new) {
    place->second = graph().add_source(static_cast<unsigned>(into_.sites.size() + into_.others.size()));
    into_.others.push_back({kind, function});
  }
  return place->second;
}

FunctionNodes* DependenceNodes::function(const Function* function) {
  auto found = functions_.find(function);
  return found == functions_.end() ? nullptr : &found->second;
}

Function* DependenceNodes::callee_of(const CallBase& call) {
  const Value* callee = call.getCalledOperand();
  if (const auto* alias = dyn_cast<GlobalAlias>(callee)) callee = alias->getAliaseeObject();
  const auto* function = dyn_cast_or_null<Function>(callee);
  if (function == nullptr || !functions_.contains(function) || call.getFunctionType() != function->getFunctionType()) return nullptr;
  return const_cast<Function*>(function);
}

Deed DependenceNodes::deed(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  if (callee == nullptr || !callee->isDeclarationForLinker()) return Deed::Unknown;
  const Deed deed = deed_of(*callee);
  if (deed != Deed::ReadsText) return deed;
  const bool leaves_nothing = call.arg_size() < 2 || isa<ConstantPointerNull>(call.getArgOperand(1));
  return leaves_nothing && is_from_command_line(call.getArgOperand(0)) ? Deed::Computes : Deed::Unknown;
}

bool may_stop_here(const Instruction& instruction) {
  if (isa<UnreachableInst, ResumeInst, CallBrInst, CleanupReturnInst, CatchSwitchInst>(instruction)) return true;
  switch (instruction.getOpcode()) {
    case Instruction::SDiv:
    case Instruction::UDiv:
    case Instruction::SRem:
    case Instruction::URem:
      return !isa<Constant>(instruction.getOperand(1));
    default:
      break;
  }
  const auto* call = dyn_cast<CallBase>(&instruction);
  if (call == nullptr || isa<IntrinsicInst>(call) || call->isInlineAsm()) return false;
  const Function* callee = call->getCalledFunction();
  if (callee == nullptr) return true;
  if (is_hook(*callee)) return kind_of_hook(callee->getName()) != TREADLE_SITE_OTHER && !has_known_object(call->getArgOperand(0));
  if (!callee->isDeclarationForLinker()) return !is_instrumented(*callee);
  const Deed deed = DependenceNodes::deed(*call);
  return deed == Deed::Unknown || deed == Deed::Assumes;
}

bool has_known_object(const Value* pointer) {
  const Value* object = getUnderlyingObject(pointer, 0);
  if (isa<AllocaInst>(object) || isa<GlobalVariable>(object)) return true;
  const auto* call = dyn_cast<CallBase>(object);
  return call != nullptr && DependenceNodes::deed(*call) == Deed::Allocates;
}

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// What goes into calls and what comes out of them.
#include <llvm/IR/IntrinsicInst.h>

#include "pass/dependence_nodes.h"
#include "pass/hooks.h"

namespace treadle {

using namespace llvm;

namespace {

constexpr Node everything = DependenceGraph::everything;
constexpr Node nothing = DependenceGraph::nothing;

class Call {
 public:
  Call(CallBase& call, DependenceNodes& nodes, const Place& here)
      : call_(call), nodes_(nodes), here_(here), caller_(*nodes.function(call.getFunction())) {}

  void of_own_function(Function& callee) {
    for (Argument& parameter : callee.args()) {
      Value* argument = call_.getArgOperand(parameter.getArgNo());
      nodes_.depend(nodes_.value(&parameter), nodes_.value(argument));
      if (parameter.hasByValAttr()) nodes_.depend(nodes_.memory(&parameter), contents(argument, call_, nodes_));
    }
    enter(*nodes_.function(&callee));
    results_in(nodes_.function(&callee)->result);
    if (!callee.hasLocalLinkage()) results_in(nodes_.others(TREADLE_OTHER_REPLACES, &callee));
  }

  void of_site() {
    DependenceSite& site = *nodes_.site(call_);
    control_ = site.control, data_ = site.data;
    happens(control_);
    nodes_.depend(site.way, here_.way);
    nodes_.depend(site.way, caller_.entry_way);
    const Function* callee = call_.getCalledFunction();
    if (callee != nullptr && is_hook(*callee))
      of_hook(callee->getName(), site.kind);
    else
      of_library(DependenceNodes::deed(call_));
  }

 private:
  void results_in(Node on) { nodes_.depend(nodes_.value(&call_), on); }
  void arguments_into(Node node) {
    for (const Use& argument : call_.args()) nodes_.depend(node, nodes_.value(argument));
  }
  /// `node` depends on whether this call is made.
  void happens(Node node) {
    for (Node on : {here_.control, here_.progress, caller_.entry}) nodes_.depend(node, on);
  }
  void enter(const FunctionNodes& callee) {
    happens(callee.entry);
    nodes_.depend(callee.entry_way, here_.way);
    nodes_.depend(callee.entry_way, caller_.entry_way);
  }

  void of_hook(StringRef name, TreadleSiteKind kind) {
    name.consume_front("__treadle_");
    if (kind == TREADLE_SITE_OTHER) {
      if (!call_.getType()->isVoidTy()) results_in(measured_text());
      return arguments_into(data_);
    }
    const bool is_range = name.starts_with("range_");
    nodes_.depend(control_, nodes_.value(call_.getArgOperand(0)));
    if (is_range) nodes_.depend(control_, nodes_.value(call_.getArgOperand(1)));
    if (kind != TREADLE_SITE_WRITE) {
      for (Node on : {nodes_.source(call_), nodes_.hidden_at(call_.getArgOperand(0)), nodes_.value(call_.getArgOperand(0))}) results_in(on);
    }
    if (kind == TREADLE_SITE_READ) return;
    nodes_.site(call_)->carried = data_;
    if (is_range) return nodes_.depend(data_, everything);  // what is copied there, or put there by a library
    nodes_.depend(data_, nodes_.value(call_.getArgOperand(1)));
    if (kind == TREADLE_SITE_WRITE) nodes_.site(call_)->carried = carried_into(call_.getArgOperand(1), call_, nodes_);
    if (!name.starts_with("atomic_cas")) return;
    nodes_.depend(control_, nodes_.value(call_.getArgOperand(1)));  // whether it writes at all
    nodes_.depend(data_, nodes_.value(call_.getArgOperand(2)));
  }

  /// How long a string is depends on what is announced as read right behind: in this block, if it is shared at all.
  Node measured_text() {
    Node sum = nothing;
    for (const Instruction& other : *call_.getParent())
      if (const auto* hook = dyn_cast<CallBase>(&other);
          hook != nullptr && hook->getCalledFunction() != nullptr && hook->getCalledFunction()->getName() == "__treadle_range_read")
        sum = nodes_.joined(sum, nodes_.source(*hook));
    return sum == nothing ? everything : sum;
  }

  void of_library(Deed deed) {
    const Node source = nodes_.source(call_);
    if (deed == Deed::Unknown) return of_unknown();
    if (deed == Deed::Prints || deed == Deed::Computes) {
      arguments_into(data_);
      arguments_into(nodes_.value(&call_));
      results_in(deed == Deed::Prints ? source : contents(nullptr, call_, nodes_));
      return;
    }
    if (deed != Deed::EndsThread && deed != Deed::StartsThread && deed != Deed::SetsSpecific) arguments_into(control_);
    arguments_into(data_);
    nodes_.depend(data_, source);  // the runtime writes what happened, with the same place
    arguments_into(nodes_.value(&call_));
    results_in(source);
    switch (deed) {
      case Deed::Allocates:
        return of_shared_state(nodes_.heap);
      case Deed::AsksForInput:
        return of_shared_state(nodes_.inputs);
      case Deed::FillsIn:
        return fills_in(source);
      case Deed::SetsSpecific:
        arguments_into(nodes_.specific);
        return happens(nodes_.specific);
      case Deed::GetsSpecific:
        return results_in(nodes_.specific);
      case Deed::StartsThread:
        nodes_.leave_at(call_.getArgOperand(0), source);
        return starts_thread();
      case Deed::Joins:
        if (call_.arg_size() < 2 || isa<ConstantPointerNull>(call_.getArgOperand(1))) return;
        nodes_.leave_at(call_.getArgOperand(1), source);
        nodes_.depend(data_, nodes_.thread_results);
        return nodes_.leave_at(call_.getArgOperand(1), nodes_.thread_results);
      case Deed::EndsThread:
        return arguments_into(nodes_.thread_results);
      case Deed::CallsBack:
        return calls_back(nothing);
      default:
        return;
    }
  }

  void of_unknown() {
    nodes_.depend(control_, nodes_.value(call_.getCalledOperand()));
    arguments_into(control_);
    results_in(everything);
    nodes_.leave_at(nullptr, everything);
    calls_back(everything);
    for (Node state : {nodes_.heap, nodes_.inputs, nodes_.specific, nodes_.thread_results}) nodes_.depend(state, everything);
  }

  /// What it gives depends on the calls made before it, by this thread at least.
  void of_shared_state(Node state) {
    happens(state);
    arguments_into(state);
    nodes_.depend(control_, state);
    results_in(state);
  }

  void fills_in(Node what) {
    for (const Use& argument : call_.args())
      if (argument->getType()->isPointerTy() && !isa<ConstantPointerNull>(argument)) nodes_.leave_at(argument, what);
  }

  void calls_back(Node besides) {
    happens(nodes_.unknown_caller);
    arguments_into(nodes_.unknown_caller);
    nodes_.depend(nodes_.unknown_caller, besides);
    nodes_.depend(nodes_.unknown_caller_way, here_.way);
    nodes_.depend(nodes_.unknown_caller_way, caller_.entry_way);
  }

  void starts_thread() {
    const ThreadArguments which = thread_arguments(*call_.getCalledFunction());
    if (std::max(which.function, which.argument) >= call_.arg_size()) return of_unknown();
    Value* start = call_.getArgOperand(which.function);
    for (unsigned i = 0; i < call_.arg_size(); ++i)
      if (i != which.argument) nodes_.depend(control_, nodes_.value(call_.getArgOperand(i)));
    auto* function = dyn_cast<Function>(start);
    FunctionNodes* known = function != nullptr ? nodes_.function(function) : nullptr;
    if (known == nullptr) return calls_back(everything);
    enter(*known);
    for (Argument& parameter : function->args())
      nodes_.depend(nodes_.value(&parameter), parameter.getArgNo() == 0 ? nodes_.value(call_.getArgOperand(which.argument)) : everything);
  }

  CallBase& call_;
  DependenceNodes& nodes_;
  const Place& here_;
  const FunctionNodes& caller_;
  Node control_ = nothing, data_ = nothing;
};

/// A library function that may run a function it is handed before it comes back, or any of which nothing is known.
bool runs_callback(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  return callee != nullptr && (callee->getName() == "pthread_once" || callee->getName() == "call_once");
}

Node of_callbacks(const CallBase& call, DependenceNodes& nodes, Node FunctionNodes::* which) {
  const auto* function = dyn_cast<Function>(call.getArgOperand(call.arg_size() - 1));
  const FunctionNodes* known = function != nullptr ? nodes.function(function) : nullptr;
  return known != nullptr ? known->*which : everything;
}

}  // namespace

void add_call(CallBase& call, DependenceNodes& nodes, const Place& here) {
  Call edges(call, nodes, here);
  if (Function* callee = nodes.callee_of(call))
    edges.of_own_function(*callee);
  else
    edges.of_site();
}

Node stop_of(const CallBase& call, DependenceNodes& nodes) {
  if (const Function* callee = nodes.callee_of(call)) {
    const FunctionNodes& known = *nodes.function(callee);
    return known.may_stop ? known.stops : nothing;
  }
  const Function* callee = call.getCalledFunction();
  if (callee != nullptr && is_hook(*callee))
    return nodes.site(call)->kind == TREADLE_SITE_OTHER ? nothing : nodes.value(call.getArgOperand(0));
  if (runs_callback(call)) return of_callbacks(call, nodes, &FunctionNodes::stops);
  const Deed deed = DependenceNodes::deed(call);
  if (deed == Deed::Assumes) return nodes.value(call.getArgOperand(0));
  return deed == Deed::Unknown ? everything : nothing;
}

Node way_of(const CallBase& call, DependenceNodes& nodes) {
  if (const Function* callee = nodes.callee_of(call)) {
    const Node replaced = callee->hasLocalLinkage() ? nothing : nodes.others(TREADLE_OTHER_REPLACES, callee);
    return nodes.joined(nodes.function(callee)->way, replaced);
  }
  return runs_callback(call) ? of_callbacks(call, nodes, &FunctionNodes::way) : nothing;
}

}  // namespace treadle

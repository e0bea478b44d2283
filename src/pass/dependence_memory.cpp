// SPDX-License-Identifier: Apache-2.0
// Private memory: one node per object, whatever is stored where in it.
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>

#include "pass/dependence_nodes.h"
#include "pass/hooks.h"

namespace treadle {

using namespace llvm;

namespace {

/// Only this thread has it (see sharing.h); whether its accesses are without hooks has been decided: they are native.
bool is_private_memory(const Value* object) {
  if (const auto* argument = dyn_cast<Argument>(object)) return argument->hasByValAttr();
  if (const auto* variable = dyn_cast<GlobalVariable>(object)) return variable->isThreadLocal() && !variable->isConstant();
  return isa<AllocaInst>(object);
}

/// What was announced in this block before `instruction`: hooks stand right in front of the access that they announce.
Node announced_reads(const Instruction& instruction, DependenceNodes& nodes) {
  Node sum = DependenceGraph::nothing;
  for (const Instruction* before = instruction.getPrevNode(); before != nullptr; before = before->getPrevNode()) {
    const auto* call = dyn_cast<CallBase>(before);
    if (call == nullptr || call->getCalledFunction() == nullptr || call->getCalledFunction()->getName() != "__treadle_range_read") continue;
    sum = nodes.joined(sum, nodes.joined(nodes.source(*call), nodes.hidden_at(call->getArgOperand(0))));
  }
  return sum;
}

bool is_hook_call(const Value* value) {
  const auto* call = dyn_cast<CallBase>(value);
  return call != nullptr && call->getCalledFunction() != nullptr && is_hook(*call->getCalledFunction());
}

/// Constants, and slots of vtables: the pointer says it all.
bool never_changes(const Value* object, const Function& function) {
  if (const auto* variable = dyn_cast<GlobalVariable>(object)) return variable->isConstant();
  if (isa<Function>(object)) return true;
  if (const auto* cast = dyn_cast<IntToPtrInst>(object)) object = cast->getOperand(0);
  return is_hook_call(object) && !function.isVarArg();
}

void store_into(const Value* pointer, Node value, DependenceNodes& nodes, const Place& here, const Function& function) {
  SmallVector<const Value*, 4> objects;
  getUnderlyingObjects(pointer, objects, nullptr, 0);
  for (const Value* object : objects) {
    const bool is_private = is_private_memory(object);
    auto depend = [&](Node on) { is_private ? nodes.depend(nodes.memory(object), on) : nodes.leave_at(nullptr, on); };
    for (Node on : {value, nodes.value(pointer), here.control}) depend(on);
    if (isa<AllocaInst>(object) || isa<Argument>(object)) continue;  // those live as long as the call
    for (Node on : {here.progress, nodes.function(&function)->entry}) depend(on);
  }
}

bool only_private(const Value* pointer) {
  SmallVector<const Value*, 4> objects;
  getUnderlyingObjects(pointer, objects, nullptr, 0);
  return all_of(objects, is_private_memory);
}

void add_memory_intrinsic(AnyMemIntrinsic& call, DependenceNodes& nodes, const Place& here) {
  if (!only_private(call.getRawDest())) return;  // a range hook tells
  Node value = nodes.value(call.getLength());
  if (auto* copy = dyn_cast<AnyMemTransferInst>(&call))
    value = nodes.joined(value, contents(copy->getRawSource(), call, nodes));
  else
    value = nodes.joined(value, nodes.value(cast<AnyMemSetInst>(call).getValue()));
  store_into(call.getRawDest(), value, nodes, here, *call.getFunction());
}

void add_intrinsic(IntrinsicInst& call, DependenceNodes& nodes, const Place& here) {
  if (auto* memory = dyn_cast<AnyMemIntrinsic>(&call)) return add_memory_intrinsic(*memory, nodes, here);
  const Node value = nodes.value(&call);
  for (const Use& argument : call.args()) nodes.depend(value, nodes.value(argument));
  switch (call.getIntrinsicID()) {
    case Intrinsic::masked_load:
      return nodes.depend(value, contents(call.getArgOperand(0), call, nodes));
    case Intrinsic::masked_store:
      if (only_private(call.getArgOperand(1)))
        store_into(call.getArgOperand(1), nodes.value(call.getArgOperand(0)), nodes, here, *call.getFunction());
      return;
    case Intrinsic::vastart:
    case Intrinsic::vacopy:
      return nodes.depend(nodes.memory(getUnderlyingObject(call.getArgOperand(0), 0)), DependenceGraph::everything);
    default:
      break;
  }
  const bool is_about_nothing = call.isLifetimeStartOrEnd() || call.isDroppable() || isa<DbgInfoIntrinsic>(call);
  if (is_about_nothing || call.getType()->isVoidTy() || !call.mayReadFromMemory()) return;
  if (call.getIntrinsicID() == Intrinsic::launder_invariant_group || call.getIntrinsicID() == Intrinsic::stacksave) return;
  nodes.depend(value, DependenceGraph::everything);
}

}  // namespace

Node contents(const Value* pointer, const Instruction& instruction, DependenceNodes& nodes) {
  if (pointer == nullptr || is_announced(instruction)) return announced_reads(instruction, nodes);
  SmallVector<const Value*, 4> objects;
  getUnderlyingObjects(pointer, objects, nullptr, 0);
  Node sum = nodes.value(pointer);
  for (const Value* object : objects) {
    if (is_private_memory(object))
      sum = nodes.joined(sum, nodes.memory(object));
    else if (isa<AnyMemIntrinsic, CallBase>(instruction))
      sum = nodes.joined(sum, announced_reads(instruction, nodes));
    else if (!never_changes(object, *instruction.getFunction()))
      sum = DependenceGraph::everything;
    if (sum == DependenceGraph::everything) break;
  }
  return sum;
}

void add_native_access(Instruction& instruction, DependenceNodes& nodes, const Place& here) {
  const Node value = nodes.value(&instruction);
  if (auto* load = dyn_cast<LoadInst>(&instruction))
    return nodes.depend(value, nodes.joined(nodes.value(load->getPointerOperand()), contents(load->getPointerOperand(), *load, nodes)));
  if (auto* store = dyn_cast<StoreInst>(&instruction)) {
    if (!is_announced(*store))
      store_into(store->getPointerOperand(), nodes.value(store->getValueOperand()), nodes, here, *store->getFunction());
    return;
  }
  if (auto* call = dyn_cast<IntrinsicInst>(&instruction)) return add_intrinsic(*call, nodes, here);
  // Atomic operations on private memory, or on more of it than any processor can do; variadic arguments: rare enough.
  nodes.depend(value, DependenceGraph::everything);
  for (const Use& operand : instruction.operands())
    if (operand->getType()->isPointerTy() && only_private(operand))
      store_into(operand, DependenceGraph::everything, nodes, here, *instruction.getFunction());
}

}  // namespace treadle

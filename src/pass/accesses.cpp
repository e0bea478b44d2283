// SPDX-License-Identifier: Apache-2.0
#include "pass/accesses.h"

#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

#include <optional>

#include "abi/hooks.h"
#include "pass/hooks.h"

namespace treadle {

using namespace llvm;

namespace {

constexpr unsigned widest_plain = 8;
constexpr unsigned widest_atomic = 16;

/// The integer that carries a value of `type` through a hook; none when the access has to be announced as a range instead.
IntegerType* carrier_of(Type* type, const DataLayout& layout, unsigned widest) {
  bool is_scalar = type->isIntegerTy() || type->isPointerTy() || type->isFloatingPointTy();
  auto* vector = dyn_cast<FixedVectorType>(type);
  if (!is_scalar && (vector == nullptr || vector->getElementType()->isPointerTy())) return nullptr;
  std::uint64_t bits = layout.getTypeSizeInBits(type).getFixedValue();
  if (bits < 8 || bits > widest * 8 || !isPowerOf2_64(bits)) return nullptr;
  return IntegerType::get(type->getContext(), static_cast<unsigned>(bits));
}

std::string sized(const char* name, const IntegerType* carrier) {
  return (Twine("__treadle_") + name + Twine(carrier->getBitWidth() / 8)).str();
}

// The parts of a copied struct that were never set: whatever the register holds would make the trace differ from run to run.
Value* as_integer(IRBuilder<>& at, Value* value, IntegerType* carrier) {
  return isa<UndefValue>(value) ? ConstantInt::get(carrier, 0) : at.CreateBitOrPointerCast(value, carrier);
}

Value* number(IRBuilder<>& at, AtomicOrdering order) { return at.getInt32(order_number(order)); }

void replace(Instruction& old, Value* with) {
  with->takeName(&old);
  old.replaceAllUsesWith(with);
  old.eraseFromParent();
}

Value* size_of(IRBuilder<>& at, Type* type) {
  return at.getInt64(at.GetInsertBlock()->getModule()->getDataLayout().getTypeStoreSize(type).getFixedValue());
}

std::optional<TreadleRmw> operation_of(AtomicRMWInst::BinOp operation) {
  switch (operation) {
    case AtomicRMWInst::Xchg:
      return TREADLE_RMW_XCHG;
    case AtomicRMWInst::Add:
      return TREADLE_RMW_ADD;
    case AtomicRMWInst::Sub:
      return TREADLE_RMW_SUB;
    case AtomicRMWInst::And:
      return TREADLE_RMW_AND;
    case AtomicRMWInst::Nand:
      return TREADLE_RMW_NAND;
    case AtomicRMWInst::Or:
      return TREADLE_RMW_OR;
    case AtomicRMWInst::Xor:
      return TREADLE_RMW_XOR;
    case AtomicRMWInst::Max:
      return TREADLE_RMW_MAX;
    case AtomicRMWInst::Min:
      return TREADLE_RMW_MIN;
    case AtomicRMWInst::UMax:
      return TREADLE_RMW_UMAX;
    case AtomicRMWInst::UMin:
      return TREADLE_RMW_UMIN;
    default:
      return std::nullopt;
  }
}

CallInst* call_cas(IRBuilder<>& at, IntegerType* carrier, Value* pointer, Value* expected, Value* desired, AtomicOrdering success,
                   AtomicOrdering failure) {
  return call_hook(at, sized("atomic_cas", carrier), carrier, {pointer, expected, desired, number(at, success), number(at, failure)});
}

// What the runtime has no operation for (floating point, wrapping counters) becomes what the processor would do as well: read, then
// compare-and-swap until nobody came in between.
void expand_to_cas_loop(AtomicRMWInst& rmw, IntegerType* carrier) {
  Before at(rmw);
  Value* first = call_hook(at, sized("atomic_load", carrier), carrier, {rmw.getPointerOperand(), number(at, AtomicOrdering::Monotonic)});
  BasicBlock* entry = rmw.getParent();
  BasicBlock* rest = SplitBlock(entry, &rmw);
  BasicBlock* retry = BasicBlock::Create(rmw.getContext(), "rmw", entry->getParent(), rest);
  entry->getTerminator()->setSuccessor(0, retry);

  IRBuilder<> loop(retry);
  loop.SetCurrentDebugLocation(at.getCurrentDebugLocation());
  PHINode* expected = loop.CreatePHI(carrier, 2);
  Value* old = loop.CreateBitOrPointerCast(expected, rmw.getType());
  Value* desired = as_integer(loop, buildAtomicRMWValue(rmw.getOperation(), loop, old, rmw.getValOperand()), carrier);
  AtomicOrdering failure = AtomicCmpXchgInst::getStrongestFailureOrdering(rmw.getOrdering());
  Value* found = call_cas(loop, carrier, rmw.getPointerOperand(), expected, desired, rmw.getOrdering(), failure);
  loop.CreateCondBr(loop.CreateICmpEQ(found, expected), rest, retry);
  expected->addIncoming(first, entry);
  expected->addIncoming(found, retry);
  replace(rmw, old);
}

}  // namespace

void hook_load(LoadInst& load) {
  Before at(load);
  Type* type = load.getType();
  Value* pointer = load.getPointerOperand();
  IntegerType* carrier = carrier_of(type, load.getDataLayout(), load.isAtomic() ? widest_atomic : widest_plain);
  if (carrier == nullptr) {
    announce_read(at, pointer, size_of(at, type));
    return mark_announced(load);
  }
  Value* value = load.isAtomic() ? call_hook(at, sized("atomic_load", carrier), carrier, {pointer, number(at, load.getOrdering())})
                                 : call_hook(at, sized(load.isVolatile() ? "volatile_load" : "load", carrier), carrier, {pointer});
  replace(load, at.CreateBitOrPointerCast(value, type));
}

void hook_store(StoreInst& store) {
  Before at(store);
  Type* type = store.getValueOperand()->getType();
  Value* pointer = store.getPointerOperand();
  IntegerType* carrier = carrier_of(type, store.getDataLayout(), store.isAtomic() ? widest_atomic : widest_plain);
  if (carrier == nullptr) {
    announce_write(at, pointer, size_of(at, type));
    return mark_announced(store);
  }
  Value* value = as_integer(at, store.getValueOperand(), carrier);
  if (store.isAtomic())
    call_hook(at, sized("atomic_store", carrier), at.getVoidTy(), {pointer, value, number(at, store.getOrdering())});
  else
    call_hook(at, sized(store.isVolatile() ? "volatile_store" : "store", carrier), at.getVoidTy(), {pointer, value});
  store.eraseFromParent();
}

void hook_rmw(AtomicRMWInst& rmw) {
  Before at(rmw);
  IntegerType* carrier = carrier_of(rmw.getType(), rmw.getDataLayout(), widest_atomic);
  if (carrier == nullptr) {  // wider than any processor can do: announced, as far as that goes
    announce_write(at, rmw.getPointerOperand(), size_of(at, rmw.getType()));
    return mark_announced(rmw);
  }
  std::optional<TreadleRmw> operation = operation_of(rmw.getOperation());
  if (!operation) return expand_to_cas_loop(rmw, carrier);
  Value* operand = as_integer(at, rmw.getValOperand(), carrier);
  Value* old = call_hook(at, sized("atomic_rmw", carrier), carrier,
                         {rmw.getPointerOperand(), operand, at.getInt32(*operation), number(at, rmw.getOrdering())});
  replace(rmw, at.CreateBitOrPointerCast(old, rmw.getType()));
}

void hook_compare_exchange(AtomicCmpXchgInst& exchange) {
  Before at(exchange);
  Type* type = exchange.getCompareOperand()->getType();
  IntegerType* carrier = carrier_of(type, exchange.getDataLayout(), widest_atomic);
  if (carrier == nullptr) {
    announce_write(at, exchange.getPointerOperand(), size_of(at, type));
    return mark_announced(exchange);
  }
  Value* expected = as_integer(at, exchange.getCompareOperand(), carrier);
  Value* desired = as_integer(at, exchange.getNewValOperand(), carrier);
  Value* found =
      call_cas(at, carrier, exchange.getPointerOperand(), expected, desired, exchange.getSuccessOrdering(), exchange.getFailureOrdering());
  Value* pair = PoisonValue::get(exchange.getType());
  pair = at.CreateInsertValue(pair, at.CreateBitOrPointerCast(found, type), 0);
  pair = at.CreateInsertValue(pair, at.CreateICmpEQ(found, expected), 1);
  replace(exchange, pair);
}

void hook_fence(FenceInst& fence) {
  if (fence.getSyncScopeID() == SyncScope::SingleThread) return;  // orders the compiler only; stays for that
  Before at(fence);
  announce_fence(at, fence.getOrdering());
  fence.eraseFromParent();
}

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
#include "pass/symbolic_memory.h"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Module.h>

#include "pass/hooks.h"
#include "pass/ranges.h"
#include "pass/symbolic_function.h"

namespace treadle {

using namespace llvm;

namespace {

constexpr unsigned widest_with_expression = 8;

/// The functions that keep the books of an access, by whether it has a hook.
struct Books {
  const char* loaded;
  const char* stored;
};
constexpr Books shared_books{"__treadle_sym_loaded", "__treadle_sym_stored"};
constexpr Books private_books{"__treadle_sym_private_load", "__treadle_sym_private_store"};

// In front of an access a symbolic build leaves its other accesses alone: what was announced is shared, whatever else is native is private.
const Books& books_of(const Instruction& native) { return is_announced(native) ? shared_books : private_books; }

Value* at_offset(IRBuilder<>& at, Value* pointer, std::uint64_t offset) {
  return offset == 0 ? pointer : at.CreateConstGEP1_64(at.getInt8Ty(), pointer, offset);
}

Value* loaded(IRBuilder<>& at, const Books& books, Value* pointer, unsigned bytes, Value* number) {
  return call_hook(at, books.loaded, at.getInt32Ty(), {pointer, at.getInt32(bytes), number});
}

void stored(IRBuilder<>& at, const Books& books, Value* pointer, unsigned bytes, Value* expression, Value* number) {
  Value* known = expression != nullptr ? expression : at.getInt32(0);
  call_hook(at, books.stored, at.getVoidTy(), {pointer, at.getInt32(bytes), known, number});
}

/// Calls `take` for each piece of at most 8 bytes of a value without an expression of its own.
void for_each_piece(IRBuilder<>& at, Value* value, Value* pointer, function_ref<void(Value* pointer, unsigned bytes, Value* number)> take) {
  const DataLayout& layout = at.GetInsertBlock()->getModule()->getDataLayout();
  Value* bits = as_bits(at, value);
  const std::uint64_t bytes = layout.getTypeStoreSize(value->getType()).getKnownMinValue();
  for (std::uint64_t from = 0; from < bytes; from += widest_with_expression) {
    const auto count = static_cast<unsigned>(std::min<std::uint64_t>(bytes - from, widest_with_expression));
    Value* number = at.getInt64(0);
    if (bits != nullptr) {
      Value* low = from == 0 ? bits : at.CreateLShr(bits, 8 * from);
      number = at.CreateZExtOrTrunc(at.CreateZExtOrTrunc(low, at.getIntNTy(8 * count)), at.getInt64Ty());
    }
    take(at_offset(at, pointer, from), count, number);
  }
}

// What a value too wide for an expression holds: asked for piece by piece, and pinned by number, because a test for each would bring
// nothing.
void pin_pieces(IRBuilder<>& at, const Books& books, Value* value, Value* pointer) {
  const TreadlePin reason = value->getType()->isFPOrFPVectorTy() ? TREADLE_PIN_FLOAT : TREADLE_PIN_WIDE;
  for_each_piece(at, value, pointer, [&](Value* place, unsigned bytes, Value* number) {
    Value* expression = loaded(at, books, place, bytes, number);
    call_hook(at, "__treadle_sym_pin", at.getVoidTy(), {expression, number, at.getInt32(8 * bytes), at.getInt32(reason)});
  });
}

void clear_pieces(IRBuilder<>& at, const Books& books, Value* value, Value* pointer) {
  for_each_piece(at, value, pointer,
                 [&](Value* place, unsigned bytes, Value* number) { stored(at, books, place, bytes, nullptr, number); });
}

/// The expression of an integer of any width, from that of its bytes in memory.
Value* cut_to_size(IRBuilder<>& at, Value* expression, unsigned bytes, unsigned bits) {
  if (bits == 8 * bytes) return expression;
  return call_hook(at, "__treadle_sym_cast", at.getInt32Ty(),
                   {at.getInt32(TREADLE_OP_EXTRACT), expression, at.getInt32(bits), at.getInt32(0)});
}

void follow_read(SymbolicFunction& function, Instruction& access, const Books& books, Value* pointer) {
  const DataLayout& layout = function.layout();
  const bool has_uses = function.flow().is_symbolic(&access);
  const bool matters = has_uses || !function.flow().is_needed(&access);  // what nobody looks at may have any value: a symbol says so
  const auto leaves = leaves_of(access.getType(), layout);
  const bool is_wide = any_of(leaves, [&](const Leaf& leaf) { return !has_expression(leaf.type, layout); });
  if (!matters && !is_wide) return;
  auto made = function.when_recording_several(*access.getNextNode(), [&](IRBuilder<>& at) {
    ExpressionsOfLeaves expressions;
    for (const Leaf& leaf : leaves) {
      Value* value = value_of(at, &access, leaf);
      Value* place = at_offset(at, pointer, leaf.offset);
      expressions.push_back(nullptr);
      if (!has_expression(leaf.type, layout)) {
        pin_pieces(at, books, value, place);
      } else if (matters) {
        const auto bytes = static_cast<unsigned>(layout.getTypeStoreSize(leaf.type).getFixedValue());
        expressions.back() = cut_to_size(at, loaded(at, books, place, bytes, as_number(at, value)), bytes, bits_of(leaf.type, layout));
      }
    }
    return expressions;
  });
  if (has_uses) function.set(&access, std::move(made));
}

void follow_write(SymbolicFunction& function, Instruction& access, const Books& books, Value* pointer, Value* value) {
  const DataLayout& layout = function.layout();
  const auto expressions = function.expressions_of_leaves(value);
  function.when_recording(*access.getNextNode(), [&](IRBuilder<>& at) -> Value* {
    const auto leaves = leaves_of(value->getType(), layout);
    for (unsigned i = 0; i < leaves.size(); ++i) {
      Value* part = value_of(at, value, leaves[i]);
      Value* place = at_offset(at, pointer, leaves[i].offset);
      if (!has_expression(leaves[i].type, layout))
        clear_pieces(at, books, part, place);
      else
        stored(at, books, place, static_cast<unsigned>(layout.getTypeStoreSize(leaves[i].type).getFixedValue()), expressions[i],
               as_number(at, part));
    }
    return nullptr;
  });
}

/// Expression and number, as arguments.
std::pair<Value*, Value*> as_arguments(SymbolicFunction& function, IRBuilder<>& at, Value* value) {
  Value* expression = function.expression_of(value);
  return {expression != nullptr ? expression : at.getInt32(0), as_number(at, value)};
}

void follow_rmw_hook(SymbolicFunction& function, CallBase& call, unsigned bytes) {
  Value* found = function.when_recording(*call.getNextNode(), [&](IRBuilder<>& at) {
    const auto [operand, number] = as_arguments(function, at, call.getArgOperand(1));
    return call_hook(at, "__treadle_sym_rmw", at.getInt32Ty(),
                     {call.getArgOperand(0), at.getInt32(bytes), call.getArgOperand(2), operand, number, as_number(at, &call)});
  });
  function.set(&call, {found});
}

void follow_cas_hook(SymbolicFunction& function, CallBase& call, unsigned bytes) {
  Value* found = function.when_recording(*call.getNextNode(), [&](IRBuilder<>& at) {
    const auto [expected, expected_number] = as_arguments(function, at, call.getArgOperand(1));
    const auto [desired, desired_number] = as_arguments(function, at, call.getArgOperand(2));
    return call_hook(at, "__treadle_sym_cas", at.getInt32Ty(),
                     {call.getArgOperand(0), at.getInt32(bytes), expected, expected_number, desired, desired_number, as_number(at, &call)});
  });
  function.set(&call, {found});
}

// 16 bytes: what was found is pinned, what is left has no expression. (Also when nothing was exchanged: it is what was found.)
void follow_wide_atomic(SymbolicFunction& function, CallBase& call, AccessKind kind) {
  function.when_recording(*call.getNextNode(), [&](IRBuilder<>& at) -> Value* {
    Value* pointer = call.getArgOperand(0);
    if (kind != AccessKind::Store) pin_pieces(at, shared_books, &call, pointer);
    if (kind == AccessKind::Load) return nullptr;
    Value* left = call.getArgOperand(kind == AccessKind::Cas ? 2 : 1);
    if (kind == AccessKind::Cas) left = at.CreateSelect(at.CreateICmpEQ(&call, call.getArgOperand(1)), left, &call);
    clear_pieces(at, shared_books, left, pointer);
    return nullptr;
  });
}

/// What a range hook announces: the first instruction behind it that is not a hook or arithmetic.
Instruction* announced_by(CallBase& hook) {
  for (Instruction* next = hook.getNextNode(); next != nullptr; next = next->getNextNode()) {
    if (is_announced(*next) || isa<AnyMemIntrinsic>(next)) return next;
    auto* call = dyn_cast<CallBase>(next);
    if (call == nullptr || isa<IntrinsicInst>(call)) continue;
    const Function* callee = call->getCalledFunction();
    if (callee == nullptr || !is_hook(*callee)) return call;
  }
  return nullptr;
}

bool is_followed_byte_by_byte(const Instruction* access) {
  if (access == nullptr || isa<LoadInst, StoreInst, AtomicRMWInst, AtomicCmpXchgInst>(access)) return true;
  return isa<AnyMemIntrinsic>(access) || (isa<CallBase>(access) && is_memory_function(*cast<CallBase>(access)));
}

}  // namespace

std::optional<HookedAccess> hooked_access(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  if (callee == nullptr) return std::nullopt;
  StringRef name = callee->getName();
  if (!name.consume_front("__treadle_")) return std::nullopt;
  if (!name.consume_front("atomic_")) name.consume_front("volatile_");
  std::optional<AccessKind> kind;
  if (name.consume_front("load"))
    kind = AccessKind::Load;
  else if (name.consume_front("store"))
    kind = AccessKind::Store;
  else if (name.consume_front("rmw"))
    kind = AccessKind::Rmw;
  else if (name.consume_front("cas"))
    kind = AccessKind::Cas;
  unsigned bytes = 0;
  if (!kind || name.getAsInteger(10, bytes)) return std::nullopt;
  return HookedAccess{*kind, bytes};
}

bool is_range_hook(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  return callee != nullptr && callee->getName().starts_with("__treadle_range_");
}

bool is_extent_hook(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  return callee != nullptr && StringSwitch<bool>(callee->getName())
                                  .Cases("__treadle_string_length", "__treadle_compared_bytes", "__treadle_found_bytes", true)
                                  .Default(false);
}

bool is_variadic_slot(const LoadInst& load) {
  return load.getFunction()->isVarArg() && !is_announced(load) && isa<LoadInst>(getUnderlyingObject(load.getPointerOperand(), 0));
}

void follow_hooked_access(SymbolicFunction& function, CallBase& call) {
  const auto access = *hooked_access(call);
  Value* pointer = call.getArgOperand(0);
  function.check_address(call, pointer, ConstantInt::get(Type::getInt64Ty(call.getContext()), access.bytes));
  if (access.bytes > widest_with_expression) return follow_wide_atomic(function, call, access.kind);
  switch (access.kind) {
    case AccessKind::Load:
      return follow_read(function, call, shared_books, pointer);
    case AccessKind::Store:
      return follow_write(function, call, shared_books, pointer, call.getArgOperand(1));
    case AccessKind::Rmw:
      return follow_rmw_hook(function, call, access.bytes);
    case AccessKind::Cas:
      return follow_cas_hook(function, call, access.bytes);
  }
}

void follow_extent_hook(SymbolicFunction& function, CallBase& call) {
  for (Value* argument : call.args())
    if (argument->getType()->isPointerTy()) function.check_beginning(call, argument);
}

void follow_range_hook(SymbolicFunction& function, CallBase& call) {
  Value* pointer = call.getArgOperand(0);
  Value* bytes = call.getArgOperand(1);
  function.check_address(call, pointer, bytes);
  function.pin(call, bytes, TREADLE_PIN_SIZE);
  Instruction* announced = announced_by(call);
  if (is_followed_byte_by_byte(announced)) return;
  const bool reads = call.getCalledFunction()->getName().ends_with("_read");
  auto* library = dyn_cast_or_null<CallInst>(announced);
  const bool is_over_soon = library != nullptr && is_library_access(*library) && !library->isMustTailCall();
  Instruction& wrote = is_over_soon ? *library : call;  // what was left is known when it is there
  function.when_recording(*(reads ? call : wrote).getNextNode(), [&](IRBuilder<>& at) -> Value* {
    if (reads)
      return call_hook(at, "__treadle_sym_pin_memory", at.getVoidTy(), {pointer, bytes, at.getInt32(0), at.getInt32(TREADLE_PIN_CALL)}),
             nullptr;
    call_hook(at, "__treadle_sym_filled", at.getVoidTy(), {pointer, at.getInt32(0), at.getInt8(0), bytes, at.getInt32(0)});
    return nullptr;
  });
}

void follow_load(SymbolicFunction& function, LoadInst& load) {
  if (load.getPointerAddressSpace() != 0) return;
  IRBuilder<> at(&load);
  function.check_address(load, load.getPointerOperand(),
                         at.getInt64(function.layout().getTypeStoreSize(load.getType()).getKnownMinValue()));
  const auto* variable = dyn_cast<GlobalVariable>(getUnderlyingObject(load.getPointerOperand(), 0));
  if ((variable == nullptr || !variable->isConstant()) && !is_variadic_slot(load))
    follow_read(function, load, books_of(load), load.getPointerOperand());
}

void follow_store(SymbolicFunction& function, StoreInst& store) {
  Type* type = store.getValueOperand()->getType();
  if (store.getPointerAddressSpace() != 0) return function.pin_operands(store, TREADLE_PIN_OTHER);
  IRBuilder<> at(&store);
  function.check_address(store, store.getPointerOperand(), at.getInt64(function.layout().getTypeStoreSize(type).getKnownMinValue()));
  follow_write(function, store, books_of(store), store.getPointerOperand(), store.getValueOperand());
}

void follow_native_atomic(SymbolicFunction& function, Instruction& atomic) {
  function.pin_operands(atomic, TREADLE_PIN_OTHER);
  auto* rmw = dyn_cast<AtomicRMWInst>(&atomic);
  Value* pointer = atomic.getOperand(0);
  function.when_recording(*atomic.getNextNode(), [&](IRBuilder<>& at) -> Value* {
    Value* found = rmw != nullptr ? static_cast<Value*>(rmw) : at.CreateExtractValue(&atomic, 0);
    pin_pieces(at, books_of(atomic), found, pointer);
    clear_pieces(at, books_of(atomic), found, pointer);
    return nullptr;
  });
}

void follow_memory_intrinsic(SymbolicFunction& function, AnyMemIntrinsic& call) {
  const auto privacy = function.privacy_of(call);
  Value* bytes = call.getLength();
  auto* copy = dyn_cast<AnyMemTransferInst>(&call);
  function.check_address(call, call.getRawDest(), bytes);
  if (copy != nullptr) function.check_address(call, copy->getRawSource(), bytes);
  function.pin(call, bytes, TREADLE_PIN_SIZE);
  if (call.getDestAddressSpace() != 0 || (copy != nullptr && copy->getSourceAddressSpace() != 0))
    return function.pin_operands(call, TREADLE_PIN_OTHER);
  function.when_recording(*call.getNextNode(), [&](IRBuilder<>& at) -> Value* {
    Value* size = at.CreateZExtOrTrunc(bytes, at.getInt64Ty());
    Value* is_private = at.getInt32((copy != nullptr && privacy.source ? 1u : 0u) | (privacy.target ? 2u : 0u));
    if (copy != nullptr)
      return call_hook(at, "__treadle_sym_copied", at.getVoidTy(), {call.getRawDest(), copy->getRawSource(), size, is_private}), nullptr;
    Value* byte = cast<AnyMemSetInst>(call).getValue();
    const auto [expression, number] = as_arguments(function, at, byte);
    call_hook(at, "__treadle_sym_filled", at.getVoidTy(),
              {call.getRawDest(), expression, at.CreateTrunc(number, at.getInt8Ty()), size, is_private});
    return nullptr;
  });
}

}  // namespace treadle

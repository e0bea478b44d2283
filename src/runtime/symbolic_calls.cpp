// SPDX-License-Identifier: Apache-2.0
// Arguments and results. Nobody knows for sure who will be called: an expression reaches the function entered only if that is the very one
// that was meant, and the value the same; else something without hooks has had it, and it is pinned. Likewise on the way back.
#include <cstring>

#include "abi/symbolic_hooks.h"
#include "runtime/carrier.h"
#include "runtime/code.h"
#include "runtime/symbolic.h"

namespace treadle {

namespace {

void pin_arguments(SymbolicState& s, Arguments& arguments, std::uint64_t pc) noexcept {
  for (std::uint32_t left = arguments.present; left != 0; left &= left - 1) {
    const Passed& argument = arguments.at[__builtin_ctz(left)];
    pin(s, argument.expression, argument.value, TREADLE_PIN_CALL, pc);
  }
  arguments.present = 0;
}

/// A call was announced, and the function did not enter: it has no hooks.
void give_up_call(SymbolicState& s, ThreadSymbolic& self, std::uint64_t pc) noexcept {
  if (self.called == nullptr) return;
  self.called = nullptr;
  pin_arguments(s, self.arguments, pc);
}

/// Nobody has taken it. What our own functions returned went to code with hooks, which had no use for it.
void drop_returned(SymbolicState& s, ThreadSymbolic& self, std::uint64_t pc) noexcept {
  if (self.returned_by == nullptr) self.returned.present = 0;
  pin_arguments(s, self.returned, pc);
}

/// Where the function returns to that has called us: its frame pointer is the one saved in our frame.
bool returns_to_hooks(const void* our_frame) noexcept {
  const Thread& self = *world().current;
  const std::uint64_t top = stack_top(self.id), frame = *static_cast<const std::uint64_t*>(our_frame);
  if (frame < top - self.stack_bytes || frame + 16 > top || frame % 8 != 0) return true;  // no frame pointer there: who knows
  return has_hooks(reinterpret_cast<const std::uint64_t*>(frame)[1]);
}

}  // namespace

Expr symbolic_taken(unsigned argument, std::uint64_t value, unsigned bits, std::uint64_t pc) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr) return 0;
  Arguments& arguments = thread_symbolic(*s).arguments;
  const Passed passed = arguments.at[argument];
  if ((arguments.present >> argument & 1) == 0) return 0;
  arguments.present &= ~(1u << argument);
  const Expr e = fitted(*s, passed.expression, bits);
  if (e != 0 && s->table.value(e) == value) return e;
  pin(*s, passed.expression, passed.value, TREADLE_PIN_CALL, pc);
  return 0;
}

void symbolic_returns(SymbolicState& s, const void* function, unsigned part, Passed what, std::uint64_t pc) noexcept {
  ThreadSymbolic& self = thread_symbolic(s);
  const bool goes_on = self.returned_by == function && (self.returned.present >> part & 1) == 0;
  if (!goes_on) drop_returned(s, self, pc);
  self.returned_by = function;
  self.returned.present |= 1u << part;
  self.returned.at[part] = what;
}

void symbolic_result_kept(const void* function) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr) return;
  ThreadSymbolic& self = thread_symbolic(*s);
  const bool is_its = self.returned_by == function && (self.returned.present & 1) != 0;
  self.result = is_its ? self.returned.at[0] : Passed{};
  self.returned.present = 0;
}

void symbolic_result_written(unsigned thread, const void* to, unsigned bytes, std::uint64_t pc) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr || world().events == 0) return;
  const ThreadSymbolic* ended = s->threads[thread];
  if (ended == nullptr || ended->result.expression == 0) return;
  const Expr e = fitted(*s, ended->result.expression, 8 * bytes);
  std::uint64_t written = 0;
  std::memcpy(&written, to, bytes);
  if (s->table.value(e) != written) return pin(*s, ended->result.expression, ended->result.value, TREADLE_PIN_CALL, pc);
  memory_holds(*s, reinterpret_cast<std::uint64_t>(to), bytes, e, s->table.value(e), pc);
  note(*s, TREADLE_NOTE_WRITE, world().current->id, world().events - 1, e, 0, 0, pc);
}

}  // namespace treadle

using namespace treadle;

extern "C" {

void __treadle_sym_argument(uint32_t number, TreadleExpr expression, uint64_t value) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr || expression == 0) return;
  ThreadSymbolic& self = thread_symbolic(*s);
  give_up_call(*s, self, TREADLE_PC());
  if (number >= kMostArguments) return pin(*s, expression, value, TREADLE_PIN_CALL, TREADLE_PC());
  self.arguments.present |= 1u << number;
  self.arguments.at[number] = {expression, value};
}

void __treadle_sym_call(const void* function) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr) return;
  ThreadSymbolic& self = thread_symbolic(*s);
  give_up_call(*s, self, TREADLE_PC());
  if (self.arguments.present == 0) return;
  if (has_hooks(reinterpret_cast<std::uint64_t>(function)))
    self.called = function;
  else
    pin_arguments(*s, self.arguments, TREADLE_PC());
}

void __treadle_sym_enter(const void* function) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr) return;
  ThreadSymbolic& self = thread_symbolic(*s);
  self.parameters.present = 0;
  if (self.called == function && function != nullptr) {
    self.parameters = self.arguments;
    self.called = nullptr;
    self.arguments.present = 0;
  }
  give_up_call(*s, self, TREADLE_PC());
  handed_out(*s, 0, TREADLE_PC());
}

TreadleExpr __treadle_sym_parameter(uint32_t number, uint64_t value) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr || number >= kMostArguments) return 0;
  const Arguments& parameters = thread_symbolic(*s).parameters;
  if ((parameters.present >> number & 1) == 0) return 0;
  const Passed& passed = parameters.at[number];
  if (passed.value == value) return passed.expression;
  pin(*s, passed.expression, passed.value, TREADLE_PIN_CALL, TREADLE_PC());
  return handed_out(*s, 0, TREADLE_PC());
}

void __treadle_sym_leave(const void* function, uint32_t number, TreadleExpr expression, uint64_t value) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr || expression == 0) return;
  if (number < kMostArguments && returns_to_hooks(__builtin_frame_address(0)))
    symbolic_returns(*s, function, number, {expression, value}, TREADLE_PC());
  else
    pin(*s, expression, value, TREADLE_PIN_CALL, TREADLE_PC());
  handed_out(*s, 0, TREADLE_PC());
}

TreadleExpr __treadle_sym_result(const void* function, uint32_t number, uint64_t value) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr) return 0;
  ThreadSymbolic& self = thread_symbolic(*s);
  give_up_call(*s, self, TREADLE_PC());
  const bool is_no_input = (number & TREADLE_RESULT_IS_NO_INPUT) != 0;
  number &= ~TREADLE_RESULT_IS_NO_INPUT;
  if (self.returned_by == nullptr ? is_no_input : self.returned_by != function) drop_returned(*s, self, TREADLE_PC());
  if (number >= kMostArguments || (self.returned.present >> number & 1) == 0) return handed_out(*s, 0, TREADLE_PC());
  self.returned.present &= ~(1u << number);
  const Passed& returned = self.returned.at[number];
  if (returned.value == value) return handed_out(*s, returned.expression, TREADLE_PC());
  pin(*s, returned.expression, returned.value, TREADLE_PIN_CALL, TREADLE_PC());
  return handed_out(*s, 0, TREADLE_PC());
}
}

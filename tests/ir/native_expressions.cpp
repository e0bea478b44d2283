// SPDX-License-Identifier: Apache-2.0
// Expressions without a runtime behind them: each is a value and a width. Everything that is read is symbolic, so that every instruction
// has an expression to work on; each one is evaluated at once and held against what the program has computed, wherever it is used.
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "abi/symbolic_hooks.h"

namespace {

struct Known {
  std::uint64_t value;
  unsigned bits;
};
constexpr std::uint32_t most = 1u << 26;
Known known[most];
std::atomic<std::uint32_t> next{1};
std::atomic<std::uint64_t> checked{0}, taken{0};

[[noreturn]] void complain(const char* what, std::uint64_t is, std::uint64_t should_be, void* pc) {
  char text[200];
  const int length = std::snprintf(text, sizeof text, "expression is wrong: %s is %#lx, should be %#lx, at %p\n", what, is, should_be, pc);
  (void)!write(2, text, static_cast<std::size_t>(length));
  std::abort();
}

#define EXPECT_SAME(what, is, should_be) \
  if ((is) != (should_be)) complain(what, is, should_be, __builtin_return_address(0))

std::uint64_t cut(std::uint64_t value, unsigned bits) { return bits == 64 ? value : value & ((1ull << bits) - 1); }
std::int64_t sign(std::uint64_t value, unsigned bits) { return static_cast<std::int64_t>(value << (64 - bits)) >> (64 - bits); }

TreadleExpr made(std::uint64_t value, unsigned bits) {
  const std::uint32_t number = next++;
  if (number >= most) complain("number of expressions", number, most, nullptr);
  if (bits == 0 || bits > 64) complain("width", bits, 64, nullptr);
  known[number] = {cut(value, bits), bits};
  return number;
}

__attribute__((always_inline)) inline void hold(TreadleExpr expression, std::uint64_t value, unsigned bits) {
  if (expression == 0) return;
  ++checked;
  EXPECT_SAME("width", known[expression].bits, bits);
  EXPECT_SAME("value", known[expression].value, value);
}

std::uint64_t computed(std::uint32_t op, std::uint64_t a, std::uint64_t b, unsigned bits) {
  const std::int64_t x = sign(a, bits), y = sign(b, bits);
  switch (op) {
    case TREADLE_OP_ADD:
      return a + b;
    case TREADLE_OP_SUB:
      return a - b;
    case TREADLE_OP_MUL:
      return a * b;
    case TREADLE_OP_UDIV:
      return b == 0 ? ~0ull : a / b;
    case TREADLE_OP_SDIV:
      return y == -1 ? 0 - a : static_cast<std::uint64_t>(x / y);
    case TREADLE_OP_UREM:
      return b == 0 ? a : a % b;
    case TREADLE_OP_SREM:
      return y == -1 ? 0 : static_cast<std::uint64_t>(x % y);
    case TREADLE_OP_AND:
      return a & b;
    case TREADLE_OP_OR:
      return a | b;
    case TREADLE_OP_XOR:
      return a ^ b;
    case TREADLE_OP_SHL:
      return b >= bits ? 0 : a << b;
    case TREADLE_OP_LSHR:
      return b >= bits ? 0 : a >> b;
    case TREADLE_OP_ASHR:
      return static_cast<std::uint64_t>(x >> (b >= bits ? 63 : b));
    case TREADLE_OP_EQ:
      return a == b;
    case TREADLE_OP_NE:
      return a != b;
    case TREADLE_OP_ULT:
      return a < b;
    case TREADLE_OP_ULE:
      return a <= b;
    case TREADLE_OP_SLT:
      return x < y;
    case TREADLE_OP_SLE:
      return x <= y;
    default:
      complain("operation", op, 0, nullptr);
  }
}

bool compares(std::uint32_t op) { return op >= TREADLE_OP_EQ && op <= TREADLE_OP_SLE; }

// What is handed over and not yet taken.
struct Handed {
  const void* function;
  TreadleExpr expressions[32];
  std::uint64_t values[32];
};
thread_local Handed arguments{}, entered{}, results{};

struct Report {
  ~Report() {
    if (std::getenv("TREADLE_TEST_COUNTS") != nullptr)
      std::fprintf(stderr, "%u expressions, %lu checked, %lu taken\n", next.load() - 1, checked.load(), taken.load());
  }
} report;

}  // namespace

extern "C" {

uint8_t __treadle_sym_recording = 1;

TreadleExpr __treadle_sym_unary(uint32_t op, TreadleExpr a, uint32_t bits) noexcept {
  if (a == 0) return 0;
  EXPECT_SAME("width", known[a].bits, bits);
  return made(op == TREADLE_OP_NEG ? 0 - known[a].value : ~known[a].value, bits);
}
TreadleExpr __treadle_sym_binary(uint32_t op, TreadleExpr a, uint64_t a_value, TreadleExpr b, uint64_t b_value, uint32_t bits) noexcept {
  if (a == 0 && b == 0) return 0;
  hold(a, a_value, bits);
  hold(b, b_value, bits);
  return made(computed(op, a_value, b_value, bits), compares(op) ? 1 : bits);
}
TreadleExpr __treadle_sym_cast(uint32_t op, TreadleExpr a, uint32_t to_bits, uint32_t part) noexcept {
  if (a == 0) return 0;
  const Known from = known[a];
  if (op == TREADLE_OP_EXTRACT) return made(from.value >> part, to_bits);
  return made(op == TREADLE_OP_SEXT ? static_cast<std::uint64_t>(sign(from.value, from.bits)) : from.value, to_bits);
}
TreadleExpr __treadle_sym_select(TreadleExpr condition, uint64_t condition_value, TreadleExpr a, uint64_t a_value, TreadleExpr b,
                                 uint64_t b_value, uint32_t bits) noexcept {
  hold(condition, condition_value, 1);
  hold(a, a_value, bits);
  hold(b, b_value, bits);
  if (condition == 0) return condition_value != 0 ? a : b;
  return made(condition_value != 0 ? a_value : b_value, bits);
}

void __treadle_sym_way(uint8_t* way) noexcept { *way = 1; }
TreadleExpr __treadle_sym_loaded(const volatile void*, uint32_t bytes, uint64_t value) noexcept {
  EXPECT_SAME("read", value, cut(value, 8 * bytes));
  return made(value, 8 * bytes);
}
void __treadle_sym_stored(volatile void*, uint32_t bytes, TreadleExpr expression, uint64_t value) noexcept {
  if (expression == 0 || known[expression].bits > 8 * bytes) return;
  hold(expression, value, known[expression].bits);
}
TreadleExpr __treadle_sym_private_load(const volatile void* address, uint32_t bytes, uint64_t value) noexcept {
  return __treadle_sym_loaded(address, bytes, value);
}
void __treadle_sym_private_store(volatile void* address, uint32_t bytes, TreadleExpr expression, uint64_t value) noexcept {
  __treadle_sym_stored(address, bytes, expression, value);
}
TreadleExpr __treadle_sym_rmw(volatile void*, uint32_t bytes, uint32_t, TreadleExpr operand, uint64_t value, uint64_t found) noexcept {
  hold(operand, value, 8 * bytes);
  return made(found, 8 * bytes);
}
TreadleExpr __treadle_sym_cas(volatile void*, uint32_t bytes, TreadleExpr expected, uint64_t expected_value, TreadleExpr desired,
                              uint64_t desired_value, uint64_t found) noexcept {
  hold(expected, expected_value, 8 * bytes);
  hold(desired, desired_value, 8 * bytes);
  return made(found, 8 * bytes);
}
void __treadle_sym_copied(void*, const void*, size_t, uint32_t) noexcept {}
void __treadle_sym_filled(void*, TreadleExpr byte, uint8_t value, size_t, uint32_t) noexcept { hold(byte, value, 8); }
void __treadle_sym_pin_memory(const void*, size_t, uint32_t, uint32_t) noexcept {}
void __treadle_sym_lent(const void*, const void*) noexcept {}

void __treadle_sym_branch(TreadleExpr condition, uint32_t value, uint32_t guarded) noexcept {
  hold(condition, value, 1);
  if (guarded >= TREADLE_GUARDS_COUNT) complain("guarded", guarded, 0, nullptr);
}
void __treadle_sym_switch(TreadleExpr expression, uint64_t value, uint32_t bits, const uint64_t* cases, uint32_t count) noexcept {
  hold(expression, value, bits);
  for (uint32_t i = 0; i < count; ++i) EXPECT_SAME("case", cases[i], cut(cases[i], bits));
}
void __treadle_sym_pin(TreadleExpr expression, uint64_t value, uint32_t bits, uint32_t reason) noexcept {
  hold(expression, value, bits);
  if (reason >= TREADLE_PIN_COUNT) complain("reason", reason, 0, nullptr);
}
void __treadle_sym_address(TreadleExpr expression, const volatile void* address, size_t) noexcept {
  hold(expression, reinterpret_cast<std::uint64_t>(address), 64);
}
void __treadle_sym_looked_at(TreadleExpr expression, const volatile void* address) noexcept {
  hold(expression, reinterpret_cast<std::uint64_t>(address), 64);
}
void __treadle_sym_divisor(TreadleExpr expression, uint64_t value, uint32_t bits) noexcept { hold(expression, value, bits); }
void __treadle_sym_quotient(TreadleExpr dividend, uint64_t dividend_value, TreadleExpr divisor, uint64_t divisor_value,
                            uint32_t bits) noexcept {
  hold(dividend, dividend_value, bits);
  hold(divisor, divisor_value, bits);
}
void __treadle_sym_assume(TreadleExpr condition, uint32_t value) noexcept { hold(condition, value, 1); }

void __treadle_sym_argument(uint32_t number, TreadleExpr expression, uint64_t value) noexcept {
  hold(expression, value, known[expression].bits);
  if (number >= 32) return;
  if (arguments.function != nullptr) arguments = {};  // what was called before had no hooks
  arguments.expressions[number] = expression;
  arguments.values[number] = value;
}
void __treadle_sym_call(const void* function) noexcept { arguments.function = function; }
void __treadle_sym_enter(const void* function) noexcept {
  entered = arguments.function == function ? arguments : Handed{};
  arguments = {};
}
TreadleExpr __treadle_sym_parameter(uint32_t number, uint64_t value) noexcept {
  if (number >= 32 || entered.expressions[number] == 0) return 0;
  ++taken;
  EXPECT_SAME("argument", entered.values[number], value);
  return entered.expressions[number];
}
void __treadle_sym_leave(const void* function, uint32_t number, TreadleExpr expression, uint64_t value) noexcept {
  if (results.function != function) results = {.function = function, .expressions = {}, .values = {}};
  hold(expression, value, known[expression].bits);
  results.expressions[number] = expression;
  results.values[number] = value;
}
TreadleExpr __treadle_sym_result(const void* function, uint32_t number, uint64_t value) noexcept {
  if (results.function != function || results.expressions[number] == 0) return 0;
  ++taken;
  EXPECT_SAME("result", value, results.values[number]);
  return results.expressions[number];
}
}

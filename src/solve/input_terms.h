// SPDX-License-Identifier: Apache-2.0
// What is computed from inputs alone, whatever the schedule: terms, equal ones made once, and whether conditions on them can hold together.
// An input is known by its thread and by which one of that thread's it is, so that all executions of a program share what is found out.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "solve/bit_blaster.h"

namespace treadle {

/// A value: a number, or a term over inputs, or something that is only known to be the same as another.
struct TermValue {
  enum class Kind : std::uint8_t { Number, Term, Unknown } kind = Kind::Unknown;
  std::uint64_t what = 0xffffffff;  // Unknown: the same only if this is, and is not the highest number of 32 bits
  bool is_number() const { return kind == Kind::Number; }
  bool is_unknown() const { return kind == Kind::Unknown; }
  bool operator==(const TermValue&) const = default;
  static TermValue number(std::uint64_t value) { return {Kind::Number, value}; }
};

class InputTerms {
 public:
  using Term = std::uint32_t;
  using Conditions = std::uint32_t;  // a set of terms of one bit; 0: the empty one
  /// Which one.
  struct Input {
    std::uint32_t thread = 0, number = 0, bytes = 0;
    auto operator<=>(const Input&) const = default;
  };

  InputTerms();

  /// `bits` bits of it, from byte `part` on. It was `seen` somewhere.
  TermValue input(const Input& input, unsigned part, unsigned bits, std::uint64_t seen);
  /// What the operation comes to. Operands are as wide as it asks for; `a_bits`, `b_bits`: how wide.
  TermValue apply(const Expression& e, unsigned a_bits, unsigned b_bits, const TermValue& a, const TermValue& b, const TermValue& c);
  /// One bit.
  TermValue negated(const TermValue& condition) { return apply(negation_, 1, 0, condition, {}, {}); }
  TermValue either(const TermValue& a, const TermValue& b);

  Conditions with(Conditions conditions, Term condition);
  /// None: it takes too long to find out.
  std::optional<bool> are_possible(Conditions conditions);
  /// Values for which they hold, when they are possible: afterwards value() tells them.
  bool choose(Conditions conditions);
  std::optional<std::uint64_t> value(const Input& input) const;

  /// From now on they do not hold all together, in whatever is asked. None of them: nothing is possible any more.
  void rule_out(std::span<const Term> conditions);
  /// Values for which these hold and that are not ruled out: after Yes value() tells them.
  Answer choose_any(std::span<const Term> wanted, double seconds);

 private:
  using Key = std::array<std::uint32_t, 5>;
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  Term intern(const Expression& e);
  Term term_of(const TermValue& value, unsigned bits);
  const Bits& bits_of(Term term);
  Answer solve(Conditions conditions);

  static const Expression negation_, disjunction_;
  std::vector<Expression> terms_;
  std::vector<Bits> bits_;
  std::unordered_map<Key, Term, KeyHash> by_key_;
  std::vector<Input> inputs_;  // by number of an INPUT term's `a`
  std::map<Input, std::uint32_t> numbers_;
  std::vector<std::uint64_t> seen_;
  std::vector<Bits> input_bits_;
  std::vector<std::vector<Term>> sets_;
  std::map<std::vector<Term>, Conditions> by_set_;
  std::unordered_map<std::uint64_t, Conditions> extended_;  // by set and term
  std::vector<std::int8_t> possible_;                       // by set: 1 yes, 0 no, -1 not known yet, -2 too hard
  std::unique_ptr<OrderSolver> solver_;
  BitBlaster blaster_;
};

}  // namespace treadle

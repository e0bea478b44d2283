// SPDX-License-Identifier: Apache-2.0
#include "solve/input_terms.h"

#include <algorithm>

#include "abi/expression_value.h"
#include "base/hash.h"
#include "solve/expression_bits.h"

namespace treadle {
namespace {

constexpr double most_seconds = 0.05;  // for one set of conditions: more, and others had better find out

Expression of_one_bit(ExpressionOp op) {
  Expression e{};
  e.op = static_cast<std::uint8_t>(op);
  e.bits = 1;
  return e;
}

}  // namespace

const Expression InputTerms::negation_ = of_one_bit(TREADLE_OP_NOT), InputTerms::disjunction_ = of_one_bit(TREADLE_OP_OR);

std::size_t InputTerms::KeyHash::operator()(const Key& key) const {
  return Hash{}.add(key[0] | std::uint64_t{key[1]} << 32).add(key[2] | std::uint64_t{key[3]} << 32).add(key[4]).value();
}

InputTerms::InputTerms() : terms_(1), bits_(1), sets_(1), possible_{1}, solver_(make_acyclic_solver()), blaster_(*solver_) {
  by_set_.emplace(std::vector<Term>{}, 0);
}

InputTerms::Term InputTerms::intern(const Expression& e) {
  const Key key{e.op | std::uint32_t{e.bits} << 8 | std::uint32_t{e.part} << 16, e.a, e.b, e.c, 0};
  const auto [known, is_new] = by_key_.try_emplace(key, static_cast<Term>(terms_.size()));
  if (is_new) {
    terms_.push_back(e);
    bits_.emplace_back();
  }
  return known->second;
}

TermValue InputTerms::input(const Input& input, unsigned part, unsigned bits, std::uint64_t seen) {
  const auto [known, is_new] = numbers_.try_emplace(input, static_cast<std::uint32_t>(inputs_.size()));
  if (is_new) {
    inputs_.push_back(input);
    seen_.push_back(seen);
    input_bits_.emplace_back();
  }
  Expression e{};
  e.op = TREADLE_OP_INPUT;
  e.bits = static_cast<std::uint8_t>(bits);
  e.part = static_cast<std::uint16_t>(part);
  e.a = known->second;
  return {TermValue::Kind::Term, intern(e)};
}

InputTerms::Term InputTerms::term_of(const TermValue& value, unsigned bits) {
  if (!value.is_number()) return static_cast<Term>(value.what);
  Expression e{};
  e.op = TREADLE_OP_CONSTANT;
  e.bits = static_cast<std::uint8_t>(bits);
  e.b = static_cast<std::uint32_t>(value.what);
  e.c = static_cast<std::uint32_t>(value.what >> 32);
  return intern(e);
}

TermValue InputTerms::apply(const Expression& e, unsigned a_bits, unsigned b_bits, const TermValue& a, const TermValue& b,
                            const TermValue& c) {
  const auto op = static_cast<ExpressionOp>(e.op);
  const unsigned count = operands_of(op);
  if (op == TREADLE_OP_ITE && a.is_number()) return a.what != 0 ? b : c;
  if (a.is_unknown() || (count > 1 && b.is_unknown()) || (count > 2 && c.is_unknown())) return {};
  if (a.is_number() && (count < 2 || b.is_number()) && (count < 3 || c.is_number())) {
    switch (op) {
      case TREADLE_OP_ZEXT:
        return a;
      case TREADLE_OP_SEXT:
        return TermValue::number(treadle_masked(static_cast<std::uint64_t>(treadle_signed(a.what, a_bits)), e.bits));
      case TREADLE_OP_EXTRACT:
        return TermValue::number(treadle_masked(a.what >> e.part, e.bits));
      case TREADLE_OP_CONCAT:
        return TermValue::number(a.what << b_bits | b.what);
      default:
        return TermValue::number(treadle::apply(op, a.what, count > 1 ? b.what : 0, a_bits));
    }
  }
  Expression term = e;
  term.a = term_of(a, a_bits);
  term.b = count > 1 ? term_of(b, b_bits) : 0;
  term.c = count > 2 ? term_of(c, e.bits) : 0;
  return {TermValue::Kind::Term, intern(term)};
}

TermValue InputTerms::either(const TermValue& a, const TermValue& b) {
  if (a.is_number()) return a.what != 0 ? a : b;
  if (b.is_number()) return b.what != 0 ? b : a;
  return apply(disjunction_, 1, 1, a, b, {});
}

const Bits& InputTerms::bits_of(Term term) {
  std::vector<Term> open{term};
  while (!open.empty()) {
    const Term next = open.back();
    if (!bits_[next].empty()) {
      open.pop_back();
      continue;
    }
    const Expression& e = terms_[next];
    if (e.op == TREADLE_OP_CONSTANT) {
      bits_[next] = blaster_.constant(value_in(e), e.bits);
      continue;
    }
    if (e.op == TREADLE_OP_INPUT) {
      Bits& all = input_bits_[e.a];
      if (all.empty()) all = blaster_.fresh(8 * inputs_[e.a].bytes, seen_[e.a]);
      bits_[next] = blaster_.extracted(all, 8u * e.part, e.bits);
      continue;
    }
    const std::array operands{e.a, e.b, e.c};
    const unsigned count = operands_of(static_cast<ExpressionOp>(e.op));
    bool ready = true;
    for (unsigned i = 0; i < count; ++i)
      if (bits_[operands[i]].empty()) {
        open.push_back(operands[i]);
        ready = false;
      }
    if (ready) bits_[next] = bits_of_operation(blaster_, e, bits_[e.a], bits_[count > 1 ? e.b : 0], bits_[count > 2 ? e.c : 0]);
  }
  return bits_[term];
}

InputTerms::Conditions InputTerms::with(Conditions conditions, Term condition) {
  const auto [known, is_new] = extended_.try_emplace(std::uint64_t{conditions} << 32 | condition, 0);
  if (!is_new) return known->second;
  std::vector<Term> set = sets_[conditions];
  if (const auto place = std::ranges::lower_bound(set, condition); place == set.end() || *place != condition) set.insert(place, condition);
  const auto [there, is_new_set] = by_set_.try_emplace(set, static_cast<Conditions>(sets_.size()));
  if (is_new_set) {
    sets_.push_back(std::move(set));
    possible_.push_back(possible_[conditions] == 0 ? 0 : -1);
  }
  return known->second = there->second;
}

Answer InputTerms::solve(Conditions conditions) { return choose_any(sets_[conditions], most_seconds); }

Answer InputTerms::choose_any(std::span<const Term> wanted, double seconds) {
  std::vector<Literal> assumptions;
  for (const Term term : wanted) {
    const Truth holds = bits_of(term).front();
    if (holds.is_false()) return Answer::No;
    if (holds.is_open()) assumptions.push_back(holds.literal());
  }
  return solver_->solve(assumptions, {seconds});
}

std::optional<bool> InputTerms::are_possible(Conditions conditions) {
  std::int8_t& known = possible_[conditions];
  if (known == -1) {
    const Answer answer = solve(conditions);
    known = answer == Answer::Yes ? 1 : answer == Answer::No ? 0 : -2;
  }
  return known < 0 ? std::nullopt : std::optional(known == 1);
}

bool InputTerms::choose(Conditions conditions) { return solve(conditions) == Answer::Yes; }

void InputTerms::rule_out(std::span<const Term> conditions) {
  std::vector<Literal> clause;
  for (const Term term : conditions) {
    const Truth holds = bits_of(term).front();
    if (holds.is_false()) return;
    if (holds.is_open()) clause.push_back(~holds.literal());
  }
  solver_->add_clause(clause);
}

std::optional<std::uint64_t> InputTerms::value(const Input& input) const {
  const auto known = numbers_.find(input);
  if (known == numbers_.end() || input_bits_[known->second].empty()) return std::nullopt;
  return blaster_.value(input_bits_[known->second]);
}

}  // namespace treadle

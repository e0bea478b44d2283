// SPDX-License-Identifier: Apache-2.0
#include "solve/gates.h"

#include <algorithm>

#include "base/hash.h"

namespace treadle {
namespace {

bool is_negated(Literal l) { return (l.code & 1) != 0; }

Truth negated_if(bool negate, Truth t) { return negate ? ~t : t; }

void sort(Literal& a, Literal& b) {
  if (b.code < a.code) std::swap(a, b);
}

void sort(Literal& a, Literal& b, Literal& c) {
  sort(a, b);
  sort(b, c);
  sort(a, b);
}

/// Takes the negation off; true if there was one.
bool make_positive(Literal& l) {
  const bool was = is_negated(l);
  if (was) l = ~l;
  return was;
}

}  // namespace

std::size_t Gates::KeyHash::operator()(const Key& key) const {
  return Hash{}.add(key[0] | std::uint64_t{key[1]} << 32).add(key[2] | std::uint64_t{key[3]} << 32).value();
}

std::pair<Literal, bool> Gates::find_or_make(Kind kind, Literal a, Literal b, Literal c) {
  const auto [place, is_new] = made_.try_emplace({static_cast<std::uint32_t>(kind), a.code, b.code, c.code});
  if (is_new) place->second = solver_.add_literal();
  return {place->second, is_new};
}

void Gates::define(std::initializer_list<Literal> clause) { solver_.add_clause(std::span(clause.begin(), clause.size())); }

Truth Gates::both(Truth a, Truth b) {
  if (a.is_false() || b.is_false() || a == ~b) return false;
  if (a.is_true() || a == b) return b;
  if (b.is_true()) return a;
  Literal x = a.literal(), y = b.literal();
  sort(x, y);
  const auto [gate, is_new] = find_or_make(Kind::Both, x, y, {});
  if (is_new) {
    solver_.suggest(gate, solver_.is_suggested(x) && solver_.is_suggested(y));
    define({~gate, x});
    define({~gate, y});
    define({gate, ~x, ~y});
  }
  return gate;
}

Truth Gates::differ(Truth a, Truth b) {
  if (!a.is_open()) return negated_if(a.is_true(), b);
  if (!b.is_open()) return negated_if(b.is_true(), a);
  if (a == b) return false;
  if (a == ~b) return true;
  Literal x = a.literal(), y = b.literal();
  const bool negate = make_positive(x) != make_positive(y);
  sort(x, y);
  const auto [gate, is_new] = find_or_make(Kind::Differ, x, y, {});
  if (is_new) {
    solver_.suggest(gate, solver_.is_suggested(x) != solver_.is_suggested(y));
    define({~gate, x, y});
    define({~gate, ~x, ~y});
    define({gate, ~x, y});
    define({gate, x, ~y});
  }
  return negated_if(negate, gate);
}

Truth Gates::choose(Truth condition, Truth yes, Truth no) {
  if (!condition.is_open()) return condition.is_true() ? yes : no;
  if (yes == no) return yes;
  if (yes == condition || yes.is_true()) return either(condition, no);
  if (yes == ~condition || yes.is_false()) return both(~condition, no);
  if (no == condition || no.is_false()) return both(condition, yes);
  if (no == ~condition || no.is_true()) return either(~condition, yes);
  if (yes == ~no) return same(condition, yes);
  Literal c = condition.literal(), x = yes.literal(), y = no.literal();
  if (make_positive(c)) std::swap(x, y);
  const bool negate = is_negated(x);
  if (negate) x = ~x, y = ~y;
  const auto [gate, is_new] = find_or_make(Kind::Choose, c, x, y);
  if (is_new) {
    solver_.suggest(gate, solver_.is_suggested(solver_.is_suggested(c) ? x : y));
    define({~c, ~x, gate});
    define({~c, x, ~gate});
    define({c, ~y, gate});
    define({c, y, ~gate});
    define({~x, ~y, gate});  // these two follow; with them the value is known before the condition is
    define({x, y, ~gate});
  }
  return negated_if(negate, gate);
}

Truth Gates::majority(Truth a, Truth b, Truth c) {
  if (!a.is_open()) return a.is_true() ? either(b, c) : both(b, c);
  if (!b.is_open()) return b.is_true() ? either(a, c) : both(a, c);
  if (!c.is_open()) return c.is_true() ? either(a, b) : both(a, b);
  if (a == b || a == c) return a;
  if (b == c) return b;
  if (a == ~b) return c;
  if (a == ~c) return b;
  if (b == ~c) return a;
  Literal x = a.literal(), y = b.literal(), z = c.literal();
  sort(x, y, z);
  const bool negate = is_negated(x);  // the majority of the opposites is the opposite
  if (negate) x = ~x, y = ~y, z = ~z;
  const auto [gate, is_new] = find_or_make(Kind::Majority, x, y, z);
  if (is_new) {
    solver_.suggest(gate, solver_.is_suggested(x) + solver_.is_suggested(y) + solver_.is_suggested(z) >= 2);
    define({~x, ~y, gate});
    define({~x, ~z, gate});
    define({~y, ~z, gate});
    define({x, y, ~gate});
    define({x, z, ~gate});
    define({y, z, ~gate});
  }
  return negated_if(negate, gate);
}

Truth Gates::parity(Truth a, Truth b, Truth c) {
  if (!a.is_open()) return negated_if(a.is_true(), differ(b, c));
  if (!b.is_open()) return negated_if(b.is_true(), differ(a, c));
  if (!c.is_open()) return negated_if(c.is_true(), differ(a, b));
  Literal x = a.literal(), y = b.literal(), z = c.literal();
  const bool negate = (make_positive(x) != make_positive(y)) != make_positive(z);
  if (x == y) return negated_if(negate, z);
  if (x == z) return negated_if(negate, y);
  if (y == z) return negated_if(negate, x);
  sort(x, y, z);
  const auto [gate, is_new] = find_or_make(Kind::Parity, x, y, z);
  if (is_new) {
    solver_.suggest(gate, (solver_.is_suggested(x) + solver_.is_suggested(y) + solver_.is_suggested(z)) % 2 != 0);
    for (unsigned odd = 0; odd < 8; ++odd) {  // every way to hold, against every clause of four that it must satisfy
      const bool p = (odd & 1) != 0, q = (odd & 2) != 0, r = (odd & 4) != 0;
      define({p ? ~x : x, q ? ~y : y, r ? ~z : z, ((p != q) != r) ? gate : ~gate});
    }
  }
  return negated_if(negate, gate);
}

Truth Gates::all(std::span<const Truth> truths) {
  std::vector<Literal> open;
  for (const Truth t : truths) {
    if (t.is_false()) return false;
    if (t.is_open()) open.push_back(t.literal());
  }
  std::ranges::sort(open, {}, &Literal::code);
  const auto doubles = std::ranges::unique(open);
  open.erase(doubles.begin(), doubles.end());
  for (std::size_t i = 1; i < open.size(); ++i)
    if (open[i] == ~open[i - 1]) return false;
  if (open.empty()) return true;
  if (open.size() == 1) return open.front();
  if (open.size() == 2) return both(open[0], open[1]);
  const Literal gate = solver_.add_literal();
  solver_.suggest(gate, std::ranges::all_of(open, [&](Literal l) { return solver_.is_suggested(l); }));
  for (Literal& l : open) {
    define({~gate, l});
    l = ~l;
  }
  open.push_back(gate);
  solver_.add_clause(open);
  return gate;
}

Truth Gates::any(std::span<const Truth> truths) {
  std::vector<Truth> opposites;
  opposites.reserve(truths.size());
  for (const Truth t : truths) opposites.push_back(~t);
  return ~all(opposites);
}

void Gates::clause(std::span<const Truth> truths) {
  scratch_.clear();
  for (const Truth t : truths) {
    if (t.is_true()) return;
    if (t.is_open()) scratch_.push_back(t.literal());
  }
  solver_.add_clause(scratch_);
}

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
#include "solve/value_bounds.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace treadle {
namespace {

constexpr std::uint64_t most_work = 4'000'000;  // expressions looked at, all rounds together

std::uint64_t mask(unsigned bits) { return bits >= 64 ? ~0ull : (1ull << bits) - 1; }

std::int64_t sign_extended(std::uint64_t value, unsigned bits) {
  const unsigned shift = 64 - bits;
  return static_cast<std::int64_t>(value << shift) >> shift;
}

/// From what is known without a sign, with one.
Bounds from_unsigned(std::uint64_t lowest, std::uint64_t highest, unsigned bits) {
  Bounds out = Bounds::any(bits);
  out.lowest = lowest;
  out.highest = highest;
  const std::uint64_t sign = 1ull << (bits - 1);
  if ((lowest & sign) == (highest & sign)) {
    out.lowest_signed = sign_extended(lowest, bits);
    out.highest_signed = sign_extended(highest, bits);
  }
  return out;
}

/// And the other way round, with what was known without.
void refine_by_sign(Bounds& b, __int128 lowest, __int128 highest, unsigned bits) {
  const Bounds any = Bounds::any(bits);
  if (lowest < any.lowest_signed || highest > any.highest_signed) return;
  b.lowest_signed = std::max(b.lowest_signed, static_cast<std::int64_t>(lowest));
  b.highest_signed = std::min(b.highest_signed, static_cast<std::int64_t>(highest));
  if ((lowest < 0) != (highest < 0)) return;
  b.lowest = std::max(b.lowest, static_cast<std::uint64_t>(static_cast<std::int64_t>(lowest)) & mask(bits));
  b.highest = std::min(b.highest, static_cast<std::uint64_t>(static_cast<std::int64_t>(highest)) & mask(bits));
}

Bounds sum(const Bounds& a, const Bounds& b, unsigned bits, bool minus) {
  using Wide = unsigned __int128;
  Bounds out = Bounds::any(bits);
  if (!minus) {
    const Wide low = static_cast<Wide>(a.lowest) + b.lowest, high = static_cast<Wide>(a.highest) + b.highest;
    if ((low > mask(bits)) == (high > mask(bits)))  // all of them wrap around, or none
      out = from_unsigned(static_cast<std::uint64_t>(low) & mask(bits), static_cast<std::uint64_t>(high) & mask(bits), bits);
  } else if (a.lowest >= b.highest || a.highest < b.lowest) {
    out = from_unsigned((a.lowest - b.highest) & mask(bits), (a.highest - b.lowest) & mask(bits), bits);
  }
  const __int128 low = static_cast<__int128>(a.lowest_signed) + (minus ? -static_cast<__int128>(b.highest_signed) : b.lowest_signed);
  const __int128 high = static_cast<__int128>(a.highest_signed) + (minus ? -static_cast<__int128>(b.lowest_signed) : b.highest_signed);
  refine_by_sign(out, low, high, bits);
  return out;
}

}  // namespace

Bounds Bounds::of(std::uint64_t value, unsigned bits) {
  return {value, value, sign_extended(value, bits), sign_extended(value, bits), false};
}

Bounds Bounds::any(unsigned bits) {
  const std::uint64_t sign = 1ull << (bits - 1);
  return {0, mask(bits), sign_extended(sign, bits), static_cast<std::int64_t>(sign - 1), false};
}

bool Bounds::is_any(unsigned bits) const { return *this == any(bits); }

void Bounds::include(const Bounds& other) {
  if (other.empty) return;
  if (empty) {
    *this = other;
    return;
  }
  lowest = std::min(lowest, other.lowest);
  highest = std::max(highest, other.highest);
  lowest_signed = std::min(lowest_signed, other.lowest_signed);
  highest_signed = std::max(highest_signed, other.highest_signed);
}

ValueBounds::ValueBounds(const CellExpressions& expressions, const SymbolicTrace& symbolic, const Sources& sources)
    : expressions_(expressions), symbolic_(symbolic), reads_(expressions.reads().size()), values_(expressions.all().size()) {
  std::uint64_t work = values_.size();
  for (const CellRead& read : expressions.reads()) {
    sources_.push_back(sources(read));
    work += sources_.back().size();
  }
  count_rounds();
  const std::uint32_t most = rounds_.empty() ? 0 : *std::ranges::max_element(rounds_);
  if (work * (most + 1) > most_work) {
    give_up();
    return;
  }
  for (std::uint32_t number = 0; number <= most; ++number)
    if (!round(number)) return;
}

/// Reads that can be made of one another are as many rounds apart as there are writes among them that compute something.
void ValueBounds::count_rounds() {
  std::vector<std::uint32_t> group(reads_.size());
  std::iota(group.begin(), group.end(), 0u);
  const auto find = [&](std::uint32_t r) {
    while (group[r] != r) r = group[r] = group[group[r]];
    return r;
  };
  // The first read in each expression stands for all of them.
  std::vector<std::uint32_t> of(values_.size(), nothing);
  for (ExpressionId id = 1; id < values_.size(); ++id) {
    const Expression& e = expressions_.all()[id];
    if (e.op == TREADLE_OP_READ) of[id] = e.a;
    const std::uint32_t operands[] = {e.a, e.b, e.c};
    for (unsigned i = 0; i < operands_of(static_cast<ExpressionOp>(e.op)); ++i) {
      const std::uint32_t other = of[operands[i]];
      if (other == nothing) continue;
      if (of[id] == nothing) of[id] = other;
      group[find(of[id])] = find(other);
    }
  }
  for (std::uint32_t r = 0; r < reads_.size(); ++r)
    for (const Written& written : sources_[r])
      if (written.kind == Written::Kind::Symbolic && of[written.expression] != nothing) group[find(r)] = find(of[written.expression]);
  std::vector<std::set<ExpressionId>> computed(reads_.size());
  for (std::uint32_t r = 0; r < reads_.size(); ++r)
    for (const Written& written : sources_[r])
      if (written.kind == Written::Kind::Symbolic) computed[find(r)].insert(written.expression);
  for (std::uint32_t r = 0; r < reads_.size(); ++r) rounds_.push_back(static_cast<std::uint32_t>(computed[find(r)].size()));
}

void ValueBounds::give_up() {
  for (ExpressionId id = 1; id < expressions_.all().size(); ++id)
    if (const Expression& e = expressions_.all()[id]; e.op == TREADLE_OP_READ) reads_[e.a] = Bounds::any(e.bits);
}

/// False: nothing was new.
bool ValueBounds::round(std::uint32_t number) {
  for (ExpressionId id = 1; id < values_.size(); ++id) values_[id] = apply(expressions_.all()[id]);
  bool any = false;
  for (std::uint32_t r = 0; r < reads_.size(); ++r) {
    if (number > rounds_[r]) continue;
    const CellId cell = symbolic_.units().all[expressions_.reads()[r].unit].reads[expressions_.reads()[r].read].cell;
    const auto bits = static_cast<unsigned>(8 * symbolic_.units().cells[cell].bytes);
    Bounds now;
    for (const Written& written : sources_[r]) {
      if (written.kind == Written::Kind::Unknown) now.include(Bounds::any(bits));
      if (written.kind == Written::Kind::Constant) now.include(Bounds::of(written.value & mask(bits), bits));
      if (written.kind == Written::Kind::Symbolic) now.include(values_[written.expression]);
    }
    any |= now != reads_[r];
    reads_[r] = now;
  }
  return any;
}

Bounds ValueBounds::apply(const Expression& e) const {
  const auto op = static_cast<ExpressionOp>(e.op);
  if (op == TREADLE_OP_CONSTANT) return Bounds::of(value_in(e), e.bits);
  if (op == TREADLE_OP_READ) return reads_[e.a];
  const unsigned count = operands_of(op);
  const std::uint32_t operands[] = {e.a, e.b, e.c};
  for (unsigned i = 0; i < count; ++i)
    if (values_[operands[i]].empty && op != TREADLE_OP_ITE) return {};
  const Bounds &a = values_[e.a], &b = values_[count > 1 ? e.b : 0];
  switch (op) {
    case TREADLE_OP_ADD:
      return sum(a, b, e.bits, false);
    case TREADLE_OP_SUB:
      return sum(a, b, e.bits, true);
    case TREADLE_OP_ZEXT:
      return from_unsigned(a.lowest, a.highest, e.bits);
    case TREADLE_OP_SEXT: {
      Bounds out = Bounds::any(e.bits);
      refine_by_sign(out, a.lowest_signed, a.highest_signed, e.bits);
      return out;
    }
    case TREADLE_OP_EXTRACT:
      return e.part == 0 && a.highest <= mask(e.bits) ? from_unsigned(a.lowest, a.highest, e.bits) : Bounds::any(e.bits);
    case TREADLE_OP_CONCAT: {
      const unsigned low = expressions_.all()[e.b].bits;
      if (low >= 64) return Bounds::any(e.bits);
      return from_unsigned(a.lowest << low | b.lowest, a.highest << low | b.highest, e.bits);
    }
    case TREADLE_OP_AND:
      return from_unsigned(0, std::min(a.highest, b.highest), e.bits);
    case TREADLE_OP_ITE: {
      Bounds out = b;
      out.include(values_[e.c]);
      return out;
    }
    default:
      return Bounds::any(e.bits);
  }
}

}  // namespace treadle

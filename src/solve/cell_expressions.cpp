// SPDX-License-Identifier: Apache-2.0
#include "solve/cell_expressions.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace treadle {
namespace {

std::uint64_t masked(std::uint64_t value, unsigned bits) { return bits >= 64 ? value : value & ((1ull << bits) - 1); }

}  // namespace

CellExpressions::CellExpressions(const SymbolicTrace& symbolic, const ReadSources& sources, const CausalFormula& formula, Inputs inputs)
    : symbolic_(symbolic), sources_(sources), formula_(formula), inputs_(inputs), all_(1), now_(symbolic.trace().expressions.size(), 0) {
  for (UnitId u = 0; u < formula.size(); ++u)
    for (std::uint32_t r = 0; r < formula.unit(u).reads.size(); ++r) unit_reads_.try_emplace(key(u, formula.unit(u).reads[r].cell), r);
  for (ExpressionId id = 1; id < now_.size(); ++id) now_[id] = rewritten(symbolic.trace().expressions[id]);
  find_writes();
}

ExpressionId CellExpressions::constant(std::uint64_t value, unsigned bits) {
  Expression e{};
  e.op = TREADLE_OP_CONSTANT;
  e.bits = static_cast<std::uint8_t>(bits);
  e.b = static_cast<std::uint32_t>(masked(value, bits));
  e.c = static_cast<std::uint32_t>(masked(value, bits) >> 32);
  all_.push_back(e);
  return static_cast<ExpressionId>(all_.size() - 1);
}

ExpressionId CellExpressions::add(ExpressionOp op, unsigned bits, unsigned part, ExpressionId a, ExpressionId b, ExpressionId c) {
  Expression e{static_cast<std::uint8_t>(op), static_cast<std::uint8_t>(bits), static_cast<std::uint16_t>(part), a, b, c};
  const std::array operands{a, b, c};
  const unsigned count = operands_of(op);
  if (op == TREADLE_OP_ITE && is_constant(a)) return value_in(all_[a]) != 0 ? b : c;
  if (std::all_of(operands.begin(), operands.begin() + count, [&](ExpressionId id) { return is_constant(id); })) {
    std::array<Expression, 5> small{};
    for (unsigned i = 0; i < count; ++i) small[i + 1] = all_[operands[i]];
    for (unsigned i = count; i < 3; ++i) small[i + 1] = small[1];
    small[4] = e;
    small[4].a = 1;
    small[4].b = 2;
    small[4].c = 3;
    return constant(evaluate(small).back(), bits);
  }
  if (const auto simpler = gathered(op, bits, a, b)) return *simpler;
  all_.push_back(e);
  return static_cast<ExpressionId>(all_.size() - 1);
}

/// Constants of sums come together: what is left of adding up a hundred of them is one.
std::optional<ExpressionId> CellExpressions::gathered(ExpressionOp op, unsigned bits, ExpressionId a, ExpressionId b) {
  const bool compares = op == TREADLE_OP_EQ || op == TREADLE_OP_NE;
  if (op != TREADLE_OP_ADD && op != TREADLE_OP_SUB && !compares) return std::nullopt;
  if (op != TREADLE_OP_SUB && is_constant(a)) std::swap(a, b);
  if (!is_constant(b)) return std::nullopt;
  const std::uint64_t number = op == TREADLE_OP_SUB ? 0 - value_in(all_[b]) : value_in(all_[b]);
  if (!compares && masked(number, bits) == 0) return a;
  const bool is_sum = all_[a].op == TREADLE_OP_ADD && is_constant(all_[a].b);
  if (compares && is_sum) {
    const Expression sum = all_[a];
    return push(op, 1, sum.a, constant(number - value_in(all_[sum.b]), sum.bits));
  }
  if (compares) return std::nullopt;
  const Expression sum = all_[a];
  return is_sum ? push(TREADLE_OP_ADD, bits, sum.a, constant(number + value_in(all_[sum.b]), bits))
                : push(TREADLE_OP_ADD, bits, a, constant(number, bits));
}

ExpressionId CellExpressions::push(ExpressionOp op, unsigned bits, ExpressionId a, ExpressionId b) {
  all_.push_back({static_cast<std::uint8_t>(op), static_cast<std::uint8_t>(bits), 0, a, b, 0});
  return static_cast<ExpressionId>(all_.size() - 1);
}

ExpressionId CellExpressions::rewritten(const Expression& e) {
  switch (static_cast<ExpressionOp>(e.op)) {
    case TREADLE_OP_INPUT:
      if (inputs_ == Inputs::Kept) return constant(value_in(e), e.bits);
      all_.push_back(e);
      return static_cast<ExpressionId>(all_.size() - 1);
    case TREADLE_OP_CONSTANT:
      return constant(value_in(e), e.bits);
    case TREADLE_OP_READ:
      return whole_read(e);
    default: {
      const unsigned count = operands_of(static_cast<ExpressionOp>(e.op));
      return add(static_cast<ExpressionOp>(e.op), e.bits, e.part, now_[e.a], count > 1 ? now_[e.b] : 0, count > 2 ? now_[e.c] : 0);
    }
  }
}

ExpressionId CellExpressions::whole_read(const Expression& e) {
  const Units& units = symbolic_.units();
  const UnitId unit = units.unit_of[e.a];
  if (unit == nothing || units.all[unit].left_out || formula_.is_cut_off(unit)) return constant(value_in(e), e.bits);
  const auto [first, end] = cells_within(units, symbolic_.trace().events[e.a].address + e.part, e.bits / 8u);
  ExpressionId whole = 0;
  for (CellId c = first; c < end; ++c) {
    ExpressionId part = cell_read(e.a, c);
    if (part == 0)  // of an own store that no expression stands for: it left what was seen
      part = constant(value_in(e) >> (whole == 0 ? 0 : all_[whole].bits), static_cast<unsigned>(8 * units.cells[c].bytes));
    whole = whole == 0 ? part : add(TREADLE_OP_CONCAT, all_[part].bits + all_[whole].bits, 0, part, whole);
  }
  check(whole != 0 && all_[whole].bits == e.bits, "cells end where expressions end");
  return whole;
}

ExpressionId CellExpressions::cell_read(std::uint32_t event, CellId cell) {
  const Units& units = symbolic_.units();
  const auto bits = static_cast<unsigned>(8 * units.cells[cell].bytes);
  if (const std::uint32_t own = symbolic_.own_source(event, cell); own != nothing) return part_of(symbolic_.written(own, cell), bits);
  const UnitId unit = units.unit_of[event];
  const auto [known, is_new] = cell_reads_.try_emplace(key(unit, cell), 0);
  if (!is_new) return known->second;
  const auto found = unit_reads_.find(key(unit, cell));
  check(found != unit_reads_.end(), "what a unit has not written itself it reads");
  const UnitRead& read = units.all[unit].reads[found->second];
  const auto value = symbolic_.is_open_in(unit, cell) ? folded(unit, read) : units.values[cell][read.value];
  if (value) return known->second = constant(*value, bits);
  Expression e{};
  e.op = TREADLE_OP_READ;
  e.bits = static_cast<std::uint8_t>(bits);
  e.a = static_cast<std::uint32_t>(reads_.size());
  reads_.push_back({unit, found->second});
  all_.push_back(e);
  return known->second = static_cast<ExpressionId>(all_.size() - 1);
}

std::optional<std::uint64_t> CellExpressions::folded(UnitId unit, const UnitRead& read) const {
  const auto bits = static_cast<unsigned>(8 * symbolic_.units().cells[read.cell].bytes);
  const ReadSources::Found found = sources_.of(unit, read);
  std::optional<std::uint64_t> value;
  const auto differs = [&](const Written& written) {
    const auto constant = constant_of(written, bits);
    if (!constant || (value && *value != *constant)) return true;
    value = constant;
    return false;
  };
  if (found.initial && differs(symbolic_.initial(read.cell))) return std::nullopt;
  if (read.own_flush != nothing && differs(symbolic_.written(formula_.unit(formula_.unit(read.own_flush).partner).event, read.cell)))
    return std::nullopt;
  for (const ReadSources::Writer& w : found.writers)
    if (differs(symbolic_.written(w.event, read.cell))) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> CellExpressions::constant_of(const Written& written, unsigned bits) const {
  if (written.kind == Written::Kind::Constant) return written.value;
  if (written.kind == Written::Kind::Unknown || now_[written.expression] == 0 || !is_constant(now_[written.expression]))
    return std::nullopt;
  return masked(value_in(all_[now_[written.expression]]) >> written.lowest, bits);
}

/// 0: not known.
ExpressionId CellExpressions::part_of(const Written& written, unsigned bits) {
  if (const auto value = constant_of(written, bits)) return constant(*value, bits);
  if (written.kind == Written::Kind::Unknown || now_[written.expression] == 0) return 0;
  ExpressionId id = now_[written.expression];
  if (written.lowest + bits > all_[id].bits) id = add(TREADLE_OP_ZEXT, written.lowest + bits, 0, id);
  return all_[id].bits == bits ? id : add(TREADLE_OP_EXTRACT, bits, written.lowest, id);
}

void CellExpressions::find_writes() {
  if (symbolic_.trace().expressions.empty()) return;
  for (const Unit& unit : symbolic_.units().all)
    for (const UnitWrite& write : unit.writes) {
      Written value = symbolic_.written(write.event, write.cell);
      if (value.kind != Written::Kind::Symbolic) continue;
      const auto bits = static_cast<unsigned>(8 * symbolic_.units().cells[write.cell].bytes);
      if (const auto known = constant_of(value, bits)) {
        value.kind = Written::Kind::Constant;
        value.value = *known;
      } else {
        value.expression = part_of(value, bits);
        value.lowest = 0;
      }
      written_[key(write.event, write.cell)] = value;
    }
}

Written CellExpressions::written(std::uint32_t event, CellId cell) const {
  const auto found = written_.find(key(event, cell));
  return found == written_.end() ? symbolic_.written(event, cell) : found->second;
}

}  // namespace treadle

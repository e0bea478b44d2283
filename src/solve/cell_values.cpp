// SPDX-License-Identifier: Apache-2.0
#include "solve/cell_values.h"

#include <array>

#include "abi/expression_value.h"

namespace treadle {

bool is_as_it_was(const Content& content, const UnitRead& read, const Units& units) {
  const auto& value = units.values[read.cell][read.value];
  return content.known ? value && *value == content.value : content.id != nothing && content.id == read.value;
}

CellValues::CellValues(const CellExpressions& expressions)
    : expressions_(expressions),
      leaf_values_(expressions.reads().size()),
      values_(expressions.all().size(), 0),
      is_known_(expressions.all().size(), 0),
      leaf_round_(expressions.reads().size(), 0),
      value_round_(expressions.all().size(), 0) {}

void CellValues::start() {
  ++round_;
  log_.clear();
}

void CellValues::found(std::uint32_t leaf, const Content& content) {
  leaf_values_[leaf] = content;
  leaf_round_[leaf] = round_;
}

void CellValues::forget_since(std::size_t computed) {
  for (std::size_t i = computed; i < log_.size(); ++i) value_round_[log_[i]] = 0;
  log_.resize(computed);
}

Content CellValues::content(const Written& written) {
  switch (written.kind) {
    case Written::Kind::Constant:
      return {true, written.value, nothing};
    case Written::Kind::Symbolic:
      if (evaluate(written.expression)) return {true, values_[written.expression], nothing};
      return {};
    case Written::Kind::Unknown:
      return {false, 0, written.id};
  }
  return {};
}

/// Operands stand in front of what is made of them: those that are missing are evaluated first.
bool CellValues::evaluate(ExpressionId id) {
  open_.assign(1, id);
  while (!open_.empty()) {
    const ExpressionId next = open_.back();
    if (value_round_[next] != round_) {
      const Expression& e = expressions_.all()[next];
      if (!evaluate_operands(e)) continue;
      bool known = true;
      values_[next] = compute(e, known);
      is_known_[next] = known ? 1 : 0;
      value_round_[next] = round_;
      log_.push_back(next);
    }
    open_.pop_back();
  }
  return is_known_[id] != 0;
}

bool CellValues::evaluate_operands(const Expression& e) {
  const std::array operands{e.a, e.b, e.c};
  bool all = true;
  for (unsigned i = 0; i < operands_of(static_cast<ExpressionOp>(e.op)); ++i)
    if (value_round_[operands[i]] != round_) {
      open_.push_back(operands[i]);
      all = false;
    }
  return all;
}

std::uint64_t CellValues::compute(const Expression& e, bool& known) const {
  const auto op = static_cast<ExpressionOp>(e.op);
  const std::array operands{e.a, e.b, e.c};
  for (unsigned i = 0; i < operands_of(op); ++i) known = known && is_known_[operands[i]] != 0;
  const auto value = [&](ExpressionId operand) { return values_[operand]; };
  switch (op) {
    case TREADLE_OP_CONSTANT:
      return value_in(e);
    case TREADLE_OP_READ:
      known = leaf_round_[e.a] == round_ && leaf_values_[e.a].known;
      return leaf_values_[e.a].value;
    case TREADLE_OP_ZEXT:
      return value(e.a);
    case TREADLE_OP_SEXT:
      return treadle_masked(static_cast<std::uint64_t>(treadle_signed(value(e.a), expressions_.all()[e.a].bits)), e.bits);
    case TREADLE_OP_EXTRACT:
      return treadle_masked(value(e.a) >> e.part, e.bits);
    case TREADLE_OP_CONCAT:
      return value(e.a) << expressions_.all()[e.b].bits | value(e.b);
    case TREADLE_OP_ITE:
      return value(value(e.a) != 0 ? e.b : e.c);
    default:
      return known ? apply(op, value(e.a), operands_of(op) > 1 ? value(e.b) : 0, expressions_.all()[e.a].bits) : 0;
  }
}

}  // namespace treadle

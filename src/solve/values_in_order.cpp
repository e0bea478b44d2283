// SPDX-License-Identifier: Apache-2.0
#include "solve/values_in_order.h"

#include <algorithm>
#include <array>

#include "abi/expression_value.h"

namespace treadle {

ValuesInOrder::ValuesInOrder(const SymbolicTrace& symbolic, const CellExpressions& expressions, const CausalFormula& formula)
    : symbolic_(symbolic),
      expressions_(expressions),
      formula_(formula),
      first_leaf_(formula.size() + 1, 0),
      leaves_(expressions.reads().size()),
      leaf_values_(expressions.reads().size()),
      memory_(formula.units().cells.size()),
      values_(expressions.all().size(), 0),
      leaf_round_(expressions.reads().size(), 0),
      memory_round_(formula.units().cells.size(), 0),
      value_round_(expressions.all().size(), 0),
      is_known_(expressions.all().size(), 0) {
  for (const CellRead& read : expressions.reads()) ++first_leaf_[read.unit + 1];
  for (UnitId u = 0; u < formula.size(); ++u) first_leaf_[u + 1] += first_leaf_[u];
  std::vector<std::uint32_t> next(first_leaf_.begin(), first_leaf_.end() - 1);
  for (std::uint32_t leaf = 0; leaf < leaves_.size(); ++leaf) leaves_[next[expressions.reads()[leaf].unit]++] = leaf;
}

std::vector<UnitId> ValuesInOrder::broken(const Past& past) {
  ++round_;
  std::vector<UnitId> broken;
  for (const UnitId u : past.in_order()) {
    const Unit& unit = formula_.unit(u);
    make(u, past);
    const auto keeps = [&](const UnitRead& read) {
      return symbolic_.is_open(read.event, read.cell) || is_as_it_was(found(u, read, past), read);
    };
    bool holds = unit.before == nothing || conditions_hold(unit.before, true);
    if (!past.is_target(u)) holds = holds && conditions_hold(u, false) && std::all_of(unit.reads.begin(), unit.reads.end(), keeps);
    if (!holds) broken.push_back(u);
    if (past.is_target(u)) continue;
    for (const UnitWrite& write : unit.writes) {
      memory_[write.cell] = content(expressions_.written(write.event, write.cell));
      memory_round_[write.cell] = round_;
    }
  }
  return broken;
}

/// What it reads there.
void ValuesInOrder::make(UnitId unit, const Past& past) {
  for (std::uint32_t i = first_leaf_[unit]; i < first_leaf_[unit + 1]; ++i) {
    const std::uint32_t leaf = leaves_[i];
    leaf_values_[leaf] = found(unit, formula_.unit(unit).reads[expressions_.reads()[leaf].read], past);
    leaf_round_[leaf] = round_;
  }
}

ValuesInOrder::Content ValuesInOrder::found(UnitId unit, const UnitRead& read, const Past& past) {
  const UnitId flush = read.own_flush;
  if (flush != nothing && (!past.includes(flush) || !formula_.came_first(flush, unit)))  // on its way
    return content(expressions_.written(formula_.unit(formula_.unit(flush).partner).event, read.cell));
  return memory_round_[read.cell] == round_ ? memory_[read.cell] : content(symbolic_.initial(read.cell));
}

bool ValuesInOrder::is_as_it_was(const Content& content, const UnitRead& read) const {
  const auto& value = formula_.units().values[read.cell][read.value];
  return content.known ? value && *value == content.value : content.id != nothing && content.id == read.value;
}

bool ValuesInOrder::conditions_hold(UnitId unit, bool trailing) {
  const auto notes = symbolic_.conditions_of(unit);
  return std::all_of(notes.begin(), notes.end(), [&](std::uint32_t note) {
    if (symbolic_.is_trailing(note) != trailing) return true;
    const ExpressionId condition = expressions_.of(symbolic_.trace().notes[note].expression);
    return evaluate(condition) && values_[condition] != 0;
  });
}

ValuesInOrder::Content ValuesInOrder::content(const Written& written) {
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
bool ValuesInOrder::evaluate(ExpressionId id) {
  open_.assign(1, id);
  while (!open_.empty()) {
    const ExpressionId next = open_.back();
    const Expression& e = expressions_.all()[next];
    if (value_round_[next] != round_) {
      if (!evaluate_operands(e)) continue;
      const std::array operands{e.a, e.b, e.c};
      bool known = true;
      for (unsigned i = 0; i < operands_of(static_cast<ExpressionOp>(e.op)); ++i) known = known && is_known_[operands[i]] != 0;
      const auto value = [&](ExpressionId operand) { return values_[operand]; };
      switch (static_cast<ExpressionOp>(e.op)) {
        case TREADLE_OP_CONSTANT:
          values_[next] = value_in(e);
          break;
        case TREADLE_OP_READ:
          known = leaf_round_[e.a] == round_ && leaf_values_[e.a].known;
          values_[next] = leaf_values_[e.a].value;
          break;
        case TREADLE_OP_ZEXT:
          values_[next] = value(e.a);
          break;
        case TREADLE_OP_SEXT:
          values_[next] = treadle_masked(static_cast<std::uint64_t>(treadle_signed(value(e.a), expressions_.all()[e.a].bits)), e.bits);
          break;
        case TREADLE_OP_EXTRACT:
          values_[next] = treadle_masked(value(e.a) >> e.part, e.bits);
          break;
        case TREADLE_OP_CONCAT:
          values_[next] = value(e.a) << expressions_.all()[e.b].bits | value(e.b);
          break;
        case TREADLE_OP_ITE:
          values_[next] = value(value(e.a) != 0 ? e.b : e.c);
          break;
        default:
          values_[next] = known ? apply(static_cast<ExpressionOp>(e.op), value(e.a),
                                        operands_of(static_cast<ExpressionOp>(e.op)) > 1 ? value(e.b) : 0, expressions_.all()[e.a].bits)
                                : 0;
      }
      is_known_[next] = known ? 1 : 0;
      value_round_[next] = round_;
    }
    open_.pop_back();
  }
  return is_known_[id] != 0;
}

bool ValuesInOrder::evaluate_operands(const Expression& e) {
  const std::array operands{e.a, e.b, e.c};
  bool all = true;
  for (unsigned i = 0; i < operands_of(static_cast<ExpressionOp>(e.op)); ++i)
    if (value_round_[operands[i]] != round_) {
      open_.push_back(operands[i]);
      all = false;
    }
  return all;
}

}  // namespace treadle

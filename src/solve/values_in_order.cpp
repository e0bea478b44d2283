// SPDX-License-Identifier: Apache-2.0
#include "solve/values_in_order.h"

#include <algorithm>

namespace treadle {

ValuesInOrder::ValuesInOrder(const SymbolicTrace& symbolic, const CellExpressions& expressions, const CausalFormula& formula)
    : symbolic_(symbolic),
      expressions_(expressions),
      formula_(formula),
      first_leaf_(formula.size() + 1, 0),
      leaves_(expressions.reads().size()),
      values_(expressions),
      memory_(formula.units().cells.size()),
      memory_round_(formula.units().cells.size(), 0) {
  for (const CellRead& read : expressions.reads()) ++first_leaf_[read.unit + 1];
  for (UnitId u = 0; u < formula.size(); ++u) first_leaf_[u + 1] += first_leaf_[u];
  std::vector<std::uint32_t> next(first_leaf_.begin(), first_leaf_.end() - 1);
  for (std::uint32_t leaf = 0; leaf < leaves_.size(); ++leaf) leaves_[next[expressions.reads()[leaf].unit]++] = leaf;
}

std::vector<UnitId> ValuesInOrder::broken(const Past& past) {
  ++round_;
  values_.start();
  std::vector<UnitId> broken;
  for (const UnitId u : past.in_order()) {
    const Unit& unit = formula_.unit(u);
    make(u, past);
    const auto keeps = [&](const UnitRead& read) {
      return symbolic_.is_open(read.event, read.cell) || is_as_it_was(found(u, read, past), read, formula_.units());
    };
    bool holds = unit.before == nothing || conditions_hold(unit.before, true);
    if (!past.is_target(u)) holds = holds && conditions_hold(u, false) && std::all_of(unit.reads.begin(), unit.reads.end(), keeps);
    if (!holds) broken.push_back(u);
    if (past.is_target(u)) continue;
    for (const UnitWrite& write : unit.writes) {
      memory_[write.cell] = values_.content(expressions_.written(write.event, write.cell));
      memory_round_[write.cell] = round_;
    }
  }
  return broken;
}

/// What it reads there.
void ValuesInOrder::make(UnitId unit, const Past& past) {
  for (std::uint32_t i = first_leaf_[unit]; i < first_leaf_[unit + 1]; ++i) {
    const std::uint32_t leaf = leaves_[i];
    values_.found(leaf, found(unit, formula_.unit(unit).reads[expressions_.reads()[leaf].read], past));
  }
}

Content ValuesInOrder::found(UnitId unit, const UnitRead& read, const Past& past) {
  const UnitId flush = read.own_flush;
  if (flush != nothing && (!past.includes(flush) || !formula_.came_first(flush, unit)))  // on its way
    return values_.content(expressions_.written(formula_.unit(formula_.unit(flush).partner).event, read.cell));
  return memory_round_[read.cell] == round_ ? memory_[read.cell] : values_.content(symbolic_.initial(read.cell));
}

bool ValuesInOrder::conditions_hold(UnitId unit, bool trailing) {
  for (const std::uint32_t note : symbolic_.conditions_of(unit)) {
    if (trailing && !symbolic_.is_trailing(note)) continue;
    if (values_.holds(expressions_.of(symbolic_.trace().notes[note].expression))) continue;
    return !trailing && symbolic_.is_trailing(note);  // it has left its way: it does not get to the others
  }
  return true;
}

}  // namespace treadle

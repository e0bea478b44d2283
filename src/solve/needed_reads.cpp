// SPDX-License-Identifier: Apache-2.0
#include "solve/needed_reads.h"

#include <algorithm>
#include <array>

namespace treadle {

NeededReads::NeededReads(const SymbolicTrace& symbolic, const CellExpressions& expressions, const ReadSources& sources,
                         const CausalFormula& formula)
    : symbolic_(symbolic), expressions_(expressions), sources_(sources), formula_(formula), seen_(expressions.all().size(), 0) {}

void NeededReads::start() {
  ++round_;
  next_unit_ = 0;
  wanted_.clear();
}

void NeededReads::close(Past& past, bool conditions) {
  for (;;) {
    for (; conditions && next_unit_ < past.units().size(); ++next_unit_) {
      const UnitId u = past.units()[next_unit_];
      const Unit& unit = formula_.unit(u);
      if (unit.before != nothing) need_conditions(unit.before, true);
      if (past.is_target(u)) continue;
      need_conditions(u, false);
      for (const UnitRead& read : unit.reads)
        if (!symbolic_.is_open(read.event, read.cell)) need(u, read);
    }
    if (wanted_.empty()) return;
    const auto [unit, read] = wanted_.back();
    wanted_.pop_back();
    need_source(unit, *read, past);
  }
}

void NeededReads::need(UnitId unit, const UnitRead& read) { wanted_.emplace_back(unit, &read); }

void NeededReads::need_conditions(UnitId unit, bool trailing) {
  const auto notes = symbolic_.conditions_of(unit);
  // Whether it gets to a condition that must hold is a matter of those before it.
  const auto last = std::find_if(notes.rbegin(), notes.rend(), [&](std::uint32_t note) { return !symbolic_.is_trailing(note); });
  const auto end = trailing ? notes.end() : last.base();
  for (auto note = notes.begin(); note != end; ++note)
    if (!trailing || symbolic_.is_trailing(*note)) need(expressions_.of(symbolic_.trace().notes[*note].expression));
}

void NeededReads::need(ExpressionId expression) {
  open_.assign(1, expression);
  while (!open_.empty()) {
    const ExpressionId id = open_.back();
    open_.pop_back();
    if (std::exchange(seen_[id], round_) == round_) continue;
    const Expression& e = expressions_.all()[id];
    if (e.op == TREADLE_OP_READ) {
      const CellRead& read = expressions_.reads()[e.a];
      need(read.unit, formula_.unit(read.unit).reads[read.read]);
      continue;
    }
    const std::array operands{e.a, e.b, e.c};
    for (unsigned i = 0; i < operands_of(static_cast<ExpressionOp>(e.op)); ++i) open_.push_back(operands[i]);
  }
}

void NeededReads::need_source(UnitId unit, const UnitRead& read, Past& past) {
  const auto need_written = [&](std::uint32_t event) {
    if (const Written written = expressions_.written(event, read.cell); written.kind == Written::Kind::Symbolic) need(written.expression);
  };
  if (read.own_flush != nothing) {
    if (!formula_.did_happen(read.own_flush) || !formula_.came_first(read.own_flush, unit))  // on its way
      return need_written(formula_.unit(formula_.unit(read.own_flush).partner).event);
    past.include(read.own_flush);
  }
  const UnitId last = sources_.last_before(unit, read.cell);
  if (last == nothing) return;
  past.include(last);
  const auto& writes = formula_.unit(last).writes;
  need_written(std::find_if(writes.begin(), writes.end(), [&](const UnitWrite& w) { return w.cell == read.cell; })->event);
}

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// Of all that the units of a past read: what their conditions depend on, and what has to keep its value. Who wrote that belongs to the
// past.
#pragma once

#include <utility>
#include <vector>

#include "solve/cell_expressions.h"

namespace treadle {

class NeededReads {
 public:
  NeededReads(const SymbolicTrace& symbolic, const CellExpressions& expressions, const ReadSources& sources, const CausalFormula& formula);

  /// Another past.
  void start();

  /// Includes whoever wrote last what is needed by those that were included since. Without `conditions`: only what somebody wants to know.
  void close(Past& past, bool conditions);

  /// Somebody wants to know what the unit finds there.
  void need(UnitId unit, const UnitRead& read);

 private:
  void need_conditions(UnitId unit, bool trailing);
  void need(ExpressionId expression);
  void need_source(UnitId unit, const UnitRead& read, Past& past);

  const SymbolicTrace& symbolic_;
  const CellExpressions& expressions_;
  const ReadSources& sources_;
  const CausalFormula& formula_;
  std::vector<std::uint32_t> seen_;  // by expression: the last round in which it was needed
  std::uint32_t round_ = 0;
  std::size_t next_unit_ = 0;  // of the past
  std::vector<std::pair<UnitId, const UnitRead*>> wanted_;
  std::vector<ExpressionId> open_;
};

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// Who can have written what a read sees: the arguments of its pi-function (Definition 2 of the seed). Left out are writers that never come
// first and those that another one always hides.
//
// The writers of a cell that belong to one thread come in a fixed order, so that looking for the first and the last of them that matter is
// a binary search.
#pragma once

#include <vector>

#include "solve/causal_formula.h"

namespace treadle {

class ReadSources {
 public:
  explicit ReadSources(const CausalFormula& formula);

  struct Writer {
    UnitId unit = 0;
    std::uint32_t event = 0;  // that stored it
  };
  struct Found {
    bool initial = false;         // nobody: what was there from the start
    std::vector<Writer> writers;  // those of one thread stand together, in their order
  };

  /// `unit` makes this read.
  Found of(UnitId unit, const UnitRead& read) const;

  /// The last one of those that happened and came before the unit in the order found; nothing: nobody did.
  UnitId last_before(UnitId unit, CellId cell) const;

 private:
  using Chain = std::vector<Writer>;
  bool is_locked_out(UnitId unit, const UnitRead& read, const Writer& writer, const Writer* next, const Writer* own) const;

  const CausalFormula& formula_;
  std::vector<std::vector<Chain>> chains_;  // by cell, one for each thread that writes there
};

}  // namespace treadle

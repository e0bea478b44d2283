// SPDX-License-Identifier: Apache-2.0
#include "solve/counted_truths.h"

namespace treadle {

/// The sum of all that are true, one after the other.
std::vector<Truth> numbers_of(CausalFormula& formula, std::span<const Truth> truths) {
  std::vector<Truth> sum{Truth(true), Truth(false)};
  for (const Truth& one : truths) {
    std::vector<Truth> next{Truth(true)};
    for (std::size_t n = 1; n <= sum.size(); ++n) {
      const Truth had_it = n < sum.size() ? sum[n] : Truth(false), reaches = formula.open();
      formula.clause({~had_it, reaches});
      formula.clause({~sum[n - 1], ~one, reaches});
      formula.clause({~reaches, had_it, sum[n - 1]});
      formula.clause({~reaches, had_it, one});
      next.push_back(reaches);
    }
    sum = std::move(next);
  }
  return sum;
}

Truth is_number(CausalFormula& formula, std::span<const Truth> at_least, std::uint64_t number) {
  if (number >= at_least.size()) return false;
  const Truth is_it = formula.open(), more = number + 1 < at_least.size() ? at_least[number + 1] : Truth(false);
  formula.clause({~is_it, at_least[number]});
  formula.clause({~is_it, ~more});
  formula.clause({is_it, ~at_least[number], more});
  return is_it;
}

}  // namespace treadle

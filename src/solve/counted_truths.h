// SPDX-License-Identifier: Apache-2.0
// How many of some truths hold.
#pragma once

#include <span>
#include <vector>

#include "solve/causal_formula.h"

namespace treadle {

/// By number: at least so many do.
std::vector<Truth> numbers_of(CausalFormula& formula, std::span<const Truth> truths);

/// Exactly so many do.
Truth is_number(CausalFormula& formula, std::span<const Truth> at_least, std::uint64_t number);

}  // namespace treadle

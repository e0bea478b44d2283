// SPDX-License-Identifier: Apache-2.0
// What an execution shows about its atomic regions, as findings.
#pragma once

#include <vector>

#include "finding/finding.h"
#include "finding/symbols.h"
#include "predict/triples.h"

namespace treadle {

struct AtomicityViolation {
  Triple triple;
  Finding finding;  // not confirmed, without witness
};

/// One for each triple of places.
std::vector<AtomicityViolation> atomicity_violations(const Trace& trace, const Symbols& symbols, bool critical_sections);

}  // namespace treadle

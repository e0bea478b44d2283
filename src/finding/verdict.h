// SPDX-License-Identifier: Apache-2.0
// What a search may claim.
#pragma once

#include <string>

#include "finding/finding.h"

namespace treadle {

const char* text_of(VerdictKind kind);  // "clean", "bugs", "incomplete"

/// Did a bound of ours end the execution, so that nothing is known about what would have followed?
bool is_cut_short(Ending ending);

/// Did the execution run to an end of its own (or was it ruled out by an assumption of the program)?
bool is_regular_end(Ending ending);

/// Bugs when there are findings; clean only when the search was complete and no execution was cut short.
Verdict verdict_of(bool found_something, bool exhausted, bool cut_short, std::string covers);

}  // namespace treadle

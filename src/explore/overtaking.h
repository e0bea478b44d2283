// SPDX-License-Identifier: Apache-2.0
// Could an operation have come before an earlier one of another thread, and what would it have done there?
#pragma once

#include <optional>

#include "explore/transition.h"
#include "trace/trace.h"

namespace treadle {

enum class Overtake : std::uint8_t {
  Yes,
  Maybe,     // only a run can tell: it is tried, and those before it too
  PassOver,  // it let this one go on: look at what came before it
  Never      // and nothing before it either
};

/// `later` and `earlier` touch a common object. `way_out`: the thread of `later` could have stopped waiting when `earlier` happened (a
/// timed wait, a spurious wake-up).
Overtake can_overtake(const Event& later, const Event& earlier, bool way_out);

/// Whether `later` changes its object when it comes just before `earlier`; nothing: unknown. `value_before`: what was in memory then.
std::optional<bool> would_write(const Event& later, const Event& earlier, std::optional<std::uint64_t> value_before);

/// Can the thread move in more than one way at such an operation, depending on what the others did?
bool has_several_ways(EventKind kind);

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// What the executions made so far tell about one that is about to be made: where it leads, if all of it is known.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "trace/schedule.h"
#include "trace/trace.h"

namespace treadle {

class KnownExecutions {
 public:
  virtual ~KnownExecutions() = default;

  /// The execution that this prefix, and then the policy Continue, leads to: every thread would see in it what it has seen in one that was
  /// made, or one of them would go round in a loop in vain (TREADLE_END_STOPPED). Null: it would show something new, or may. Until anything
  /// else is asked or learned.
  virtual const Trace* known(std::span<const Decision> prefix) = 0;

  /// The same, if each thread would see what it has seen in some execution, though not all of them in the same one.
  virtual const Trace* foreseen(std::span<const Decision> prefix) = 0;

  /// Did the execution that was made last show anything that none before it had shown?
  virtual bool last_was_new() const = 0;

  /// The state that the prefix makes its last decision in: equal ones, and the same can come of it. Not of use in another session.
  virtual std::optional<std::uint64_t> state_before_last(std::span<const Decision> prefix) = 0;
};

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// How the recorded run failed, and whether an execution of the following build has failed in the same way at the same place.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "abi/follow.h"
#include "base/result.h"
#include "record/recording.h"
#include "trace/trace.h"

namespace treadle {

struct RecordedFailure {
  enum class Kind : std::uint8_t { Assertion, Signal, Hang } kind = Kind::Assertion;
  std::string thread;  // that failed; empty for a hang, or when nobody was told which
  int signal = 0;
  std::string assertion;  // the expression that was false; empty when it is not known
  bool is_led = true;     // that thread follows its record. If not, where it fails is known by the above alone
};

/// A Problem when the recorded run did not fail, or nobody knows how.
Result<RecordedFailure> failure_of(const RecordedRun& recording);

/// How far a thread has come along its recorded way.
struct Standing {
  ThreadId thread{};
  std::uint64_t position = 0;  // blocks
  TreadlePathState state = TREADLE_ON_THE_PATH;
};
std::vector<Standing> standings_of(const Trace& trace);

/// The first decision in whose course a thread left its way, and the thread.
struct Departure {
  std::uint32_t decision = 0;
  ThreadId thread{};
};
std::vector<Departure> departures_of(const Trace& trace);

bool fails_as_recorded(const Trace& trace, const RecordedFailure& failure);

/// Freed memory is used, by a thread on its recorded way, and not as recorded: the run ends there, while natively it goes on with what
/// happens to be in that memory.
struct EarlyBreak {
  bool in_that_thread = false;  // that failed in the recorded run
  std::uint64_t position = 0;
  auto operator<=>(const EarlyBreak&) const = default;
};
std::optional<EarlyBreak> breaks_early(const Trace& trace, const RecordedFailure& failure);

/// What was recorded may be what becomes of that.
bool may_come_of_freed_memory(const RecordedFailure& failure);

}  // namespace treadle

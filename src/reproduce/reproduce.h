// SPDX-License-Identifier: Apache-2.0
// From a recording to a schedule that follows every thread's recorded way and fails as recorded
// (docs/decisions/0009-following-a-recording.md).
//
// The program itself says when a thread leaves its way; such a thread stands still. What remains is a search for a schedule in which
// nobody does and the failure comes about. Four searches take turns, each for twice as long as before: steering, which learns from how far
// runs come and finds most of them; delays, which put the conflicting steps of the runs that came furthest into another order; the formula
// of the seed over such a run, for a solver; and optimal partial order reduction over all schedules of the following program, which finds
// any, and when it has seen all of them knows that there is none.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "explore/ledger.h"
#include "explore/runner.h"
#include "reproduce/failure.h"
#include "reproduce/ways.h"

namespace treadle {

struct ReproduceOptions {
  Schedule schedule;  // model, limits of a run, seed
  double seconds = 60;
  double minimise_seconds = 3;
  std::function<bool()> interrupted = [] { return false; };
};

/// How far the best run came.
struct ThreadProgress {
  std::string thread;
  std::uint64_t matched = 0, blocks = 0;
  bool left = false;  // it left its way there
};

struct Matched {
  std::vector<ThreadProgress> threads;
  double share() const;  // of all blocks
};

enum class ReproduceVerdict { Reproduced, Unreachable, GaveUp };

struct Reproduced {
  ReproduceVerdict verdict = ReproduceVerdict::GaveUp;
  std::optional<Found> found;  // replayed without the recording
  Matched best;
  Tally tally;
  double seconds = 0;
  Schedule led;           // by which it was found, before it was made smaller
  std::size_t gates = 0;  // known from the order on each core
  std::string by;         // which search found it
  std::string early;      // a thread uses freed memory on its way, before it fails as recorded: which; the finding is that
  std::string limits;     // why not finding it says nothing; empty: it does
};

/// The same program three times.
struct Cast {
  Runner& following;  // led along the ways
  Runner*
      ordered;  // and by the order on each core too: fewer schedules, but no search may draw conclusions from there being none. May be null
  Runner& free;  // left to itself, for the witness
};

Result<Reproduced> reproduce(const Ways& ways, const RecordedFailure& failure, const Cast& cast, const Symbols& symbols,
                             const ReproduceOptions& options, const std::function<void(const Reproduced&)>& tell_progress);

}  // namespace treadle

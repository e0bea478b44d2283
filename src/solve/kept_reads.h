// SPDX-License-Identifier: Apache-2.0
// Which reads must keep their values so that a unit happens, and leaves what it left (Algorithms 4 to 6 of the seed). Without knowledge of
// the program: all that its thread has read before. With it: those that decide which way the thread goes, and those that flow into what it
// writes.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "solve/causal_formula.h"
#include "trace/dependence.h"

namespace treadle {

struct ReadOf {
  UnitId unit = 0;
  std::uint32_t read = 0;
};

class KeptReads {
 public:
  /// Null: nothing is known, every read counts for everything behind it.
  KeptReads(const CausalFormula& formula, const Trace& trace, const Dependence* dependence);

  bool all() const { return dependence_ == nullptr; }

  /// The units that happen only if this read has its value, the first ones on each way that its thread goes; those behind them need them.
  /// `itself`: its own unit does.
  std::vector<UnitId> needed_by(const ReadOf& read, bool& itself) const;

  /// The reads behind the prefix that flow into what the unit writes.
  std::vector<ReadOf> flowing_into(UnitId unit) const;

  /// Of one unit: does what the first read saw decide whether the second one comes?
  bool steers(const UnitRead& first, const UnitRead& second) const;

 private:
  std::uint64_t place(const UnitRead& read) const { return trace_.events[read.event].pc; }
  bool steers(std::uint64_t read, UnitId unit, std::uint32_t after) const;

  const CausalFormula& formula_;
  const Trace& trace_;
  const Dependence* dependence_;
  std::vector<std::vector<std::uint32_t>> events_;  // by unit: those that Dependence knows about
  std::vector<std::vector<UnitId>> next_;           // by unit: where its thread goes on
};

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// Somebody else's access between two of a region, tried out: the trace is made again in some order up to where one of the two threads
// stands between its accesses and the other before its own; then both go on from there.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "predict/triples.h"
#include "solve/trace_model.h"

namespace treadle {

/// What each thread makes, in order, and where it holds locks.
class ThreadWays {
 public:
  ThreadWays(const Units& units, const TraceMachine& machine);

  static constexpr unsigned threads = 256;
  const std::vector<UnitId>& of(unsigned thread) const { return ways_[thread]; }
  unsigned thread_of(UnitId unit) const { return index_of(units_.all[unit].thread); }
  /// The how-manieth of its thread it is; nothing: it is left out.
  std::uint32_t number(UnitId unit) const { return number_[unit]; }
  /// How many locks its thread holds behind it.
  std::uint32_t depth(UnitId unit) const { return depth_[unit]; }
  UnitId next_of(UnitId unit) const;

  /// Where it takes the first of the locks that it holds there.
  UnitId entry_of(UnitId unit) const;
  /// From a number on: one behind the first unit behind which the thread holds no lock.
  std::uint32_t end_of_section(unsigned thread, std::uint32_t from) const;

 private:
  const Units& units_;
  std::vector<std::vector<UnitId>> ways_;
  std::vector<std::uint32_t> number_, depth_;  // by unit
};

struct Interruption {
  UnitId first = nothing, remote = nothing, last = nothing;
  UnitId behind = nothing;  // where the region's thread had better stand still: behind this one
  UnitId from = nothing;    // and the other one: before this one
};

class Interruptions {
 public:
  /// It can happen, and with this order, in case that anybody wants to know.
  using Found = std::function<void(std::size_t triple, const std::function<Reply()>& reply)>;
  enum class Outcome : std::uint8_t { Impossible, MakesNoDifference, Possible };

  /// `values`: only where the three make a difference to each other.
  Interruptions(const Trace& trace, const TraceModel& model, TraceMachine& machine, bool values);

  const Units& units() const { return units_; }
  const ThreadWays& ways() const { return ways_; }
  TraceMachine& machine() const { return machine_; }

  /// None: forced order decides it.
  std::optional<Interruption> of(const Triple& triple) const;

  /// The cell that the three are about; the first one.
  CellId cell_of(const Triple& triple) const;

  /// Both threads go on from where they are, the other one first: `next` is the number of its next unit.
  Outcome try_out(const Interruption& what, const Triple& triple, std::uint32_t next);
  /// After Possible.
  Reply reply(const Interruption& what) const;

 private:
  UnitId best_place_between(UnitId first, UnitId last) const;
  bool makes_difference(const Triple& triple);
  bool differ(std::uint32_t a, std::uint32_t b);

  const Trace& trace_;
  const TraceModel& model_;
  const Units& units_;
  TraceMachine& machine_;
  ThreadWays ways_;
  bool values_;
};

}  // namespace treadle

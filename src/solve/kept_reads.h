// SPDX-License-Identifier: Apache-2.0
// Which reads must keep their values so that a unit happens, and leaves what it left (Algorithms 4 to 6 of the seed). Without knowledge of
// the program: all that its thread has read before. With it: those that decide which way the thread goes, and those that flow into what it
// writes.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "solve/units.h"
#include "trace/dependence.h"

namespace treadle {

struct ReadOf {
  UnitId unit = 0;
  std::uint32_t read = 0;
};

class KeptReads {
 public:
  /// Null: nothing is known, every read counts for everything behind it. Of what is in the prefix nothing can change.
  KeptReads(const Units& units, const std::vector<char>& prefix, const Trace& trace, const Dependence* dependence);

  bool all() const { return dependence_ == nullptr; }

  /// Reads are numbered through.
  std::uint32_t number_of(const ReadOf& read) const { return first_[read.unit] + read.read; }
  std::uint32_t reads() const { return first_.back(); }

  /// The unit happens as in the trace only if this read of it has its value.
  bool keeps_itself(const ReadOf& read) const;

  /// The reads without whose values the unit is not reached, as far as the units before it do not need them anyway.
  std::span<const ReadOf> needed_to_reach(UnitId unit) const { return all() ? std::span<const ReadOf>() : needed_[unit]; }

  /// The reads behind the prefix that flow into what the unit writes.
  const std::vector<ReadOf>& flowing_into(UnitId unit) const;
  /// None does: whenever it happens, it leaves what it left.
  bool is_certain(UnitId writer) const { return all() || prefix_[writer] != 0 || flowing_into(writer).empty(); }

  /// Of one unit: does what the first read saw decide whether the second one comes?
  bool steers(const UnitRead& first, const UnitRead& second) const;

 private:
  std::uint64_t place(const UnitRead& read) const { return trace_.events[read.event].pc; }
  bool steers(std::uint64_t read, UnitId unit, std::uint32_t after) const;
  void find_needed();
  std::vector<ReadOf> find_flowing(UnitId unit) const;

  const Units& units_;
  const std::vector<char>& prefix_;
  const Trace& trace_;
  const Dependence* dependence_;
  std::vector<std::uint32_t> first_;                // by unit: the number of its first read
  std::vector<std::vector<std::uint32_t>> events_;  // by unit: those that Dependence knows about
  std::vector<std::vector<UnitId>> next_;           // by unit: where its thread goes on
  std::vector<std::vector<ReadOf>> needed_;         // by unit
  mutable std::unordered_map<UnitId, std::vector<ReadOf>> flowing_;
};

}  // namespace treadle

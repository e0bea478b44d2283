// SPDX-License-Identifier: Apache-2.0
// What of a trace has to come before some of its units when nothing changes but that the rest is left out: a part of the trace, in its own
// order, in which every read sees what it saw (sync-preserving prefixes, in the words of Mathur, Pavlogiannis and Viswanathan, POPL 2021).
//
// It takes one walk over that part. If it does without the units that a question is about, they can be made behind it, whatever the rest of
// the model says: a Yes without solver. If not, it is still where a solver had better begin.
#pragma once

#include <array>
#include <span>
#include <unordered_map>
#include <vector>

#include "solve/lock_sections.h"
#include "solve/units.h"

namespace treadle {

/// By unit, one that it comes behind when operations on other objects than locks keep their order, and on locks that somebody failed to
/// get.
std::vector<std::vector<UnitId>> order_on_objects(const Trace& trace, const Units& units);

class ObservedPast {
 public:
  ObservedPast(const Trace& trace, const Units& units, std::span<const LockSection> sections);

  /// All that has to happen for `units` to happen, these included. False: that takes one of `ends`, or what follows it in its thread; it is
  /// then missing.
  bool find(std::span<const UnitId> ends, std::span<const UnitId> units);

  bool includes(UnitId unit) const { return included_[unit] == round_; }
  /// In the order of the trace.
  std::vector<UnitId> units() const;

 private:
  void find_needs(const Trace& trace);
  void need_sources(std::vector<std::vector<UnitId>>& needs) const;
  void include(UnitId unit);
  void enter(const LockSection& section);

  const Units& units_;
  std::vector<LockSection> sections_;
  std::unordered_map<UnitId, std::vector<std::uint32_t>> entered_by_;  // sections by the unit that enters them
  std::vector<std::uint32_t> first_need_;
  std::vector<UnitId> needs_;  // of each unit, one list after the other

  std::uint32_t round_ = 0;
  std::vector<std::uint32_t> included_;     // by unit: the last round
  std::array<UnitId, 256> refused_from_{};  // by thread: the end itself and what follows it
  std::vector<UnitId> found_, open_;
  std::vector<std::uint32_t> last_;  // by lock: the section among those entered that came last; nothing: none yet
  std::vector<std::uint32_t> touched_;
  bool fits_ = true;
};

}  // namespace treadle

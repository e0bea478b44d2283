// SPDX-License-Identifier: Apache-2.0
// Barriers, initialisers that run once, and joining.
//
// A barrier is modelled when exactly as many threads use it as it waits for: then each round has one arrival of each of them. The last one
// to arrive is told so. With more threads, who meets whom would be open: that has no model.
#pragma once

#include <map>
#include <unordered_map>

#include "solve/causal_formula.h"

namespace treadle {

class CausalMeetings final : public ModelPart {
 public:
  CausalMeetings(CausalFormula& formula, const Trace& trace);

  void encode() override;
  void close(Past& past) const override;
  Truth as_recorded(UnitId unit) override;
  std::vector<OtherResult> other_results() const override;
  Truth can_be(const OtherResult& other) override;

  bool waits(UnitId unit) const override;
  Truth is_stuck(UnitId unit) override;

  static void find_unmodelled(const Trace& trace, Units& units);

 private:
  struct Round {
    std::vector<UnitId> arrivals, leavings;
    UnitId last = nothing;  // came last and left at once
    bool complete = false;
  };
  struct Once {
    UnitId begin = nothing, end = nothing;  // of the thread that ran it
    std::vector<UnitId> found_done;
  };

  Truth is_last(UnitId unit, const Round& round);
  Truth is_not_last(UnitId unit, const Round& round);
  Truth runs_it(UnitId unit, const Once& once);

  CausalFormula& formula_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Round> rounds_;  // by barrier and generation
  std::map<std::uint64_t, Once> onces_;
  std::unordered_map<UnitId, const Round*> arrives_in_;  // of those that ask whether they are the last one
  std::unordered_map<UnitId, const Once*> asks_;
  std::unordered_map<UnitId, const Round*> leaves_;
  std::unordered_map<UnitId, UnitId> joins_;  // where the joined thread ends
  std::unordered_map<UnitId, Truth> recorded_;
};

}  // namespace treadle

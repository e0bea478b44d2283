// SPDX-License-Identifier: Apache-2.0
// Condition variables, in the engine's three steps: COND_WAIT starts waiting, COND_WOKEN leaves again, LOCK takes the mutex back.
//
// A signal wakes exactly one of those who wait at that moment, a broadcast all of them; a signal wakes nobody only when nobody waits. In
// another order a signal may wake somebody else than in the trace, as long as everybody who goes on has been woken.
#pragma once

#include <map>
#include <unordered_map>

#include "solve/causal_formula.h"

namespace treadle {

class CausalConditions final : public ModelPart {
 public:
  CausalConditions(CausalFormula& formula, const Trace& trace);

  void encode() override;
  void close(Past& past) const override;
  void decide(UnitId unit, const Past& past, std::vector<Decision>& decisions) const override;
  Truth as_recorded(UnitId unit) override;
  std::vector<OtherResult> other_results() const override;
  Truth can_be(const OtherResult& other) override;

  bool waits(UnitId unit) const override;
  Truth is_stuck(UnitId unit) override;

  static void find_unmodelled(const Trace& trace, Units& units);

 private:
  struct Wait {
    UnitId begins = nothing, woken = nothing;
    ThreadId thread{};
    bool signalled = false;                     // else it timed out or woke by itself
    DecisionKind way_out = DecisionKind::Step;  // Timeout, Spurious: it could have gone on without a signal
    std::vector<Truth> by;                      // by signal: that one wakes it
  };
  struct Signal {
    UnitId unit = nothing;
    bool all = false;
    std::vector<std::size_t> woke;  // waits, in the trace
  };
  struct Condition {
    std::vector<Wait> waits;
    std::vector<Signal> signals;
    std::vector<std::size_t> waiting;  // while the trace is taken in
  };
  struct Place {
    std::uint64_t object;
    std::size_t wait;
  };

  void take_in(UnitId unit, const Event& event);
  void find_ways_out(const Trace& trace);
  void encode_who(Condition& condition, std::size_t wait);
  void encode_signal(Condition& condition, std::size_t signal);
  Truth has_left(const Condition& condition, const Wait& wait, std::size_t signal);
  Truth is_signalled(const Condition& condition, const Wait& wait);
  Truth is_not_signalled(const Condition& condition, const Wait& wait);

  CausalFormula& formula_;
  const Trace& trace_;
  std::map<std::uint64_t, Condition> conditions_;
  std::unordered_map<UnitId, Place> woken_;
  std::unordered_map<UnitId, Place> signals_;  // `wait`: which signal
  std::unordered_map<UnitId, Truth> recorded_;
};

}  // namespace treadle

// SPDX-License-Identifier: Apache-2.0
// Queues in which threads wait until somebody wakes them: condition variables and futexes. Who waits does so in two steps, one that begins
// to wait and one that leaves again.
//
// A call that wakes one wakes exactly one of those who wait at that moment, another all of them; it wakes nobody only when nobody waits. In
// another order it may wake somebody else than in the trace, as long as everybody who goes on has been woken.
#pragma once

#include <map>
#include <optional>
#include <unordered_map>

#include "solve/causal_formula.h"

namespace treadle {

class CausalQueues : public ModelPart {
 public:
  /// What an event is to the queue at its address.
  struct Meaning {
    enum class Kind : std::uint8_t { Nothing, Begins, Leaves, Wakes } kind = Kind::Nothing;
    enum class Why : std::uint8_t { Woken, TimedOut, ByItself } why = Why::Woken;  // Leaves
    bool all = false;                                                              // Wakes
    std::optional<ThreadId> woken{};                                               // Wakes one: whom
    std::optional<std::uint32_t> counts{};                                         // Wakes: the program asks how many, and it were so many
  };
  using Reader = Meaning (*)(const Trace& trace, const Units& units, std::uint32_t event);

  CausalQueues(CausalFormula& formula, const Trace& trace, Reader read);

  void encode() override;
  void close(Past& past) const override;
  void decide(UnitId unit, const Past& past, std::vector<Decision>& decisions) const override;
  Truth as_recorded(UnitId unit) override;
  std::vector<OtherResult> other_results() const override;
  Truth can_be(const OtherResult& other) override;  // of a count: `tag` is 1 + what it says, or 0 for anything else than it said

  bool waits(UnitId unit) const override;
  Truth is_stuck(UnitId unit) override;

 private:
  struct Wait {
    UnitId begins = nothing, left = nothing;
    ThreadId thread{};
    bool woken = false;                         // else it timed out or left by itself
    DecisionKind way_out = DecisionKind::Step;  // Timeout, Spurious: it could have gone on without being woken
    std::vector<Truth> by;                      // by call: that one wakes it
  };
  struct Call {
    UnitId unit = nothing;
    bool all = false;
    std::optional<std::uint32_t> counts;
    std::vector<std::size_t> woke;  // waits, in the trace
    std::vector<Truth> at_least;    // by number: of those that it wakes; empty: not encoded
  };
  struct Queue {
    std::vector<Wait> waits;
    std::vector<Call> calls;
    std::vector<std::size_t> waiting;  // while the trace is taken in
  };
  struct Place {
    std::uint64_t object;
    std::size_t number;
  };

  void take_in(UnitId unit, std::uint64_t object, ThreadId thread, const Meaning& what);
  void find_ways_out(const Trace& trace);
  void encode_who(Queue& queue, std::size_t wait);
  void encode_call(Queue& queue, std::size_t call);
  Truth has_left(const Queue& queue, const Wait& wait, std::size_t call);
  Truth is_woken(const Queue& queue, const Wait& wait);
  Truth is_not_woken(const Queue& queue, const Wait& wait);
  Truth counts(const Place& place, std::uint64_t number);
  Call* counting(UnitId unit);
  /// What it comes to depends on who had left before.
  bool depends_on_who_left(const Queue& queue, std::size_t call) const;

  CausalFormula& formula_;
  std::map<std::uint64_t, Queue> queues_;
  std::unordered_map<UnitId, Place> left_;   // waits
  std::unordered_map<UnitId, Place> calls_;  // calls
  std::unordered_map<UnitId, Truth> recorded_;
};

/// The engine's three steps: COND_WAIT starts waiting, COND_WOKEN leaves again, LOCK takes the mutex back.
class CausalConditions final : public CausalQueues {
 public:
  CausalConditions(CausalFormula& formula, const Trace& trace);
  static void find_unmodelled(const Trace& trace, Units& units);
};

/// FUTEX_WAIT looks at the word and sleeps, or does not: that is a matter of values. FUTEX_WOKEN goes on.
class CausalFutexes final : public CausalQueues {
 public:
  CausalFutexes(CausalFormula& formula, const Trace& trace);
  static void find_unmodelled(const Trace& trace, Units& units);
};

}  // namespace treadle
